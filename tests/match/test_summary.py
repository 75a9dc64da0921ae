"""What the table of a match says."""

import math
import re
from dataclasses import replace
from itertools import count

import pytest

from miai.match.engines import Effort
from miai.match.results import GameResult
from miai.match.statistics import Interval, SequentialTest
from miai.match.summary import MatchSummary, apply_test, summarise
from miai.match.table import describe_elo, render_progress, render_table

LABELS = {"A": "one", "B": "other"}
_moves = count()


def game(number: int, winner: str | None, result: str = "B+5", **fields: object) -> GameResult:
    played = GameResult(
        number, "AB"[(number + 1) % 2], winner, result, "score", moves=["E5", f"D{next(_moves)}", "pass", "pass"]
    )
    return replace(played, **fields)  # type: ignore[arg-type]


def forfeit(number: int, side: str, kind: str) -> GameResult:
    return game(number, "AB".replace(side, ""), ending="forfeit", failed_side=side, failure=kind, reason="because")


def add_up(*results: GameResult, planned: int = 10, test: SequentialTest | None = None) -> MatchSummary:
    return summarise(results, planned, LABELS, {"A": "Fake 1"}, test)


def test_games_are_split_by_colour() -> None:
    summary = add_up(game(1, "A"), game(2, "A"), game(3, "draw"), game(4, "B"))
    assert (summary.total.wins, summary.total.draws, summary.total.losses) == (2, 1, 1)
    assert summary.by_color["black"].score == 0.75
    assert summary.by_color["white"].score == 0.5
    # Black won games 1 (A) and 4 (B), White game 2.
    assert (summary.black.wins, summary.black.draws, summary.black.losses) == (2, 1, 1)
    assert summary.score is not None
    assert summary.score.value == 0.625
    assert summary.complete_pairs == 2


def test_failures_and_voids_are_counted_apart() -> None:
    void = game(5, None, "Void", ending="void", reason="move limit of 9 reached")
    summary = add_up(game(1, "A"), forfeit(2, "A", "timeout"), forfeit(3, "B", "crash"), void)
    assert summary.total.games == 1
    assert summary.forfeits == 2
    assert summary.voids == {"move limit of 9 reached": 1}
    assert summary.sides["A"].failures == {"crash": 0, "timeout": 1, "illegal": 0, "error": 0}
    assert summary.sides["B"].failures["crash"] == 1
    assert summary.finished == 4
    assert summary.score_with_forfeits is not None
    assert summary.score_with_forfeits.value == pytest.approx(2 / 3)


def test_claims_that_differ_from_the_referee_are_counted() -> None:
    summary = add_up(
        game(1, "A", "B+5", claimed_results={"A": "B+5.0", "B": "b+4"}),
        game(2, "A", "W+2.5", claimed_results={"A": "W+2.5", "B": "B+0.5"}),
        game(3, "draw", "0", claimed_results={"A": "0", "B": "W+1"}),
        game(4, "A", "W+Resign", ending="resignation", claimed_results={}),
        game(5, "A", "B+5", claimed_results={"B": "I don't know"}),
    )
    assert (summary.sides["A"].winner_disputes, summary.sides["A"].score_disputes) == (0, 0)
    assert (summary.sides["B"].winner_disputes, summary.sides["B"].score_disputes) == (2, 1)


def test_efforts_are_means_over_all_moves() -> None:
    efforts = {"A": Effort(10, 2.0, 0.5, 10, 1_000), "B": Effort(5, 5.0, 2.0)}
    summary = add_up(game(1, "A", efforts=efforts), game(2, "A", efforts=efforts))
    assert summary.sides["A"].seconds_per_move == pytest.approx(0.2)
    assert summary.sides["A"].simulations_per_move == pytest.approx(100)
    assert summary.sides["B"].effort.longest == 2.0
    assert summary.sides["B"].simulations_per_move is None


def test_clocks_are_told_of_where_there_were_any() -> None:
    efforts = {"A": Effort(10, 8.0), "B": Effort(10, 2.0)}
    assert "clock" not in render_table(add_up(game(1, "A", efforts=efforts)), "")
    efforts["A"].add_clock(0.8, 2.5)
    other = {"A": Effort(), "B": Effort()}
    other["A"].add_clock(0.6, -0.25)
    table = render_table(add_up(game(1, "A", efforts=efforts), game(2, "A", efforts=other)), "")
    assert re.search(r"time used of the clock +70.0% +–", table)
    assert re.search(r"least time left, seconds +-0.25 +–", table)


def test_identical_games_are_counted() -> None:
    moves = ["E5", "pass", "pass"]
    summary = add_up(game(1, "A", moves=moves), game(2, "B", moves=moves), game(3, "A"))
    assert summary.identical_games == 1
    assert "1 game has the same moves" in render_table(summary, "")


def test_the_test_looks_at_openings_in_order_and_waits_for_slow_games() -> None:
    test = SequentialTest(0.0, 200.0)
    late = [game(number, "A") for number in range(3, 101)]
    assert apply_test(late, test).num_pairs == 0
    assert apply_test([game(1, "A"), *late], test).num_pairs == 0
    decided = apply_test([*late, game(1, "A"), game(2, "A")], test)
    assert decided.accepted == "elo1"


def test_the_table_tells_it_all() -> None:
    test = SequentialTest(0.0, 200.0)
    results = [game(number, "A" if number % 4 else "draw", "B+5" if number % 4 else "0") for number in range(1, 61)]
    void = game(61, None, "Void", ending="void", reason="move limit of 9 reached")
    summary = add_up(*results, forfeit(62, "B", "illegal"), void, planned=100, test=test)
    table = render_table(summary, "9x9, komi 7", test)
    for words in (
        "A: one (Fake 1)",
        "B: other",
        "9x9, komi 7",
        "A              60    45     15       0   87.5%",
        "A as Black",
        "Elo difference  +338",
        "games finished  62 of 100",
        "illegal moves             0     1",
        "1 game was void: move limit of 9 reached",
        "1 game was forfeited and does not count above",
        "accepted 200 Elo",
        "biased towards the decision",
    ):
        assert words in table, table
    assert render_progress(summary).startswith("A 45–15–0 B 87.5%, 2 apart, LLR +")


def test_a_match_without_a_game_has_a_table() -> None:
    summary = add_up()
    assert "games finished  0 of 10" in render_table(summary, "")
    assert summary.to_json()["score"] is None
    assert render_progress(summary) == "A 0–0–0 B"


@pytest.mark.parametrize(("winner", "words"), [("A", "at least [+-]"), ("B", "at most [+-]")])
def test_a_clean_sweep_bounds_the_elo_difference_on_one_side(winner: str, words: str) -> None:
    table = render_table(add_up(game(1, winner), game(2, winner)), "")
    assert re.search(rf"Elo difference  {words}\d+ \(95% interval\)\n", table)
    assert "inf" not in table and "∞" not in table


def test_elo_differences_are_told_with_what_bounds_them() -> None:
    assert describe_elo(Interval(12.4, -30.2, 54.0)) == "+12 (95% interval -30 to +54)"
    assert describe_elo(Interval(300.0, 166.2, math.inf)) == "+300 (95% interval at least +166)"
    assert describe_elo(Interval(-300.0, -math.inf, -166.2)) == "-300 (95% interval at most -166)"
    assert describe_elo(Interval(0.0, -math.inf, math.inf)) == "+0 (95% interval unbounded)"


def test_a_clean_sweep_has_no_elo_difference_in_json() -> None:
    summary = add_up(game(1, "A"), game(2, "A"))
    record = summary.to_json()
    assert record["elo"]["value"] is None
    assert record["elo"]["low"] is not None
    assert record["sides"]["A"]["seconds_per_move"] is None
