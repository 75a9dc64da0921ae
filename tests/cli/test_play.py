"""A game in the terminal, with a scripted person and a scripted player."""

import re
from typing import Any, NamedTuple

import numpy as np
import pytest
from click.testing import CliRunner

from miai.cli.console import Console
from miai.cli.play import TerminalGame, choose_color, command, describe_score
from miai.engine.go.board_picture import describe_state, draw_board, star_points
from miai.engine.go.game import Game, fixed_handicap_points
from miai.engine.go.points import BLACK, PASS, RESIGN, WHITE, move_at
from miai.engine.go.sgf import load_game
from miai.engine.search.report import MoveReport, SearchReport


class Decision(NamedTuple):
    """What a player decided, as `miai.players.player.Decision`."""

    move: int
    report: SearchReport


class ScriptedPlayer:
    """Plays a given list of vertices, then passes."""

    def __init__(self, *vertices: str) -> None:
        self.vertices = list(vertices)
        self.games_begun = 0

    def new_game(self) -> None:
        self.games_begun += 1

    def dead_stones(self, game):
        return set()

    def choose(self, game, color):
        vertex = self.vertices.pop(0) if self.vertices else "pass"
        move = RESIGN if vertex == "resign" else move_at(vertex, game.size)
        best = MoveReport(move, 1, 0.625, 0.5, 0.55, 3.5, (move, PASS), (1, 0))
        return Decision(move, SearchReport(color, (best,), 0.625, 3.5, 1, 1, 0.25, np.zeros(game.size**2, np.float32)))


class ScriptedAdviser:
    """Says the same of every position: D4, then a pass, and G7, which it did not search."""

    def judge(self, game, color):
        d4 = move_at("D4", game.size)
        moves = (
            MoveReport(d4, 90, 0.625, 0.5, 0.55, 3.5, (d4, PASS), (90, 40)),
            MoveReport(PASS, 9, 0.25, 0.5, 0.1, -2.0, (PASS,), (9,)),
            MoveReport(move_at("G7", game.size), 0, 0.0, 0.5, 0.0, 0.0, (move_at("G7", game.size),), (0,)),
        )
        return SearchReport(color, moves, 0.6, 3.0, 100, 100, 0.25, np.zeros(game.size**2, np.float32))


class ScriptedConsole(Console):
    """Types given lines, then the input ends; an exception among them is raised."""

    def __init__(self, *lines: str | type[BaseException], **features: Any) -> None:
        self.lines = list(lines)
        self.written: list[str] = []
        self.prompts: list[str] = []
        super().__init__(self._next_line, self.written.append, **features)

    def _next_line(self, prompt: str) -> str:
        self.prompts.append(prompt)
        line = self.lines.pop(0) if self.lines else EOFError
        if isinstance(line, str):
            return line
        raise line

    @property
    def text(self) -> str:
        return "\n".join(self.written)


def person(*lines):
    """Return a console with somebody who can be asked."""
    return ScriptedConsole(*lines, is_interactive=True)


def played(console, player=None, human=BLACK, game=None):
    """Return a terminal game after it was played."""
    match = TerminalGame(game or Game(9), player or ScriptedPlayer(), human, console, ScriptedAdviser())
    match.run()
    return match


def vertices_of(game):
    return [(color, move) for color, move in game.moves]


def test_the_board_shows_coordinates_stones_stars_and_the_last_move():
    game = Game(7)
    game.play(BLACK, move_at("C5", 7))
    game.play(WHITE, move_at("G1", 7))
    assert draw_board(game).splitlines() == [
        "    A B C D E F G",
        "  7 . . . . . . . 7",
        "  6 . . . . . . . 6",
        "  5 . . X . + . . 5",
        "  4 . . . + . . . 4",
        "  3 . . + . + . . 3",
        "  2 . . . . . . . 2",
        "  1 . . . . . .(O)1",
        "    A B C D E F G",
    ]
    game.play(BLACK, move_at("A7", 7))
    assert draw_board(game).splitlines()[1] == "  7(X). . . . . . 7"


def test_a_painted_board_shows_the_same_signs():
    game = Game(9)
    game.play(BLACK, move_at("E5", 9))
    painted = draw_board(game, use_color=True)
    assert "\033[" in painted
    assert re.sub(r"\033\[[0-9;]*m", "", painted) == draw_board(game)


@pytest.mark.parametrize(("size", "count"), [(2, 0), (4, 0), (5, 1), (6, 0), (7, 5), (8, 4), (9, 5), (13, 5), (19, 9)])
def test_stars_are_where_boards_mark_them(size, count):
    assert len(star_points(size)) == count


def test_the_state_names_captures_turn_and_last_move():
    game = Game(3)
    for color, vertex in ((WHITE, "A1"), (BLACK, "A2"), (BLACK, "B1")):
        game.play(color, move_at(vertex, 3))
    text = describe_state(game, {BLACK: "you", WHITE: "miai"})
    assert "Black X (you) took 1" in text
    assert "White O (miai) took 0" in text
    assert "Move 4: White to play (last: Black B1)" in text


def test_a_game_to_two_passes_is_counted_and_the_winner_named():
    console = ScriptedConsole("D4", "pass", "")
    match = played(console, ScriptedPlayer("E5", "pass"), game=Game(9, komi=0.5))
    assert match.result == "W+0.5"
    assert "White leads by 0.5: miai wins." in console.text
    assert vertices_of(match.game)[:2] == [(BLACK, move_at("D4", 9)), (WHITE, move_at("E5", 9))]


def test_an_even_score_is_a_draw():
    console = ScriptedConsole("pass", "")
    assert played(console, game=Game(9, komi=0.0)).result == "0"
    assert "nobody wins" in console.text


def test_miai_moves_first_when_the_person_is_white():
    match = played(ScriptedConsole("quit"), ScriptedPlayer("C3"), human=WHITE)
    assert vertices_of(match.game) == [(BLACK, move_at("C3", 9))]


def test_after_handicap_stones_white_moves_first():
    game = Game(9)
    game.place_handicap(fixed_handicap_points(9, 3))
    match = played(ScriptedConsole("quit"), ScriptedPlayer("E5"), game=game)
    assert vertices_of(match.game) == [(WHITE, move_at("E5", 9))]


@pytest.mark.parametrize("line", ["Z99", "I5", "D10", "hello world", "D4 now", "\x00", "save", "´" * 5000])
def test_a_line_that_makes_no_sense_changes_nothing_and_gets_one_clear_line(line):
    console = ScriptedConsole("D4", line, "quit")
    match = played(console, ScriptedPlayer("E5"))
    assert len(match.game.moves) == 2
    answer = console.written[-2]
    assert len(answer.splitlines()) == 1
    assert len(answer) < 200


def test_an_illegal_move_names_the_rule():
    console = ScriptedConsole("D4", "D4", "quit")
    assert len(played(console, ScriptedPlayer("E5")).game.moves) == 2
    assert console.written[-2] == "D4 is illegal: occupied."


def test_undo_takes_back_both_moves():
    console = ScriptedConsole("D4", "C3", "undo", "F6", "quit")
    match = played(console, ScriptedPlayer("E5", "E6", "E7"))
    assert [move for _, move in match.game.moves] == [move_at(vertex, 9) for vertex in ("D4", "E5", "F6", "E7")]


def test_undo_keeps_miais_first_move_and_says_when_there_is_nothing_to_take_back():
    console = ScriptedConsole("undo", "quit")
    match = played(console, ScriptedPlayer("E5"), human=WHITE)
    assert len(match.game.moves) == 1
    assert "no move of yours" in console.text


def test_a_hint_shows_the_best_moves_and_plays_none():
    console = ScriptedConsole("hint", "quit")
    match = played(console, ScriptedPlayer("D4"))
    assert match.game.moves == []
    assert "\n1  D4      62%      90    +3.5  pass\n2  pass    25%       9    -2.0" in console.text
    assert "G7" not in console.text
    assert "  4 . . . 1 . . . . . 4" in console.text


def test_score_counts_the_board_as_it_stands():
    console = ScriptedConsole("D4", "undo", "score", "quit")
    played(console, ScriptedPlayer("E5"), game=Game(9, komi=7.0))
    assert "White leads by 7 if all stones" in console.text


def test_help_names_every_command():
    console = ScriptedConsole("help", "quit")
    played(console)
    for word in ("pass", "undo", "hint", "score", "board", "save FILE", "resign", "quit", "help"):
        assert word in console.text


@pytest.mark.parametrize(("human", "result"), [(BLACK, "W+R"), (WHITE, "B+R")])
def test_the_person_resigns(human, result):
    assert played(ScriptedConsole("resign", ""), human=human).result == result


def test_miai_resigns():
    console = ScriptedConsole("D4", "")
    match = played(console, ScriptedPlayer("resign"))
    assert match.result == "B+R"
    assert len(match.game.moves) == 1


@pytest.mark.parametrize("end", [EOFError, KeyboardInterrupt])
def test_the_end_of_input_ends_politely(end):
    console = ScriptedConsole("D4", end)
    match = played(console, ScriptedPlayer("E5"))
    assert match.result == ""
    assert console.written[-1] == "The game is left unfinished. Goodbye."


def test_ctrl_c_while_miai_thinks_ends_politely():
    class Interrupted(ScriptedPlayer):
        def choose(self, game, color):
            raise KeyboardInterrupt

    console = ScriptedConsole("D4")
    played(console, Interrupted())
    assert console.written[-1] == "The game is left unfinished. Goodbye."


@pytest.mark.parametrize("stones", ["1", "10", "-3"])
def test_a_handicap_that_is_not_possible_is_told_the_possible_ones(stones):
    outcome = CliRunner().invoke(command, ["--handicap", stones])
    assert outcome.exit_code == 2
    assert "allowed are 2 to 9" in outcome.output


def test_the_real_player_answers_and_hints_and_the_game_is_saved(tmp_path):
    path = tmp_path / "game.sgf"
    lines = ["C3", "hint", "undo", "B3", f"save {path}", "quit"]
    outcome = CliRunner().invoke(command, ["--size", "5", "--simulations", "50", "--seed", "1"], input="\n".join(lines))
    assert outcome.exit_code == 0, outcome.output
    assert "the network has not learned 5x5; fuego plays" in outcome.output
    assert "50 simulations" in outcome.output
    assert "Goodbye" in outcome.output
    assert [color for color, _ in load_game(path)[0].moves] == [BLACK, WHITE]


def test_scores_in_words():
    assert describe_score(-3.0) == "White leads by 3"


def test_a_random_colour_is_one_of_the_two():
    assert {choose_color("random") for _ in range(100)} == {BLACK, WHITE}
    assert (choose_color("black"), choose_color("white")) == (BLACK, WHITE)
