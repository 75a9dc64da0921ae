"""`miai review`: that blunders are found and shown, and that a broken file does not stop the others."""

import contextlib
import os
import re
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from click.testing import CliRunner

from miai.cli.review import command
from miai.cli.review_report import HASHES, describe, describe_players, draw_graph, tabulate_players
from miai.engine.go.diagram import game_from_diagram
from miai.engine.go.game import Game
from miai.engine.go.points import BLACK, PASS, WHITE, move_at
from miai.engine.go.rules import RULES
from miai.engine.go.sgf import GameInfo, load_game, save_game
from miai.players.options import PlayerOptions
from miai.players.player import Player
from miai.players.review import MoveReview, review_game, summarize, worst_moves
from tests.players.test_decision import DEAD_STONES


def review(
    number: int, color: int, move: int, before: float, after: float, variation: tuple[int, ...], points: float = 0.0
) -> MoveReview:
    """Return a judgement on a move that cost so many points."""
    return MoveReview(number, color, move, before, after, variation, 5.0, 5.0 - points)


@pytest.fixture
def thrown_away() -> Game:
    """Return a game that Black would win by taking the white stone, and loses with the first move, a pass."""
    game = game_from_diagram(DEAD_STONES, BLACK, 5.5)
    game.play(BLACK, PASS)
    game.play(WHITE, PASS)
    return game


def test_the_move_that_threw_the_game_away_is_found(thrown_away: Game) -> None:
    player = Player(PlayerOptions(simulations=600, seed=1, memory=16))
    blunder, reply = review_game(player, thrown_away)
    assert (blunder.number, blunder.color, blunder.move) == (1, BLACK, PASS)
    assert blunder.before > 0.9 and blunder.after < 0.1
    assert blunder.variation[0] in {move_at(vertex, 7) for vertex in ("B6", "C6", "C5", "C4")}
    assert (reply.color, reply.after, reply.loss) == (WHITE, 1.0, 0.0)
    assert blunder.points_before > 0.0 > blunder.points_after
    assert reply.points_after == -thrown_away.score() > 0.0
    assert len(thrown_away.moves) == 2


def test_where_dead_stones_come_off_the_pass_that_agrees_costs_nothing(thrown_away: Game) -> None:
    thrown_away.rules = RULES["chinese"]
    player = Player(PlayerOptions(simulations=600, seed=1, memory=16))
    for one in review_game(player, thrown_away):
        assert one.loss < 0.1
        assert (one.points_after > 0.0) == (one.color == BLACK)


def test_a_stopped_review_keeps_the_moves_before_and_not_the_one_under_way(thrown_away: Game) -> None:
    player, stop = Player(PlayerOptions(simulations=50, seed=1, memory=16)), threading.Event()
    assert [one.number for one in review_game(player, thrown_away, stop.set, stop)] == [1]
    endless = Player(PlayerOptions(simulations=1_000_000_000, early_stop=False, seed=1, memory=16))
    stop.clear()
    timer = threading.Timer(0.5, stop.set)
    timer.start()
    assert review_game(endless, thrown_away, stop=stop) == []
    timer.join()


def test_the_worst_moves_come_in_the_order_of_the_game() -> None:
    losses = (0.5, 0.05, 0.2, 0.3)
    moves = [review(number, BLACK, 1, 0.9, 0.9 - loss, (2,)) for number, loss in enumerate(losses, start=1)]
    assert [one.number for one in worst_moves(moves, 2, 0.1)] == [1, 4]
    assert [one.number for one in worst_moves(moves, 9, 0.1)] == [1, 3, 4]
    assert worst_moves([review(1, BLACK, 2, 0.9, 0.1, (2,))], 9, 0.1) == []  # what the search itself would play


def test_a_line_says_who_played_where_and_what_was_better() -> None:
    e5, d4 = move_at("E5", 9), move_at("D4", 9)
    line = describe(review(34, WHITE, d4, 0.62, 0.18, (e5, PASS)), 9)
    assert line == "White 34 D4: 62% before, 18% after; better: E5 pass"


def test_the_command_shows_boards_and_writes_comments(thrown_away: Game, tmp_path: Path) -> None:
    save_game(thrown_away, tmp_path / "game.sgf")
    (tmp_path / "broken.sgf").write_text("nonsense")
    arguments = [str(tmp_path / "broken.sgf"), str(tmp_path / "game.sgf"), "--output", str(tmp_path / "out")]
    ended = CliRunner().invoke(command, [*arguments, "--simulations", "600", "--seed", "1", "--boards"])
    assert ended.exit_code == 1
    assert "broken.sgf: this is no SGF file" in ended.output
    assert "not all games could be reviewed" in ended.output
    assert "7 . X X X O . O 7" in ended.output and "Black 1 pass: " in ended.output
    assert "   50% |" in ended.output and "  Black: 1 move, 0% the best ones; lost" in ended.output
    assert "move/s" not in ended.output
    _, info = load_game(tmp_path / "out" / "game.sgf")
    again = CliRunner().invoke(command, arguments)
    assert again.exit_code == 2 and "would have two files game.sgf" in again.output
    assert info.comments[1].startswith("Black 1 pass: ") and info.comments[2].startswith("White 2 pass: ")


@pytest.mark.parametrize(
    ("arguments", "numbers"),
    [
        (["--min-loss", "0"], ["1", "2"]),
        (["--min-loss", "0", "--worst", "1"], ["1"]),
        (["--min-loss", "0", "--worst", "0"], []),
        (["--min-loss", "1"], []),
    ],
)
def test_so_many_moves_are_shown_as_cost_enough(tmp_path: Path, arguments: list[str], numbers: list[str]) -> None:
    game = Game(7, 5.5)
    for color, vertex in ((BLACK, "A1"), (WHITE, "D4")):
        game.play(color, vertex)
    save_game(game, tmp_path / "game.sgf")
    ended = CliRunner().invoke(command, [str(tmp_path / "game.sgf"), "--simulations", "600", "--seed", "1", *arguments])
    assert ended.exit_code == 0, ended.output
    assert "  Black: 1 move, 0% the best ones; lost" in ended.output
    assert re.findall(r"^  (?:Black|White) (\d+) \w+: ", ended.output, re.MULTILINE) == numbers


def test_a_player_is_told_costs_best_moves_and_the_worst() -> None:
    d4, e5 = move_at("D4", 9), move_at("E5", 9)
    reviews = [
        review(1, BLACK, e5, 0.5, 0.4, (e5,), points=3.0),  # the best: costs nothing, whatever is found after it
        review(2, WHITE, d4, 0.6, 0.55, (d4, e5)),
        review(3, BLACK, d4, 0.6, 0.5, (e5,), points=2.0),
        review(5, BLACK, d4, 0.8, 0.4, (e5,), points=6.0),
        review(7, BLACK, d4, 0.4, 0.5, (e5,), points=-1.0),
    ]
    black = summarize(reviews, BLACK)
    assert black is not None
    assert (black.num_moves, black.best_share, black.worst.number) == (4, 0.25, 5)
    assert black.mean_loss == pytest.approx(0.125) and black.mean_points_lost == pytest.approx(2.0)
    assert describe_players(reviews, 9).splitlines() == [
        "  Black: 4 moves, 25% the best ones; lost 12.5% and 2.0 points a move; worst 5 D4 (40%)",
        "  White: 1 move, 100% the best ones; lost 0.0% and 0.0 points a move",
    ]
    assert summarize(reviews[:1], WHITE) is None


def test_what_moves_cost_a_game_is_added_up_by_player_and_phase() -> None:
    first = [
        review(1, BLACK, 1, 0.5, 0.4, (2,)),
        review(20, BLACK, 1, 0.5, 0.2, (1,)),  # the best
        review(21, BLACK, 1, 0.6, 0.5, (2,)),
        review(99, BLACK, 1, 0.3, 0.1, (2,)),
    ]
    second = [review(2, WHITE, 1, 0.9, 0.6, (2,)), review(61, WHITE, 1, 0.5, 0.7, (2,))]
    assert tabulate_players({"miai": [first, second], "x": [[review(60, BLACK, 1, 0.5, 0.0, (2,))]]}, 81) == (
        "Expected results lost a game, by the number of the move:\n"
        "player   games    best    1-20   21-40   41-60     61-  in all\n"
        "miai         2   16.7%   20.0%    5.0%    0.0%   10.0%   35.0%\n"
        "x            1    0.0%    0.0%    0.0%   50.0%    0.0%   50.0%"
    )
    assert tabulate_players({"a" * 41: [first]}, 81).splitlines()[-1].startswith("a" * 37 + "...       1")


def test_the_table_follows_several_games_of_a_player(thrown_away: Game, tmp_path: Path) -> None:
    for number, (black, white) in enumerate((("A", "B"), ("B", "A")), start=1):
        save_game(thrown_away, tmp_path / f"{number}.sgf", GameInfo(black=black, white=white))
    arguments = ["--simulations", "200", "--seed", "1"]
    both = CliRunner().invoke(command, [str(tmp_path / "1.sgf"), str(tmp_path / "2.sgf"), *arguments])
    assert both.exit_code == 0
    rows = [line.split() for line in both.output.splitlines()[-3:]]
    assert rows[0] == ["player", "games", "best", "1-12", "13-24", "25-36", "37-", "in", "all"]
    assert [row[:2] for row in rows[1:]] == [["A", "2"], ["B", "2"]]
    assert all(40.0 < float(row[-1].rstrip("%")) < 60.0 for row in rows[1:])  # each threw one of two games away
    one = CliRunner().invoke(command, [str(tmp_path / "1.sgf"), *arguments])
    assert one.exit_code == 0 and "in all" not in one.output


def test_the_graph_shows_blacks_chances_after_each_move() -> None:
    results = (1.0, 0.5, 0.75, 0.0, 9 / 16)
    reviews = [
        review(number, color, 1, 0.5, result if color == BLACK else 1.0 - result, (1,))
        for number, (color, result) in enumerate(zip((BLACK, WHITE) * 3, results, strict=False), start=1)
    ]
    assert draw_graph(reviews).splitlines()[1:] == [
        "  100% |█",
        "       |█",
        "       |█ █",
        "       |█ █ ▄",
        "   50% |███ █",
        "       |███ █",
        "       |███ █",
        "       |███ █",
        "    0% +-----",
        "        1   5",
    ]
    assert draw_graph(reviews[:1], HASHES).splitlines()[1:] == ["  100% |#"] + ["       |#"] * 3 + [
        "   50% |#",
        *["       |#"] * 3,
        "    0% +-",
        "        1",
    ]


def test_the_graph_of_a_long_game_fits_eighty_columns_and_leaves_no_move_out() -> None:
    reviews = [review(number, BLACK, 1, 0.5, float(number > 250), (1,)) for number in range(1, 301)]
    lines = draw_graph(reviews).splitlines()
    assert all(len(line) <= 80 for line in lines)
    assert lines[1] == "  100% |" + " " * 60 + "█" * 12
    assert lines[-1].split() == ["1", "300"]


@pytest.mark.parametrize("arguments", [["--strength", "4"], ["--simulations", "1"]])
def test_a_player_who_does_not_search_reviews_nothing(thrown_away: Game, tmp_path: Path, arguments: list[str]) -> None:
    save_game(thrown_away, tmp_path / "game.sgf")
    ended = CliRunner().invoke(command, [str(tmp_path / "game.sgf"), *arguments])
    assert ended.exit_code == 2 and "a review needs a search" in ended.output


def test_in_a_terminal_progress_stands_on_stderr_with_the_time_left(thrown_away: Game, tmp_path: Path) -> None:
    pty = pytest.importorskip("pty")
    save_game(thrown_away, tmp_path / "game.sgf")
    save_game(thrown_away, tmp_path / "again.sgf")
    leader, follower = pty.openpty()
    pytest.importorskip("termios").tcsetwinsize(follower, (24, 80))
    arguments = ["game.sgf", "again.sgf", "--preset", "fuego", "--simulations", "100", "--seed", "1"]
    outcome = subprocess.run(
        [sys.executable, "-m", "miai.cli.main", "review", *arguments],
        stdout=subprocess.PIPE,
        stderr=follower,
        cwd=tmp_path,
        check=True,
    )
    os.close(follower)
    progress = b""
    with contextlib.suppress(OSError):  # the end, on Linux
        while piece := os.read(leader, 4096):
            progress += piece
    os.close(leader)
    assert re.search(rb"again.sgf: .* 4/4 \[\d\d:\d\d<\d\d:\d\d", progress)
    assert outcome.stdout.count(b"100% |") == 2 and b"\r" not in outcome.stdout
