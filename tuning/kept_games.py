"""The games of a tuning as pieces of an experiment, as the book of results reads them: one of each point and test."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from miai.engine.files import write_file
from miai.experiments.running.pieces import Results, keep_piece
from miai.match.results import GameResult
from miai.tuning.tuning import Trial, Tuning, says_something

_FIRST_TEST = 10_000
"""The piece of the test of the optimum of `n` points has the number of `n` more."""


def keep_games(tuning: Tuning, signature: Mapping[str, Any], folder: Path) -> None:
    """Write the finished pairs of games as pieces beside `plan.json`, the signature.

    A row is a game, the two of an opening behind each other: `point`, from 1, and -n in the test of the optimum of n
    points; `values`, those of the parameters; `score` of the tuned player, NaN where the game says nothing; `seconds`
    that both sides thought.

    Raises:
        OSError: if they cannot be written.
    """
    write_file(folder / "plan.json", json.dumps(signature, indent=1) + "\n")
    for piece, point, trial in _trials(tuning):
        rows = _rows(point, trial)
        if len(rows["score"]):
            keep_piece(folder, piece, rows)


def _trials(tuning: Tuning) -> Iterator[tuple[int, int, Trial]]:
    for number, trial in enumerate(tuning.trials, start=1):
        yield number - 1, number, trial
    if tuning.test:
        yield _FIRST_TEST + len(tuning.trials), -len(tuning.trials), tuning.test


def _rows(point: int, trial: Trial) -> Results:
    games = {result.number: result for result in trial.results}
    firsts = [number for number in sorted(games) if number % 2 and number + 1 in games]
    rows = [games[number] for first in firsts for number in (first, first + 1)]
    return {
        "point": np.full(len(rows), point, dtype=np.int16),
        "values": np.tile(np.array(trial.values, dtype=np.float64), (len(rows), 1)),
        "score": np.array(
            [result.score_of_a if says_something(result) else np.nan for result in rows], dtype=np.float32
        ),
        "seconds": np.array([_seconds(result) for result in rows]),
    }


def _seconds(result: GameResult) -> float:
    return sum(effort.seconds for effort in result.efforts.values())
