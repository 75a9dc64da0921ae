"""The players of a session, made when they are needed, and what each of their policies says of a position."""

import dataclasses
from collections.abc import Callable
from typing import Any

from miai.engine.go.game import Game
from miai.engine.go.points import vertex_of
from miai.library.games import Game as LibraryGame
from miai.library.networks import Network
from miai.nets.config import ConfigError
from miai.players.compiling import compile_if_cold
from miai.players.fallback import options_on
from miai.players.options import NET_EVALUATORS, PlayerOptions, resolve_options, with_strength
from miai.players.player import Player

MAX_MEMORY = 256
"""MiB, at most, for the tree of a player."""
_MAX_PLAYERS = 2
"""Players that are kept: who plays, and who analyses."""
_NUM_POLICY_MOVES = 12
"""Moves of a policy that are told."""


class Engines:
    """Players by their options."""

    def __init__(self, options: PlayerOptions, on_load: Callable[[], None] = lambda: None) -> None:
        """Take the options that the server was started with.

        Args:
            options: of the player that analyses.
            on_load: called before a player is made, which may take long.
        """
        self._on_load = on_load
        self.options = dataclasses.replace(options, memory=min(options.memory, MAX_MEMORY))
        self._players: dict[PlayerOptions, Player] = {}
        self._networks: dict[str, Network] = {}

    def opponent_options(self, level: int | None, preset: str | None) -> PlayerOptions:
        """Return the options of who plays at a level, or as a preset says."""
        options = self.options
        if preset is not None:
            options = dataclasses.replace(resolve_options(preset)[0], memory=self.options.memory, seed=options.seed)
        return options if level is None else with_strength(options, level)

    def player(self, options: PlayerOptions, size: int) -> Player:
        """Return the player with these options on boards of this size; compiles what it needs, once a machine.

        Raises:
            ValueError: if there can be none.
        """
        options = options_on(options, size)
        if options not in self._players:
            self._on_load()
            compile_if_cold(options, size)
            while len(self._players) >= _MAX_PLAYERS:
                self._players.pop(next(iter(self._players))).close()
            self._players[options] = Player(options)
        player = self._players.pop(options)
        self._players[options] = player  # the one used last goes last
        return player

    def new_game(self) -> None:
        """Forget what searches found in earlier games."""
        for player in self._players.values():
            player.new_game()

    def describe_policies(self, game: Game) -> dict[str, Any]:
        """Return the most probable moves by the network, None where it does not fit, and by the playouts."""
        options = self.options
        size = game.size
        found: dict[str, Any] = {"network": None}
        if options.evaluator in NET_EVALUATORS:
            if options.net not in self._networks:
                self._networks[options.net] = Network(options.net, options.net_backend)
            wrapped = LibraryGame(size)
            wrapped.state = game
            try:
                policy = self._networks[options.net].evaluate(wrapped).policy
            except (ConfigError, ValueError):
                policy = None
            if policy is not None:
                found["network"] = [[move, round(share, 4)] for move, share in list(policy.items())[:_NUM_POLICY_MOVES]]
        moves = self.player(options, size).playout_moves_at(game, game.to_play)
        moves = sorted(moves, key=lambda one: -one.probability)[:_NUM_POLICY_MOVES]
        found["playouts"] = [[vertex_of(one.move, size), round(one.probability, 4), one.layer] for one in moves]
        return found
