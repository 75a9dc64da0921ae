"""Two experiments that take no time: coins are thrown, and heads are counted."""

from dataclasses import dataclass
from typing import Any

import click
import numpy as np

from miai.cli.experiments.running import Runner, take_runner
from miai.experiments.catalogue import Account, Experiment, KeptRun, is_experiment
from miai.experiments.comparisons import Comparison
from miai.experiments.running.pieces import Results, load_results
from miai.experiments.running.workers import PiecesFailed

STOP_AT: list[int] = []
"""The piece at which the user stops the run."""
THROWN: list[int] = []
"""The pieces that were done."""


@dataclass(frozen=True)
class CoinPlan:
    coins: int

    @property
    def num_pieces(self) -> int:
        return self.coins // 2

    def rows_of(self, piece: int) -> int:
        return 2

    def signature(self) -> dict[str, Any]:
        return {"experiment": "coins"}

    def run_piece(self, piece: int) -> Results:
        if piece in STOP_AT:
            STOP_AT.clear()
            raise KeyboardInterrupt
        THROWN.append(piece)
        return {"heads": np.array([piece % 2, 1]), "seconds": np.array([3.6, 3.6])}


def account_of(run: KeptRun) -> Account:
    heads = run.results["heads"]
    found = Comparison("heads, %", 75.0, 0.0, 100.0 * float(heads.mean()), 5.0)
    return Account("miai experiment coins", f"{len(heads)} coins", {"table 1": [found]}, "")


@click.command()
@click.option("--coins", type=int, required=True)
@take_runner
def command(coins: int, runner: Runner) -> None:
    """Throw coins."""
    folder = runner.folder("coins")
    runner.run(CoinPlan(coins), folder, "coin")
    click.echo(f"{load_results(CoinPlan(coins), folder)['heads'].mean():.2f}")


@click.command()
@click.option("--coins", type=int, required=True)
@take_runner
def broken(coins: int, runner: Runner) -> None:
    """Fail."""
    raise click.ClickException(str(PiecesFailed("no coins are left")))


def experiment(name: str, **changes: Any) -> Experiment:
    fields: dict[str, Any] = {
        "name": name,
        "words": (name,),
        "paper": "Anon 1713",
        "parts": "table 1",
        "unit": "coins",
        "option": "--coins",
        "full": 1000,
        "floor": 20,
        "smallest": 4,
        "rows": int,
        "account": "tests.experiments.coins:account_of",
        "recognizes": is_experiment(name),
        "step": 2,
    }
    return Experiment(**(fields | changes))


experiments = (experiment("coins"), experiment("broken"), experiment("dice", needs_games=True))
