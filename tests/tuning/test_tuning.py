"""A tuning in its folder: points, games kept and taken up again, the optimum and its test. No engine plays."""

import contextlib
import json
import os
import random
from collections.abc import Iterator
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("botorch")

from miai.match.contestants import read_contestant
from miai.match.engines import Effort
from miai.match.match_options import MatchOptions
from miai.match.openings import generate_openings
from miai.match.results import GameResult, MatchFolderError
from miai.match.tables import MatchAborted
from miai.tuning.engine_games import EngineConditions, EngineGames, MatchTrial
from miai.tuning.progress import play_tuning
from miai.tuning.search_space import SearchSpace, TunedParameter
from miai.tuning.tables import GameJob, GameReport
from miai.tuning.tuning import Tally, Tuning, TuningPlan, observe

C0 = SearchSpace((TunedParameter("puct.c0", 0.0, 2.0),))
BATCH = SearchSpace((TunedParameter("batch", 1, 3, is_integer=True),))


class MadeUpTables:
    """Tables at which c0 = 1.5 wins 80 %, and others the less the farther they are off; nobody plays."""

    def __init__(self, num_tables: int = 2, stop_after: int | None = None, fail: bool = False) -> None:
        self.num_tables = num_tables
        self.jobs: list[Any] = []
        self.is_closed = False
        self._stop_after = stop_after
        self._fail = fail

    def check(self, job: object) -> None:
        """Start no engine."""
        assert not self.jobs

    def submit(self, job: Any) -> "Future[Any]":
        self.jobs.append(job)
        future: Future[Any] = Future()
        future.set_result(self._make_up(job))
        return future

    def report_of(self, future: "Future[Any]") -> Any:
        if self._stop_after is not None:
            self._stop_after -= 1
            if self._stop_after < 0:
                raise KeyboardInterrupt
        return future.result()

    def close(self) -> None:
        self.is_closed = True

    def _make_up(self, job: Any) -> Any:
        assert isinstance(job, GameJob)
        options = job.contestants["A"].options
        assert options is not None
        chance = 0.8 - 0.4 * abs(float(options.parameters["puct.c0"]) - 1.5)
        won = random.Random(job.game.seed_of("A", job.settings.seed)).random() < chance
        result = GameResult(
            job.game.number, job.game.black, "A" if won else "B", "B+1", "score", efforts={"A": Effort(1, 1.0)}
        )
        if self._fail:
            result = GameResult(job.game.number, job.game.black, "B", "W+Forfeit", "forfeit", "crashed", "A", "crash")
        return GameReport(result, b"(;)")


def plan_of(
    points: int = 6, games: int = 20, test_games: int = 40, space: SearchSpace = C0, seed: int = 1
) -> TuningPlan:
    first = (0.7,) if space is C0 else (2,)
    return TuningPlan("net", space, "net", games, points, test_games, first, seed)


@contextlib.contextmanager
def opened(folder: Path, plan: TuningPlan) -> Iterator[Tuning]:
    openings = generate_openings((plan.games + plan.test_games) // 2, 7, (2, 4), 1)
    settings = MatchOptions(game_settings={"size": 7}).settings
    conditions = EngineConditions(read_contestant("net"), settings, "openings", None)
    with contextlib.ExitStack() as stack:
        yield Tuning(plan, EngineGames(plan, conditions, openings, folder, stack), folder)


def play(folder: Path, plan: TuningPlan, tables: MadeUpTables) -> tuple[bool, Tuning]:
    with opened(folder, plan) as tuning:
        return play_tuning(tuning, tables, lambda: None), tuning


def test_the_optimum_is_found_and_tested_with_other_openings(tmp_path: Path) -> None:
    tables = MadeUpTables()
    is_done, tuning = play(tmp_path, plan_of(points=8, games=60), tables)
    assert is_done and tables.is_closed
    assert len(tables.jobs) == tuning.tally.games == 8 * 60 + 40
    assert tuning.trials[0].values == (0.7,), "the player as it is comes first"
    assert tuning.test is not None and tuning.test.values[0] == pytest.approx(1.5, abs=0.35)
    seen = {job.game.opening for job in tables.jobs[:480]}
    fresh = {job.game.opening for job in tables.jobs[480:]}
    assert len(seen) == 30 and len(fresh) == 20 and not seen & fresh
    assert len({job.settings.seed for job in tables.jobs}) == 9, (
        "engines have random numbers of their own at each point"
    )
    assert len({trial.values for trial in tuning.trials}) == 8


def test_a_tuning_that_was_cut_off_goes_on_where_it_was(tmp_path: Path) -> None:
    for stop_after in (7, 25, 1):
        is_done, tuning = play(tmp_path, plan_of(), MadeUpTables(3, stop_after))
        assert not is_done
    assert [trial.tally.games for trial in tuning.trials] == [20, 13]
    kept = [trial.values for trial in tuning.trials]
    before = {file: file.read_bytes() for file in tmp_path.rglob("results.jsonl")}
    tables = MadeUpTables(3)
    is_done, tuning = play(tmp_path, plan_of(), tables)
    assert is_done and len(tables.jobs) == 6 * 20 + 40 - 33
    assert [trial.values for trial in tuning.trials][:2] == kept
    for file, content in before.items():
        assert file.read_bytes().startswith(content)
    for trial in tuning.trials:
        assert isinstance(trial, MatchTrial)
        assert sorted(result.number for result in trial.results) == list(range(1, 21))
    tables = MadeUpTables()
    assert play(tmp_path, plan_of(), tables)[0] and tables.jobs == []


def test_a_line_cut_short_by_a_kill_is_played_again(tmp_path: Path) -> None:
    play(tmp_path, plan_of(), MadeUpTables(1, 30))
    file = tmp_path / "points" / "002" / "results.jsonl"
    os.truncate(file, file.stat().st_size - 10)
    is_done, tuning = play(tmp_path, plan_of(), MadeUpTables())
    assert is_done and tuning.tally.games == 160


def test_more_points_and_test_games_add_to_what_is_there(tmp_path: Path) -> None:
    _, small = play(tmp_path, plan_of(points=3), MadeUpTables())
    tables = MadeUpTables()
    _, large = play(tmp_path, plan_of(points=5, test_games=60), tables)
    assert [trial.values for trial in large.trials[:3]] == [trial.values for trial in small.trials]
    assert len(tables.jobs) == 2 * 20 + 60
    tables = MadeUpTables()
    _, again = play(tmp_path, plan_of(points=3), tables)
    assert tables.jobs == [] and small.test and again.test and again.test.values == small.test.values


def test_more_tables_than_games_of_a_point_work_at_several_points(tmp_path: Path) -> None:
    tables = MadeUpTables(num_tables=50)
    with opened(tmp_path, plan_of()) as tuning:
        found = [tuning.next_job() for _ in range(50)]
        assert all(found) and len(tuning.trials) == 3
        assert len({(one[0].values, one[1].game.number) for one in found if one}) == 50
    is_done, tuning = play(tmp_path, plan_of(), tables)
    assert is_done and tuning.tally.games == 160


def test_values_that_there_are_no_more_of_end_the_search(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def draw(self: MadeUpTables, job: GameJob) -> GameReport:
        result = GameResult(job.game.number, job.game.black, "A" if job.game.number % 3 else "B", "B+1", "score")
        return GameReport(result, b"(;)")

    monkeypatch.setattr(MadeUpTables, "_make_up", draw)
    is_done, tuning = play(tmp_path, plan_of(space=BATCH), MadeUpTables())
    assert is_done and tuning.is_exhausted
    assert sorted(trial.values for trial in tuning.trials) == [(1,), (2,), (3,)]
    assert tuning.tally.games == tuning.num_games == 3 * 20 + 40


def test_the_last_whole_number_is_found(tmp_path: Path) -> None:
    space = SearchSpace((TunedParameter("batch", 4, 32, is_integer=True),))
    with opened(tmp_path, plan_of(space=space)) as tuning:
        for value in range(4, 33):
            if value != 31:
                tuning._add_trial((value,))
        assert tuning._nearest_new(np.array([0.0]), np.random.default_rng(1)) == (31,)
        tuning._add_trial((31,))
        assert tuning._nearest_new(np.array([0.0]), np.random.default_rng(1)) is None


def test_games_that_the_tuned_player_forfeits_are_lost(tmp_path: Path) -> None:
    with opened(tmp_path, plan_of()) as tuning:
        job = tuning.next_job()
        assert job
        trial = job[0]
        assert isinstance(trial, MatchTrial)
        for number, (winner, failed) in enumerate((("B", "A"), ("A", "B")), start=1):
            result = GameResult(number, "A", winner, "W+Forfeit", "forfeit", "too slow", failed, "timeout")
            trial.folder.append(result, b"")
        assert trial.pairs == [[0.0]]
        assert trial.tally == Tally(2, 1, 1, 0.0) == tuning.tally


def test_a_player_that_fails_game_after_game_ends_it(tmp_path: Path) -> None:
    tables = MadeUpTables(1, fail=True)
    with pytest.raises(MatchAborted, match="engine A failed in 10 games in a row, at last in game 10: crashed"):
        play(tmp_path, plan_of(), tables)
    assert tables.is_closed


def test_a_folder_of_another_tuning_or_one_in_use_is_refused(tmp_path: Path) -> None:
    play(tmp_path, plan_of(), MadeUpTables(1, 3))
    with pytest.raises(MatchFolderError, match="holds another tuning .games differ.: choose another --output"):
        play(tmp_path, plan_of(games=40), MadeUpTables())
    with pytest.raises(MatchFolderError, match="parameters differ"):
        play(tmp_path, plan_of(space=BATCH), MadeUpTables())
    with opened(tmp_path, plan_of()), pytest.raises(MatchFolderError, match="is in use by another miai tune"):
        play(tmp_path, plan_of(), MadeUpTables())
    for content in (
        "{",
        "[]",
        '{"points": [[1, 2]], "optima": {}}',
        '{"points": [["a"]], "optima": {}}',
        '{"points": 3}',
    ):
        (tmp_path / "points.json").write_text(content)
        with pytest.raises(MatchFolderError, match="points.json is damaged"):
            play(tmp_path, plan_of(), MadeUpTables())
    (tmp_path / "tuning.json").write_text("none")
    with pytest.raises(MatchFolderError, match="tuning.json is damaged"):
        play(tmp_path, plan_of(), MadeUpTables())


def test_points_are_on_the_disk_before_their_games(tmp_path: Path) -> None:
    with opened(tmp_path, plan_of()) as tuning:
        tuning.next_job()
        assert json.loads((tmp_path / "points.json").read_text()) == {"points": [[0.7]], "optima": {}}


def test_the_variance_of_a_score_is_that_of_its_pairs() -> None:
    split, whole = [[1.0, 0.0]] * 50, [[1.0, 1.0], [0.0, 0.0]] * 25
    told = [observe((0.5,), pairs) for pairs in (split, whole)]
    assert [one.score for one in told] == [0.5, 0.5]
    assert told[0].variance < 0.25 / 100 < told[1].variance
    assert 0.0 < observe((0.5,), [[1.0, 1.0]] * 5).variance < 0.05
