"""The games of tuned knots as pieces: kept, taken up again, and played by processes."""

import contextlib
import shutil
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

pytest.importorskip("botorch")

from miai.experiments.catalogue import read_run
from miai.experiments.running.pieces import Results, load_pieces
from miai.match.openings import generate_openings
from miai.tuning.knot_games import KnotConditions, KnotGames, KnotMatch
from miai.tuning.li_lim import knot_space, standard_player, tuned_player
from miai.tuning.piece_tables import PieceJob, make_piece_tables, play_piece
from miai.tuning.points import POINTS_FILE
from miai.tuning.progress import play_tuning
from miai.tuning.tuning import Tuning, TuningPlan
from tests.commands import load_script
from tests.tuning.test_tuning import MadeUpTables

PIECES = [0, 1, 1000, 1001, 2000, 2001, 2_003_000, 2_003_001]
"""Of three points and a test."""
CONDITIONS = KnotConditions("softmax", 2, "unit", games=6, komi=7.0, together=2, seed=1)


class MadeUpPieces(MadeUpTables):
    """Tables at which nobody plays: the tuned player wins as White."""

    def _make_up(self, job: Any) -> Results:
        assert isinstance(job, PieceJob) and isinstance(job.match, KnotMatch)
        number = job.match.rows_of(job.piece)
        return {
            "point": np.full(number, job.match.point),
            "values": np.tile(job.match.values, (number, 1)),
            "score": np.arange(number) % 2.0,
            "seconds": np.ones(number),
        }


def plan_of(points: int = 3, test_games: int = 8) -> TuningPlan:
    rule, simulations, values = CONDITIONS.rule, CONDITIONS.simulations, CONDITIONS.values
    space = knot_space(rule, simulations, values)
    player, opponent = tuned_player(rule, simulations, values), standard_player(simulations, values)
    return TuningPlan(player, space, opponent, CONDITIONS.games, points, test_games, None, CONDITIONS.seed)


@contextlib.contextmanager
def opened(folder: Path, plan: TuningPlan, conditions: KnotConditions = CONDITIONS) -> Iterator[Tuning]:
    openings = generate_openings((plan.games + plan.test_games) // 2, 9, (2, 4), 1)
    with contextlib.ExitStack() as stack:
        yield Tuning(plan, KnotGames(plan, conditions, openings, folder, stack), folder)


def play(folder: Path, plan: TuningPlan, tables: MadeUpPieces) -> Tuning:
    with opened(folder, plan) as tuning:
        play_tuning(tuning, tables, lambda: None)
    return tuning


def test_a_point_has_pieces_of_its_own_and_the_test_has_others(tmp_path: Path) -> None:
    tables = MadeUpPieces()
    tuning = play(tmp_path, plan_of(), tables)
    assert list(load_pieces(tmp_path)) == PIECES
    assert [job.match.rows_of(job.piece) for job in tables.jobs] == [4, 2, 4, 2, 4, 2, 4, 4]
    run = read_run(tmp_path)
    assert run is not None and run.results["point"].tolist() == [1] * 6 + [2] * 6 + [3] * 6 + [-3] * 8
    assert tuning.tally == (26, 0, 0, 26.0)
    matches = [job.match for job in tables.jobs if isinstance(job.match, KnotMatch)]
    assert not set(matches[0].openings) & set(matches[-1].openings)
    assert tuning.test is not None and tuning.test.pairs == [[0.0, 1.0]] * 4


def test_a_tuning_that_was_cut_off_goes_on_where_it_was(tmp_path: Path) -> None:
    play(tmp_path, plan_of(), MadeUpPieces(stop_after=3))
    kept, points = set(load_pieces(tmp_path)), (tmp_path / POINTS_FILE).read_text()
    assert len(kept) == 3
    tables = MadeUpPieces()
    tuning = play(tmp_path, plan_of(), tables)
    assert [job.piece for job in tables.jobs] == [piece for piece in PIECES if piece not in kept]
    assert (tmp_path / POINTS_FILE).read_text().startswith(points[: points.index("]]")])
    assert tuning.tally.games == 26
    tables = MadeUpPieces()
    assert play(tmp_path, plan_of(test_games=10), tables).tally.games == 28
    assert [job.piece for job in tables.jobs] == [2_003_002]


def test_games_that_did_not_end_say_nothing(tmp_path: Path) -> None:
    with opened(tmp_path, plan_of()) as tuning:
        found = tuning.next_job()
        assert found is not None
        trial, job = found
        scores = np.array([1.0, np.nan, np.nan, np.nan])
        trial.keep(job, {"score": scores, "seconds": np.ones(4), "point": np.ones(4), "values": np.ones((4, 6))})
        assert trial.pairs == [[1.0]] and trial.tally == (4, 0, 3, 4.0)


def test_processes_play_what_is_played_here(tmp_path: Path) -> None:
    with opened(tmp_path, plan_of()) as tuning:
        jobs = [found[1] for _ in range(2) if (found := tuning.next_job())]
        tables = make_piece_tables("local", 2)
        with contextlib.closing(tables):
            played = [tables.report_of(future) for future in [tables.submit(job) for job in jobs]]
    for job, results in zip(jobs, played, strict=True):
        here = play_piece(job)
        assert here["seconds"].min() > 0.0
        assert set(here) == {"seconds", "point", "values", "score", "plays_black", "length", "moves"}
        for name in set(here) - {"seconds"}:
            np.testing.assert_array_equal(here[name], results[name])


def test_what_a_folder_cannot_have_is_named(tmp_path: Path) -> None:
    play(tmp_path, plan_of(), MadeUpPieces(stop_after=1))
    other = KnotConditions("softmax", 3, "unit", games=6, komi=7.0, together=2, seed=1)
    with (
        pytest.raises(ValueError, match="holds another experiment .simulations differ."),
        opened(tmp_path, plan_of(), other),
    ):
        pass
    with (
        pytest.raises(ValueError, match="no point or test has more than 4,000 games"),
        opened(tmp_path / "new", plan_of(test_games=4002)),
    ):
        pass
    assert not (tmp_path / "new").exists()


@pytest.fixture(name="script")
def _script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    script = load_script("keep_run")
    monkeypatch.setattr(script, "KEPT", tmp_path / "kept")
    return script


def test_a_kept_tuning_goes_on(tmp_path: Path, script: ModuleType) -> None:
    run, kept, copy = tmp_path / "run", tmp_path / "kept" / "knots", tmp_path / "copy"
    play(run, plan_of(), MadeUpPieces(stop_after=3))
    assert script.keep_run(run, "knots") == 3
    shutil.copytree(kept, copy)
    tables = MadeUpPieces()
    play(copy, plan_of(), tables)
    assert len(tables.jobs) == 5
    assert script.keep_run(copy, "knots") == script.keep_run(run, "knots") == 8
    assert (kept / POINTS_FILE).read_bytes() == (copy / POINTS_FILE).read_bytes()


def test_other_points_are_not_mixed_with_those_that_are_kept(tmp_path: Path, script: ModuleType) -> None:
    play(tmp_path / "run", plan_of(), MadeUpPieces(stop_after=3))
    script.keep_run(tmp_path / "run", "knots")
    other = tmp_path / "other"
    play(other, plan_of(), MadeUpPieces())
    text = (other / POINTS_FILE).read_text()
    (other / POINTS_FILE).write_text(text.replace("[[", "[[-5.0, -5.0, -5.0, -5.0, -5.0, -5.0], [", 1))
    with pytest.raises(ValueError, match="has other points than"):
        script.keep_run(other, "knots")
    assert len(load_pieces(tmp_path / "kept" / "knots")) == 3
