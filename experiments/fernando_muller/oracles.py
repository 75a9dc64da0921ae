"""Who says what Black's chances are at a komi: searches of miai, or any GTP engine that knows `komi` and a win rate."""

import functools
import re
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from miai.engine.go.game import Game
from miai.engine.go.points import BLACK, color_name, vertex_of
from miai.experiments.fernando_muller.mcts_of_policies import MEMORY, MctsReading, mcts_options, player_of
from miai.experiments.running.workers import PiecesFailed
from miai.gtp.client import Client, ClientError
from miai.match.contestants import Contestant, read_contestant
from miai.players.options import NET_EVALUATORS

_TIMEOUT = 600.0
_RATE = re.compile(r"\bwinrate ([-+.\d]+(?:[eE][-+]?\d+)?)")
_BEST = re.compile(r"\border 0\b")


class Oracle(Protocol):
    """Black's chances in a position, by komi."""

    def load(self, game: Game) -> None:
        """Take a position; the game stays as it is."""

    def chances(self, komi: float, seed: int) -> float:
        """Return Black's chances, 0 to 1, at this komi."""


class OracleFailed(PiecesFailed):
    """An engine that does not say what is asked of it; the text tells why."""


class SearchOracle:
    """A player of miai: the mean value of its root, each time from a new tree."""

    def __init__(self, contestant: Contestant) -> None:
        assert contestant.options is not None
        self._player = player_of(contestant.options)
        self._game = Game(2)

    def load(self, game: Game) -> None:
        """Take a position."""
        self._game = game.copy()

    def chances(self, komi: float, seed: int) -> float:
        """Return Black's chances."""
        self._game.komi = komi
        self._player.set_seed(seed)
        value = self._player.search(self._game, self._game.to_play).value
        return value if self._game.to_play == BLACK else 1.0 - value


class EngineOracle:
    """A GTP engine: the win rate of the move that it would play, by `lz-` or `kata-genmove_analyze`, or Fuego's value.

    Raises:
        OracleFailed: if it knows none of these, or does not work.
    """

    def __init__(self, program: tuple[str, ...]) -> None:
        try:
            self._client = Client.start(program)
            commands = ("kata-genmove_analyze", "lz-genmove_analyze", "uct_value_black")
            self._command = next((name for name in commands if self._client.supports(name)), "")
        except ClientError as error:
            raise OracleFailed(f"{program[0]}: {error}") from error
        if not self._command:
            raise OracleFailed(f"{program[0]} tells no win rate (it must know one of: {', '.join(commands)})")
        self._color = BLACK

    def load(self, game: Game) -> None:
        """Send a position."""
        stones = [(color, point) for point, color in game.setup_stones.items()]
        moves = [f"play {color_name(color)} {vertex_of(move, game.size)}" for color, move in [*stones, *game.moves]]
        for command in (f"boardsize {game.size}", "clear_board", *moves):
            self._ask(command)
        self._color = game.to_play

    def chances(self, komi: float, seed: int) -> float:
        """Return Black's chances; the engine's random numbers are its own."""
        color = color_name(self._color)
        self._ask(f"komi {komi:g}")
        if self._command == "uct_value_black":
            self._ask(f"reg_genmove {color}")
            return self._number(self._ask(self._command))
        answer = self._ask(f"{self._command} {color} 1")
        if "play resign" not in answer.lower():
            self._ask("undo")
        lines = [line for line in answer.splitlines() if line.startswith("info")]
        best = next((part for part in lines[-1].split("info ") if _BEST.search(part)), "") if lines else ""
        rate = _RATE.search(best or (lines[-1] if lines else ""))
        if rate is None:
            raise OracleFailed(f"no win rate in the engine's answer {answer[:100]!r}")
        value = self._number(rate.group(1)) / (1.0 if self._command.startswith("kata") else 10_000.0)
        return value if self._color == BLACK else 1.0 - value

    def _ask(self, command: str) -> str:
        try:
            return self._client.send(command, _TIMEOUT)
        except ClientError as error:
            raise OracleFailed(f"on {command!r}: {error}") from error

    @staticmethod
    def _number(text: str) -> float:
        try:
            return float(text)
        except ValueError:
            raise OracleFailed(f"{text[:40]!r} is no win rate") from None


@dataclass(frozen=True)
class OracleChoice:
    """An oracle that processes make for themselves."""

    contestant: Contestant

    def describe(self) -> dict[str, Any]:
        """Return all that its answers depend on, for JSON."""
        return self.contestant.describe()

    @property
    def is_program(self) -> bool:
        """Whether it is a program of its own."""
        return self.contestant.options is None

    def check(self) -> None:
        """Make sure that it can be asked about komi.

        Raises:
            ValueError: if not; says why.
        """
        options = self.contestant.options
        if options is not None and options.evaluator in NET_EVALUATORS:
            from miai.nets.loading import read_net_config
            from miai.nets.net_files import net_file
            from miai.nets.planes import PLANES

            planes = read_net_config(net_file(options.net)).planes
            if not any("komi" in plane for plane in PLANES[planes]):
                raise ValueError(f"network {options.net!r} does not see komi (allowed: networks whose planes tell it)")

    def make(self) -> Oracle:
        """Return this process's oracle."""
        return _make(self.contestant)


class Asked(NamedTuple):
    """Who is to be the oracle, in the words of the command."""

    oracle: str | None
    """A contestant of `miai match`; None = MCTS(F)."""
    base: str
    """What F is."""
    simulations: int
    """A komi, unless the contestant's text says otherwise."""
    reading: MctsReading
    """What MCTS(F) is beside F."""

    def choose(self) -> OracleChoice:
        """Return the oracle.

        Raises:
            ValueError: if there is no such contestant.
        """
        if self.oracle is None:
            options = mcts_options(self.base, self.simulations, self.reading)
            return OracleChoice(Contestant("MCTS(F)", options=options))
        shared: dict[str, Any] = {"simulations": self.simulations, "memory": MEMORY, "seed": 0}
        return OracleChoice(read_contestant(self.oracle, shared))

    def describe(self) -> dict[str, Any]:
        """Return what of it decides the oracle's answers, in plain values."""
        if self.oracle is not None:
            return {"oracle": self.oracle, "simulations": self.simulations}
        return {"base": self.base, "simulations": self.simulations, **self.reading.describe()}


@functools.lru_cache(maxsize=1)
def _make(contestant: Contestant) -> Oracle:
    return SearchOracle(contestant) if contestant.options is not None else EngineOracle(contestant.program)
