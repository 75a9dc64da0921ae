"""`miai review`: that blunders are found and shown, and that a broken file does not stop the others."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from engine.go.diagram import game_from_diagram
from engine.go.game import Game
from engine.go.points import BLACK, PASS, WHITE, move_at
from engine.go.sgf import load_game, save_game
from gtp.options import PlayerOptions
from gtp.player import Player
from gtp.review import Judgement, command, describe, review_game, worst_moves
from tests.test_decision import DEAD_STONES


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
    assert len(thrown_away.moves) == 2


def test_the_worst_moves_come_in_the_order_of_the_game() -> None:
    losses = (0.5, 0.05, 0.2, 0.3)
    moves = [Judgement(number, BLACK, 1, 0.9, 0.9 - loss, (2,)) for number, loss in enumerate(losses, start=1)]
    assert [one.number for one in worst_moves(moves, 2, 0.1)] == [1, 4]
    assert [one.number for one in worst_moves(moves, 9, 0.1)] == [1, 3, 4]
    assert worst_moves([Judgement(1, BLACK, 2, 0.9, 0.1, (2,))], 9, 0.1) == []  # what the search itself would play


def test_a_line_says_who_played_where_and_what_was_better() -> None:
    e5, d4 = move_at("E5", 9), move_at("D4", 9)
    line = describe(Judgement(34, WHITE, d4, 0.62, 0.18, (e5, PASS)), 9)
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
    _, info = load_game(tmp_path / "out" / "game.sgf")
    again = CliRunner().invoke(command, arguments)
    assert again.exit_code == 2 and "would have two files game.sgf" in again.output
    assert info.comments[1].startswith("Black 1 pass: ") and info.comments[2].startswith("White 2 pass: ")
