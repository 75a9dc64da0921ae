"""What the tables, files and plot of a round robin say."""

import csv
import json
import math
import re
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from miai.match.engines import Effort
from miai.match.results import GameResult
from miai.match.standings import Pairing, Standings, add_up
from miai.match.standings_report import render_standings, shorten, write_report
from miai.match.summary import Tally

LABELS = ["alpha", "beta", "gamma"]


def game(number: int, winner: str | None, **fields: object) -> GameResult:
    efforts = {"A": Effort(10, 1.0, 0.5, 10, 1_000), "B": Effort(10, 4.0, 2.0)}
    moves = ["E5", f"D{number}", str(winner), "pass", "pass"]
    played = GameResult(number, "AB"[(number + 1) % 2], winner, "B+5", "score", moves=moves, efforts=efforts)
    return replace(played, **fields)  # type: ignore[arg-type]


def play(first: int, second: int, winners: str, *apart: GameResult, planned: int = 8) -> Pairing:
    """Return a pairing's games: `A`, `B` or `=` for each."""
    names = {"A": "A", "B": "B", "=": "draw"}
    games = [game(number, names[letter]) for number, letter in enumerate(winners, start=1)]
    return Pairing(first, second, planned, [*games, *apart])


def round_robin(anchor: int | None = None) -> Standings:
    forfeit = game(7, "A", ending="forfeit", failed_side="B", failure="crash", reason="because")
    void = game(8, None, ending="void", reason="move limit of 9 reached")
    pairings = [
        play(0, 1, "ABBB=B", forfeit, void),
        play(0, 2, "AAABAA"),
        play(1, 2, "AAABAABA"),
    ]
    return add_up(LABELS, {"beta": "Fake 1"}, pairings, anchor)


def test_contestants_are_ranked_by_all_their_games() -> None:
    standings = round_robin()
    assert standings.ranking == [1, 0, 2]
    alpha, beta, gamma = (standing.tally for standing in standings.contestants)
    assert (alpha.wins, alpha.draws, alpha.losses) == (6, 1, 5)
    assert (beta.wins, beta.draws, beta.losses) == (10, 1, 3)
    assert (gamma.wins, gamma.draws, gamma.losses) == (3, 0, 11)
    assert standings.tally(1, 0).score == pytest.approx(4.5 / 6)
    assert sum(standing.elo.value for standing in standings.contestants if standing.elo) == pytest.approx(0.0)


def test_forfeits_and_voids_stay_apart() -> None:
    standings = round_robin()
    assert standings.contestants[1].player.failures == {"crash": 1, "timeout": 0, "illegal": 0, "error": 0}
    assert standings.voids == {"move limit of 9 reached": 1}
    assert (standings.finished, standings.planned) == (22, 24)
    without = [play(0, 1, "ABBB=B"), play(0, 2, "AAABAA"), play(1, 2, "AAABAABA")]
    assert [standing.elo for standing in add_up(LABELS, {}, without).contestants] == [
        standing.elo for standing in standings.contestants
    ]


def test_efforts_are_means_over_all_pairings() -> None:
    alpha, beta, gamma = (standing.player for standing in round_robin().contestants)
    assert (alpha.seconds_per_move, beta.seconds_per_move) == pytest.approx((0.1, 0.25))
    assert (alpha.simulations_per_move, gamma.simulations_per_move) == (100.0, None)


def render_tables(standings: Standings, conditions: str) -> str:
    """Return the report's tables with one space between texts, however wide the columns are."""
    return re.sub(" +", " ", render_standings(standings, conditions))


def test_the_tables_tell_it_all() -> None:
    text = render_tables(round_robin(), "9x9, komi 7")
    for words in (
        "9x9, komi 7; 22 of 24 games finished",
        "| # | contestant | Elo | 95 % interval | games | wins | draws | losses | score |",
        "| 1 | beta |",
        "| 14 | 10 | 1 | 3 | 75.0% |",
        "0 is the mean of all.",
        "Score of row against column in percent, and games:",
        "| 1 | beta | | 75.0 (6) | 75.0 (8) |",
        "| 3 | gamma | 25.0 (8) | 16.7 (6) | |",
        "| crashes | 1 | 0 | 0 |",
        "| simulations per move | 100 | 100 | – |",
        "- 1 game was forfeited and left out of scores and ratings.",
        "- 1 game was void: move limit of 9 reached.",
        "- 1 is Fake 1.",
    ):
        assert words in text, text


def test_the_number_of_games_is_told_once_where_it_is_the_same_for_all() -> None:
    text = render_tables(add_up(LABELS, {}, [play(0, 1, "AA"), play(0, 2, "AB"), play(1, 2, "AA")]), "")
    assert "Score of row against column in percent, of 2 games each:" in text
    assert "| 1 | alpha | | 100.0 | 50.0 |" in text


def test_the_anchor_is_zero_without_an_interval() -> None:
    text = render_tables(round_robin(anchor=0), "")
    assert "| 2 | alpha | +0 | – |" in text
    assert "0 is alpha, intervals are of the difference to it." in text


def test_an_anchor_without_a_game_that_counts_is_none() -> None:
    standings = add_up(LABELS, {}, [play(0, 1, "AB"), play(0, 2, ""), play(1, 2, "")], anchor=2)
    assert standings.anchor is None
    text = render_tables(standings, "")
    assert "| 3 | gamma | – | – | 0 | 0 | 0 | 0 | – |" in text
    assert "0 is the mean of all" in text


def test_files_hold_what_the_tables_say(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    files = write_report(round_robin(), "9x9, komi 7", "miai round-robin …", tmp_path)
    assert sorted(files) == sorted(path.name for path in tmp_path.iterdir())
    text = (tmp_path / "ratings.md").read_text()
    assert text.startswith("# Round robin of 3 contestants\n\n```\nmiai round-robin …\n```\n\n9x9, komi 7; 22 of 24")
    record = json.loads((tmp_path / "ratings.json").read_text())
    assert [contestant["label"] for contestant in record["contestants"]] == ["beta", "alpha", "gamma"]
    assert record["pairings"][0]["total"] == {"wins": 1, "draws": 1, "losses": 4}
    assert list(csv.reader((tmp_path / "pairings.csv").read_text().splitlines()))[:2] == [
        ["a", "b", "planned", "a_wins", "draws", "b_wins", "a_forfeits", "b_forfeits", "void"],
        ["alpha", "beta", "8", "1", "1", "4", "0", "1", "1"],
    ]
    assert (tmp_path / "ratings.png").read_bytes().startswith(b"\x89PNG")


def test_intervals_without_end_are_written_and_drawn(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    standings = add_up(["$a$", "b|c"], {}, [play(0, 1, "AAAA")])
    assert standings.contestants[0].elo is not None
    assert standings.contestants[0].elo.high == math.inf
    assert "ratings.png" in write_report(standings, "", "", tmp_path)
    assert re.search(r"\| +at least [+-]\d+ \|", (tmp_path / "ratings.md").read_text())
    assert "∞" not in (tmp_path / "ratings.md").read_text()
    assert "b\\|c" in (tmp_path / "ratings.md").read_text()
    assert json.loads((tmp_path / "ratings.json").read_text())["contestants"][0]["elo"]["high"] is None


def test_without_matplotlib_all_but_the_plot_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    assert write_report(round_robin(), "", "", tmp_path) == ["ratings.md", "ratings.json", "pairings.csv"]


def test_before_the_first_game_there_are_tables(tmp_path: Path) -> None:
    standings = add_up(LABELS, {}, [play(0, 1, ""), play(0, 2, ""), play(1, 2, "")])
    assert "0 of 24 games finished" in render_standings(standings, "")
    assert "ratings.png" not in write_report(standings, "", "", tmp_path)


def test_two_that_never_met_have_no_score() -> None:
    standings = add_up(LABELS, {}, [play(0, 2, "AABA"), play(1, 2, "AABB")])
    assert standings.tally(0, 1) == standings.tally(1, 0) == Tally()
    assert re.search(r"alpha +\| +\| +– +\| 75.0", render_standings(standings, ""))


def test_long_labels_keep_both_ends() -> None:
    assert shorten("gnugo --level 1", 20) == "gnugo --level 1"
    assert shorten("gnugo --mode gtp --level 10", 15) == "gnugo -…evel 10"
