"""A player that knows in advance what it will say, so that tests of the protocol do not depend on a search."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from miai.engine.go.game import Game
from miai.engine.go.points import PASS
from miai.engine.search.report import MoveReport, SearchReport
from miai.players.options import PlayerOptions
from miai.players.status import Status, StoneBlock, expect_owners, find_blocks, name_statuses


@dataclass(frozen=True)
class FakeChoice:
    move: int
    report: SearchReport


@dataclass(frozen=True)
class FakePolicyMove:
    move: int
    probability: float
    layer: str


@dataclass(frozen=True)
class FakeParameter:
    value: bool | int | float | str
    meaning: str = "for tests"


@dataclass
class FakeEvaluation:
    raw_network: None = None


@dataclass
class FakePlayer:
    """Plays the first legal points in row-major order, or what `decisions` says."""

    options: PlayerOptions = field(default_factory=PlayerOptions)
    decisions: list[int] = field(default_factory=list)
    """Moves to choose, before falling back on the first legal point."""
    seconds: float = 0.0
    """How long `choose` thinks unless it is stopped."""
    budgets: list[object] = field(default_factory=list)
    judging_seconds: list[float | None] = field(default_factory=list)
    evaluation: FakeEvaluation = field(default_factory=FakeEvaluation)
    num_games: int = 0
    num_forgotten: int = 0
    """How often the tree was."""
    seeds: list[int] = field(default_factory=list)
    values: dict[str, bool | int | float | str] = field(default_factory=lambda: {"rave.equivalence": 1000.0, "x": True})

    def set_seed(self, seed: int) -> None:
        self.seeds.append(seed)

    def new_game(self) -> None:
        self.num_games += 1

    def choose(
        self,
        game: Game,
        color: int,
        budget: object = None,
        on_report: Callable[[SearchReport], None] | None = None,
        report_every: float = 0.0,
        stop: threading.Event | None = None,
    ) -> FakeChoice:
        self.budgets.append(budget)
        deadline = time.monotonic() + self.seconds
        while time.monotonic() < deadline and not (stop and stop.is_set()):
            time.sleep(0.005)
            if on_report:
                on_report(report_on(game, color, 10))
        move = self.decisions.pop(0) if self.decisions else (game.legal_points(color) or [PASS])[0]
        return FakeChoice(move, report_on(game, color, 100))

    def analyze(
        self,
        game: Game,
        color: int,
        on_report: Callable[[SearchReport], None],
        report_every: float,
        stop: threading.Event,
    ) -> SearchReport:
        simulations = 0
        while not stop.wait(0.005):
            simulations += 500
            on_report(report_on(game, color, simulations))
        return report_on(game, color, simulations + 1)

    def forget_tree(self) -> None:
        self.num_forgotten += 1

    def judge_stones(
        self, game: Game, seconds: float | None = None, stop: threading.Event | None = None
    ) -> dict[StoneBlock, Status]:
        """Let all stones live."""
        self.judging_seconds.append(seconds)
        return name_statuses(find_blocks(game), expect_owners(game, game.area()), ())

    def playout_moves_at(self, game: Game, color: int) -> list[FakePolicyMove]:
        points = game.legal_points(color)[:2]
        layers = ("capture", "pattern")[: len(points)]
        return [FakePolicyMove(move, 1 / len(points), layer) for move, layer in zip(points, layers, strict=True)]

    def parameters(self) -> dict[str, FakeParameter]:
        return {name: FakeParameter(value) for name, value in self.values.items()}

    def set_parameter(self, name: str, value: str) -> None:
        if name not in self.values:
            raise ValueError(f"unknown parameter {name!r} (allowed: {', '.join(self.values)})")
        try:
            self.values[name] = float(value)
        except ValueError:
            raise ValueError(f"{name}: {value!r} is no number") from None


def report_on(game: Game, color: int, simulations: int) -> SearchReport:
    """Report the first two legal points and, so that it must be written too, a variation that ends with a pass."""
    area = game.area().astype(np.float32)
    moves = (game.legal_points(color) or [PASS])[:2]
    return SearchReport(
        color=color,
        moves=tuple(
            MoveReport(
                move=move,
                visits=simulations // (order + 1),
                value=0.5234 - order * 0.1,
                prior=0.25,
                lower_bound=0.5,
                score=1.25,
                variation=(move, PASS),
                variation_visits=(simulations // (order + 1), 1),
            )
            for order, move in enumerate(moves)
        ),
        value=0.5234,
        score=1.25,
        visits=simulations,
        simulations=simulations,
        seconds=0.5,
        ownership=area if color == 1 else -area,
    )
