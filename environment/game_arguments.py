"""The options that the environments share."""

from dataclasses import dataclass
from typing import Any

from miai.engine.go.batch import BOTH, EITHER, GameBatch
from miai.engine.go.game import IllegalMove
from miai.engine.go.points import BLACK, WHITE, point_at, vertex_of
from miai.engine.go.rules import RULES
from miai.players.option_kinds import Integer, NameChoice, OptionError, Real, unknown_name
from miai.players.options import GameOptions, read_value

AGENT_COLORS = {"black": BLACK, "white": WHITE, "random": EITHER}
"""Which colour the agent plays against an opponent; `random` draws one for each game."""
ILLEGAL = ("error", "loss")
"""What an illegal action does."""


@dataclass(frozen=True)
class EnvironmentOptions:
    """What is played, and what the agent gets to see.

    Raises:
        OptionError: if a value is not allowed.
    """

    size: int = GameOptions.size
    """Points on a side of the board, 2 to 19."""
    komi: float = GameOptions.komi
    """Points that White gets for moving second; a whole number allows draws."""
    rules: str = GameOptions.rules
    """`tromp-taylor` and `cgos` forbid by positional superko, `chinese` by simple ko only."""
    draw_reward: float = 0.0
    """What a draw is worth to either player, -1 to 1."""
    move_limit: int | None = None
    """After so many moves of both players the game is truncated; None = 3·size²."""
    opponent: str | None = None
    """Who plays the other colour, see `miai.environment.opponents`; None = the caller plays both in turn."""
    agent_color: str = "black"
    """`black`, `white` or `random`: the colour of the agent's against an opponent."""
    illegal: str = "error"
    """What an illegal action does: `error` raises, and changes nothing; `loss` ends the game with reward -1."""
    observe: bool = True
    """Whether observations are written; without them there are none of the planes, and steps take half the time."""

    def __post_init__(self) -> None:
        for name in ("size", "komi", "rules"):
            object.__setattr__(self, name, read_value(name, getattr(self, name)))
        if self.move_limit is None:
            object.__setattr__(self, "move_limit", 3 * self.size**2)
        for name, kind in (
            ("draw_reward", Real(-1.0, 1.0)),
            ("move_limit", Integer(1, 100_000)),
            ("agent_color", NameChoice(tuple(AGENT_COLORS))),
            ("illegal", NameChoice(ILLEGAL)),
        ):
            try:
                object.__setattr__(self, name, kind.read(getattr(self, name)))
            except OptionError as error:
                raise OptionError(f"{name}: {error}") from None

    def make_batch(self, number: int) -> GameBatch:
        """Return memory for `number` games by these options."""
        assert self.move_limit is not None
        batch = GameBatch(number, self.size, self.komi, RULES[self.rules], self.move_limit)
        batch.games["draw_reward"] = self.draw_reward
        batch.games["agent_choice"] = BOTH if self.opponent is None else AGENT_COLORS[self.agent_color]
        batch.games["forfeits"] = self.illegal == "loss"
        return batch


def read_options(given: dict[str, Any]) -> EnvironmentOptions:
    """Return the options that were given by name.

    Raises:
        OptionError: for a name or a value that is not allowed; says which are.
    """
    names = EnvironmentOptions.__dataclass_fields__
    for name in given:
        if name not in names:
            raise unknown_name(name, names, "option of the environment")
    return EnvironmentOptions(**given)


def illegal_action(batch: GameBatch, index: int, action: int, size: int) -> IllegalMove:
    """Return the error for an illegal action in one of the games: which point, and which rule."""
    vertex = vertex_of(point_at(*divmod(action, size), size), size)
    return IllegalMove(f"action {action} ({vertex}) is illegal: {batch.why_illegal(index, action)}")
