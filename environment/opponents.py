"""Who plays against the agent: what the texts for an opponent mean.

random                                  uniformly random legal moves that fill no own eye
policy:fuego                            a playout policy by its name
fast, uct:simulations=100               a preset of miai's, with options, as in `miai match`
puct:evaluator=net,net=FILE             the same with a network
"""

import dataclasses
from typing import Any, Protocol

import numpy as np

from miai.engine.go.batch import GOES_ON, GameBatch
from miai.engine.go.points import NO_MOVE
from miai.engine.go.rules import count_all_stones
from miai.engine.random import next_uint64
from miai.environment.game_arguments import EnvironmentOptions
from miai.match.contestants import agree_on_game, read_contestant
from miai.players.fallback import options_on
from miai.players.option_kinds import OptionError, name_list
from miai.players.options import GAME_FIELDS, POLICIES, PlayerOptions
from miai.players.player import Player
from miai.players.presets import PRESETS
from miai.playouts.replies import make_replies
from miai.playouts.workspace import new_playout_workspace

_POLICY_PREFIX = "policy:"


class Opponent(Protocol):
    """Somebody who replies in the games of a batch; the random numbers are the games' own."""

    def choose(self, batch: GameBatch, replies: np.ndarray) -> None:
        """Write a legal move wherever it is the opponent's turn, else NO_MOVE, to `replies`, int64 [number]."""

    def close(self) -> None:
        """Release what it holds."""


class PolicyOpponent:
    """A playout policy."""

    def __init__(self, policy: str, size: int) -> None:
        self._choose = make_replies(policy)
        self._workspace = new_playout_workspace(size, 0)

    def choose(self, batch: GameBatch, replies: np.ndarray) -> None:
        """See `Opponent`."""
        self._choose(batch.games, self._workspace, replies)

    def close(self) -> None:
        """Nothing to release."""


class SearchOpponent:
    """A player of miai's that never resigns, and begins each move with an empty tree.

    What a game has been through therefore decides its moves, whatever else is played, copied or restored. A copy reads
    the network's file again.
    """

    def __init__(self, options: PlayerOptions) -> None:
        self._options = dataclasses.replace(options, resign_below=0.0)
        self._player = Player(self._options)

    def __reduce__(self) -> tuple[Any, ...]:
        return SearchOpponent, (self._options,)

    def choose(self, batch: GameBatch, replies: np.ndarray) -> None:
        """See `Opponent`; one game after the other."""
        replies[:] = NO_MOVE
        agents = batch.games["agent"]
        turns = batch.games["board"]["to_play"]
        for index in np.flatnonzero((batch.games["state"] == GOES_ON) & (agents != turns)):
            game = batch.to_game(int(index))
            game.rules = count_all_stones(game.rules)  # as the environment counts
            self._player.set_seed(int(next_uint64(batch.games[index])))
            replies[index] = self._player.choose(game, game.to_play).move_if_played_on

    def close(self) -> None:
        """Release the player's threads."""
        self._player.close()


def make_opponent(options: EnvironmentOptions) -> Opponent | None:
    """Return the opponent that the options name, or None where the caller plays both colours.

    Raises:
        OptionError: naming what is wrong and what there is.
    """
    text = options.opponent
    if text is None:
        return None
    policy = "random" if text == "random" else text.removeprefix(_POLICY_PREFIX)
    if text == "random" or text.startswith(_POLICY_PREFIX):
        if policy not in POLICIES:
            raise OptionError(f"opponent: there is no policy {policy[:60]!r} (allowed: {name_list(POLICIES)})")
        return PolicyOpponent(policy, options.size)
    if text.partition(":")[0] not in PRESETS:
        raise OptionError(
            f"opponent: {text[:60]!r} is neither random, nor policy:NAME ({name_list(POLICIES)}), "
            f"nor a preset ({name_list(PRESETS)}), which takes options: puct:evaluator=net,net=FILE"
        )
    try:
        contestant = read_contestant(text)
        assert contestant.options is not None, "the text names a preset"
        game = {name: getattr(options, name) for name in GAME_FIELDS}
        agree_on_game(game, [contestant], "the environment")
        return SearchOpponent(options_on(contestant.options, options.size))
    except ValueError as error:
        raise OptionError(f"opponent: {error}") from None
