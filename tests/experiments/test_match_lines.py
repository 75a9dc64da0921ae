"""Lines of matches in pieces: what is scored, what is told of games that are not, and that they go on."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from miai.experiments.matches.line_report import LineScore, scores_of_lines, unscored_games
from miai.experiments.matches.match_lines import (
    BLOCK,
    MatchLine,
    MatchLinesPlan,
    check_programs,
    close_engines,
    pick_lines,
)
from miai.experiments.running.pieces import Results, load_results, pieces_of
from miai.experiments.running.progress import run_with_bar
from miai.experiments.running.workers import LocalPieceWorkers, PiecesFailed

FAKE = Path(__file__).parents[1] / "match" / "fake_engine.py"


def fake(*script: str) -> str:
    """Return the command line of an engine with a script; it passes behind its end."""
    return " ".join([sys.executable, str(FAKE), *script])


def plan_of(*lines: MatchLine, **changes: Any) -> MatchLinesPlan:
    fields: dict[str, Any] = {
        "experiment": "test",
        "lines": lines,
        "chosen": tuple(line.name for line in lines),
        "games": 2,
        "rules": "tromp-taylor",
        "counting": "twogtp",
        "seed": 0,
    }
    return MatchLinesPlan(**(fields | changes))


@pytest.fixture(autouse=True)
def _no_engine_stays() -> Iterator[None]:
    yield
    close_engines()


WINS = MatchLine("wins", fake("E5"), fake("pass"), 0.5)
"""The first one has a stone; whoever passes has the komi."""
CRASHES = MatchLine("crashes", fake("pass"), fake("crash"), 7.0)


def test_a_pair_has_both_colours_and_the_first_contestants_score() -> None:
    played = plan_of(WINS).run_piece(0)
    assert played["score"].tolist() == [1.0, 1.0] and played["plays_black"].tolist() == [True, False]
    assert played["moves"][0, :3].tolist() == [40, 81, 81] and played["moves"][1, :3].tolist() == [81, 40, 81]
    assert played["length"].tolist() == [3, 4] and played["ending"].tolist() == ["score", "score"]
    assert (played["moves_A"] == 2).all() and (played["seconds"] > 0).all()


def test_a_peer_that_breaks_is_told_and_not_scored() -> None:
    plan = plan_of(CRASHES)
    score = scores_of_lines(plan, plan.run_piece(0))["crashes"]
    assert score.games == 0 and score.forfeits == (0, 2) and np.isnan(score.rate)
    told = unscored_games({"crashes": score})
    assert "2 forfeited by the second" in told and "2 × crash" not in told and "genmove" in told
    assert score.show() == "no games"


def test_who_oversteps_the_clock_of_a_game_forfeits_it() -> None:
    slow = fake("E5", "D5", "C5", "--delay", "0.8")
    plan = plan_of(MatchLine("clock", slow, fake("pass"), 7.0, seconds=1))
    played = plan.run_piece(0)
    assert played["failed"].tolist() == ["A", "A"] and np.isnan(played["score"]).all()
    assert all("overstepped its time" in reason for reason in played["reason"])


def test_a_peer_that_always_breaks_ends_the_run_with_its_name() -> None:
    plan = plan_of(CRASHES, games=20)
    with pytest.raises(PiecesFailed, match=r"fake_engine.py crash failed in 10 games in a row"):
        for piece in pieces_of(plan):
            plan.run_piece(piece)


def test_a_program_that_cannot_play_is_told_before_any_game() -> None:
    assert list(check_programs(plan_of(WINS)).values()) == ["Fake 1", "Fake 1"]
    with pytest.raises(PiecesFailed, match="false"):
        check_programs(plan_of(MatchLine("ends", "false", fake(), 7.0)))
    with pytest.raises(ValueError, match="neither a preset"):
        MatchLine("none", "nobody-at-all", fake(), 7.0).contestants()


def test_more_games_or_lines_leave_the_pieces_as_they_are() -> None:
    few, many = plan_of(WINS, CRASHES, chosen=("wins",), games=6), plan_of(WINS, CRASHES, games=46)
    assert few.signature() == many.signature()
    assert set(pieces_of(few)) < set(pieces_of(many))
    assert [few.place_of(piece) for piece in pieces_of(few)] == [(0, pair) for pair in range(3)]
    assert sum(map(many.rows_of, pieces_of(many))) == 2 * 46
    places = [many.place_of(piece)[0] for piece in pieces_of(many)]
    assert places == [0] * BLOCK + [1] * BLOCK + [0] * BLOCK + [1] * BLOCK + [0] * 3 + [1] * 3
    assert pick_lines(few.lines, ["crashes", "wins"]) == ("wins", "crashes") == pick_lines(few.lines, [])
    assert pick_lines(few.lines, [], ["crashes"]) == ("crashes",)


def test_a_run_goes_on_where_it_was_stopped(tmp_path: Path) -> None:
    run_with_bar(plan_of(WINS), tmp_path, LocalPieceWorkers(1), "game")
    kept = next((tmp_path / "pieces").iterdir()).stat().st_mtime_ns
    longer = plan_of(WINS, games=6)
    run_with_bar(longer, tmp_path, LocalPieceWorkers(2), "game")
    assert min(file.stat().st_mtime_ns for file in (tmp_path / "pieces").iterdir()) == kept
    assert len(load_results(longer, tmp_path)["score"]) == 6


def results_of(scores: list[float], same: bool = False) -> Results:
    """Return made-up games of the first line."""
    number = len(scores)
    moves = np.full((number, 9), -1, dtype=np.int16)
    moves[:, 0] = 40 if same else np.arange(number)
    moves[:, 1] = 3
    columns = {f"{name}_{side}": np.full(number, 10.0) for side in "AB" for name in ("moves", "seconds", "counted")}
    return {
        "line": np.zeros(number, dtype=np.int16),
        "score": np.array(scores),
        "plays_black": np.arange(number) % 2 == 0,
        "ending": np.where(np.isfinite(scores), "score", "void"),
        "failed": np.full(number, ""),
        "reason": np.where(np.isfinite(scores), "", "move limit"),
        "moves": moves,
        **columns,
        "simulations_A": np.full(number, 500.0),
        "simulations_B": np.zeros(number),
    }


def test_draws_are_half_and_void_games_and_repeated_ones_are_left_out() -> None:
    nan = float("nan")
    score = scores_of_lines(plan_of(WINS), results_of([1.0, 0.5, 0.0, nan]))["wins"]
    assert score[:4] == (3, 1, 1, 1) and score.rate == 0.5 and score.void == 1 and score.reasons == ("1 × move limit",)
    again = scores_of_lines(plan_of(WINS), results_of([1.0, 0.0, 1.0, 1.0], same=True))["wins"]
    assert (again.games, again.duplicates, again.rate) == (2, 2, 0.5)
    assert "2 the same as an earlier one" in unscored_games({"wins": again})
    # 500 simulations were told for 10 moves of 10
    assert score.simulations[0] == 500.0


def test_pairs_that_openings_decide_say_more_than_independent_games() -> None:
    results = results_of([1.0, 0.0] * 20)
    independent, paired = (
        scores_of_lines(plan_of(WINS, counting=counting), results)["wins"] for counting in ("twogtp", "pairs")
    )
    assert independent.effect == 1.0 and paired.effect < 0.2
    low, high = independent.interval
    assert low < paired.interval[0] < 0.5 < paired.interval[1] < high
    assert paired.chance_of_even() == pytest.approx(1.0)


def score_of(wins: int, games: int) -> LineScore:
    return LineScore(games, wins, 0, games - wins, 1.0, 0, 0, (0, 0), (), (1.0, 1.0), (1.0, 1.0))


def test_a_difference_is_chance_or_not() -> None:
    z, p = score_of(50, 200).compare(0.25, 400)
    assert z == pytest.approx(0.0) and p == pytest.approx(1.0)
    z, p = score_of(80, 200).compare(0.25, 400)
    # pooled 0.3: 0.15/sqrt(0.21·(1/200 + 1/400))
    assert z == pytest.approx(3.78, abs=0.01) and p == pytest.approx(1.57e-4, rel=0.01)
    assert score_of(120, 200).chance_of_even() == pytest.approx(0.0047, abs=1e-4)
