"""The options that the environments share."""

from dataclasses import dataclass
from typing import Annotated, Any

from miai.engine.go.batch import BOTH, EITHER, GameBatch
from miai.engine.go.game import IllegalMove
from miai.engine.go.points import BLACK, WHITE, point_at, vertex_of
from miai.engine.go.rules import RULES
from miai.players.option_kinds import Integer, NameChoice, OptionError, Real, Switch, unknown_name
from miai.players.options import GameOptions

AGENT_COLORS = {"black": BLACK, "white": WHITE, "random": EITHER}
"""Which colour the agent plays against an opponent; `random` chooses one for each game."""
ILLEGAL = ("error", "loss")
"""What an illegal action does."""


@dataclass(frozen=True)
class OpponentName:
    """A text that names an opponent, see `miai.environment.opponents`; or none."""

    metavar: str = "PLAYER"
    allowed: str = "random, policy:NAME, PRESET[:NAME=VALUE,…], or none"

    def read(self, value: Any) -> str | None:
        if value is None or isinstance(value, str):
            return value
        raise OptionError(f"{str(value)[:40]!r} is not a text (allowed: {self.allowed})")


@dataclass(frozen=True)
class EnvironmentOptions(GameOptions):
    """What is played, and what the agent gets to see.

    Raises:
        OptionError: if a value is not allowed.
    """

    rules: Annotated[
        str, NameChoice(tuple(RULES)), "Rules: `chinese` has simple ko, the others superko; all stones count as alive."
    ] = "tromp-taylor"
    draw_reward: Annotated[float, Real(-1.0, 1.0), "Reward of either player for a draw."] = 0.0
    move_limit: Annotated[
        int | None,
        Integer(1, 100_000, optional=True),
        "Moves of both players after which a game is truncated; none = 3·size².",
    ] = None
    opponent: Annotated[
        str | None, OpponentName(), "Who plays the other colour; none = the caller plays both in turn."
    ] = None
    agent_color: Annotated[
        str,
        NameChoice(tuple(AGENT_COLORS)),
        "The agent's colour against an opponent; `random` chooses anew each game.",
    ] = "black"
    illegal: Annotated[
        str, NameChoice(ILLEGAL), "An illegal action raises an error and changes nothing, or loses the game."
    ] = "error"
    observe: Annotated[
        bool, Switch(), "Write observations; without them there are no planes and a step takes two thirds of the time."
    ] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.move_limit is None:
            object.__setattr__(self, "move_limit", 3 * self.size**2)

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
