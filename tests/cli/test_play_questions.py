"""What `miai play` asks a person at a terminal, saves, and shows there; a script is asked nothing."""

import io
import os
import re
import select
import subprocess
import sys
import time

import pytest
from click.testing import CliRunner

from miai.cli.play import ask_strength, command
from miai.engine.go.board_picture import STONES, choose_stones
from miai.engine.go.game import Game
from miai.engine.go.points import BLACK, PASS, WHITE, move_at
from miai.engine.go.sgf import load_game
from miai.players.options import PlayerOptions
from miai.players.player import Player
from tests.cli.test_play import ScriptedConsole, ScriptedPlayer, person, played


def run_as_person(monkeypatch, arguments, *lines):
    """Run `miai play` with somebody who types these lines; return the console."""
    console = person(*lines)
    monkeypatch.setattr("miai.cli.play.open_console", lambda: console)
    outcome = CliRunner().invoke(command, arguments, catch_exceptions=False)
    assert outcome.exit_code == 0, outcome.output
    return console


@pytest.mark.parametrize("answer", ["", "n", "what?"])
def test_resigning_is_confirmed(answer):
    console = person("D4", "resign", answer, "resign", "y", "")
    match = played(console, ScriptedPlayer("E5"))
    assert match.result == "W+R"
    assert [prompt for prompt in console.prompts if "give up" in prompt] == ["Do you give up? (y/N): "] * 2
    assert len(match.game.moves) == 2


def test_a_pass_that_ends_the_game_is_confirmed_and_no_other():
    console = person("pass", "D4", "pass", "n", "E5", "pass", "yes", "")
    match = played(console, ScriptedPlayer("C3", "pass", "pass"))
    assert [move for _, move in match.game.moves[-2:]] == [PASS, PASS]
    assert sum("ends the game" in prompt for prompt in console.prompts) == 2
    assert match.game.color_at(move_at("E5", 9)) == BLACK
    assert match.result


@pytest.mark.parametrize("leave", ["quit", EOFError, KeyboardInterrupt])
def test_who_leaves_is_offered_to_save(tmp_path, leave):
    match = played(person("D4", leave, str(tmp_path / "game")), ScriptedPlayer("E5"))
    game, info = load_game(tmp_path / "game.sgf")
    assert game.moves == match.game.moves and len(game.moves) == 2
    assert info.result == ""


def test_so_is_who_presses_ctrl_c_while_miai_thinks(tmp_path):
    class Interrupted(ScriptedPlayer):
        def choose(self, game, color):
            raise KeyboardInterrupt

    console = person("D4", str(tmp_path / "game.sgf"))
    played(console, Interrupted())
    assert len(load_game(tmp_path / "game.sgf")[0].moves) == 1
    assert console.written[-1] == "The game is left unfinished. Goodbye."


@pytest.mark.parametrize("answer", [KeyboardInterrupt, EOFError, ""])
def test_who_leaves_again_is_let_go(answer):
    console = person("D4", KeyboardInterrupt, answer)
    played(console, ScriptedPlayer("E5"))
    assert console.written[-1] == "The game is left unfinished. Goodbye."


def test_nothing_is_offered_without_a_move_or_anything_new(tmp_path):
    console = person("quit")
    played(console)
    assert console.written[-1] == "Goodbye."
    again = person("D4", f"save {tmp_path / 'game'}", "quit")
    played(again, ScriptedPlayer("E5"))
    assert not any("Save" in prompt for prompt in console.prompts + again.prompts)


def test_a_saved_game_that_went_on_is_offered_again(tmp_path):
    path = tmp_path / "game.sgf"
    played(person("D4", f"save {path}", "resign", "y", str(path)), ScriptedPlayer("E5"))
    assert load_game(path)[1].result == "W+R"


def test_a_script_is_asked_nothing():
    console = ScriptedConsole("D4", "pass", "quit")
    assert played(console, ScriptedPlayer("pass")).result
    resigned = ScriptedConsole("D4", "resign")
    assert played(resigned, ScriptedPlayer("E5")).result == "W+R"
    left = ScriptedConsole("D4", "quit")
    played(left, ScriptedPlayer("E5"))
    assert {*console.prompts, *resigned.prompts, *left.prompts} == {"Your move: "}


@pytest.mark.parametrize(
    ("typed", "saved"), [("game", "game.sgf"), ("game.SGF", "game.SGF"), ("game.v2", "game.v2.sgf")]
)
def test_sgf_is_added_to_names_without(tmp_path, typed, saved):
    played(ScriptedConsole("D4", f"save {tmp_path / typed}"), ScriptedPlayer("E5"))
    assert [path.name for path in tmp_path.iterdir()] == [saved]


def test_the_folder_of_nobody_is_one_clear_line(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    console = ScriptedConsole("save ~nobody-of-this-name/game", "quit")
    played(console)
    assert console.written[-2].startswith("cannot write '~nobody-of-this-name/game.sgf'")


def test_the_end_of_input_when_asked_for_a_file_keeps_the_result():
    console = person("D4", "resign", "y", EOFError)
    assert played(console, ScriptedPlayer("E5")).result == "W+R"
    assert "unfinished" not in console.text


def test_a_finished_game_is_saved_as_sgf(tmp_path):
    path = tmp_path / "game.sgf"
    match = played(person("D4", "resign", "y", str(path)), ScriptedPlayer("E5"))
    game, info = load_game(path)
    assert (game.moves, game.komi, game.size) == (match.game.moves, 7.0, 9)
    assert (info.black, info.white, info.result) == ("you", "miai", "W+R")


def test_a_running_game_can_be_saved_twice_but_never_over_a_foreign_file(tmp_path):
    foreign = tmp_path / "foreign.sgf"
    foreign.write_text("mine")
    own = tmp_path / "own.sgf"
    console = ScriptedConsole(f"save {foreign}", f"save {own}", "D4", f"save {own}", "quit")
    played(console, ScriptedPlayer("E5"))
    assert len(load_game(own)[0].moves) == 2
    assert foreign.read_text() == "mine"
    assert "exists already" in console.text


def test_a_file_that_cannot_be_written_is_one_clear_line_and_asked_for_again(tmp_path):
    path = tmp_path / "game.sgf"
    console = person("D4", "resign", "y", f"{tmp_path}/no/such/folder.sgf", str(path))
    played(console, ScriptedPlayer("E5"))
    assert any(line.startswith("cannot write") and "No such file" in line for line in console.written)
    assert path.exists()


@pytest.mark.parametrize(
    ("line", "meant"), [("hnit", "hint"), ("UNOD 2", "undo"), ("sve game.sgf", "save"), ("pas", "pass")]
)
def test_a_typo_is_told_the_command_it_resembles(line, meant):
    console = ScriptedConsole(line)
    played(console)
    assert f"did you mean {meant!r}?" in console.text


def test_a_wrong_point_resembles_no_command():
    console = ScriptedConsole("D10")
    played(console)
    assert "did you mean" not in console.text and "Type help" in console.text


def test_undo_takes_back_as_many_moves_as_named():
    console = ScriptedConsole("D4", "C3", "G7", "undo 2", "F6")
    match = played(console, ScriptedPlayer("E5", "E6", "E7", "E8"))
    assert [move for _, move in match.game.moves] == [move_at(vertex, 9) for vertex in ("D4", "E5", "F6", "E8")]


@pytest.mark.parametrize("number", ["3", "0", "-1", "one", "1 2", "9" * 5000])
def test_a_number_that_cannot_be_taken_back_changes_nothing(number):
    console = ScriptedConsole("D4", "C3", f"undo {number}", "quit")
    assert len(played(console, ScriptedPlayer("E5", "E6")).game.moves) == 4
    assert "is not allowed (allowed: a whole number from 1 to 2)" in console.written[-2]


def test_one_simulation_is_singular():
    console = ScriptedConsole("D4")
    played(console, ScriptedPlayer("E5"))
    assert "62%, 1 simulation in 0.2 s." in console.text


def test_a_level_is_asked_for_until_there_is_one():
    console = person("12", "strong", "3")
    assert ask_strength(console) == 3
    assert [line.split(" (")[0] for line in console.written] == [
        "strength: '12' is not allowed",
        "strength: 'strong' is not allowed",
    ]
    assert ask_strength(person("")) == 10


@pytest.mark.parametrize("leave", ["quit", EOFError, KeyboardInterrupt])
def test_who_leaves_instead_of_naming_a_level_plays_no_game(monkeypatch, leave):
    assert run_as_person(monkeypatch, [], leave).written == ["\nGoodbye."]


def test_a_weak_level_plays_weakly_and_its_hints_come_from_a_search(monkeypatch):
    console = run_as_person(monkeypatch, ["--color", "white"], "2", "hint", "quit", "")
    assert console.prompts[0].startswith("miai's level, 1 (beginner) to 10")
    assert "1 simulation in" in console.text
    hints = re.findall(r"^\d  (\w+) +(\d+)% +(\d+) +([+-][\d.]+)", console.text, re.MULTILINE)
    assert 0 < int(hints[0][1]) < 100 and int(hints[0][2]) > 100
    assert all(int(visits) > 0 for _, _, visits, _ in hints) and any(float(points) for *_, points in hints)


def test_a_hint_does_not_make_a_weak_player_stronger():
    from miai.cli.hints import Adviser

    options = PlayerOptions(simulations=1, seed=1, memory=16)
    player = Player(options)
    game = Game(5)
    game.play(BLACK, move_at("B2", 5))
    report = Adviser(options).judge(game, WHITE)
    assert report.moves[0].visits > 100
    assert player.choose(game, WHITE).report.visits == 1
    assert [move for _, move in game.moves] == [move_at("B2", 5)]


@pytest.mark.parametrize(
    ("arguments", "komi"),
    [
        (["--handicap", "2"], "komi 0.5"),
        (["--handicap", "2", "--komi", "7"], "komi 7."),
        (["--handicap", "2", "--config", "{folder}/komi.toml"], "komi 5.5"),
        (["--handicap", "2", "--config", "{folder}/other.toml"], "komi 0.5"),
        ([], "komi 7."),
    ],
)
def test_a_handicap_makes_komi_half_a_point_unless_komi_is_named(arguments, komi, tmp_path):
    (tmp_path / "komi.toml").write_text("komi = 5.5\n")
    (tmp_path / "other.toml").write_text("threads = 1\n")
    arguments = [argument.format(folder=tmp_path) for argument in arguments]
    arguments += ["--preset", "fuego", "--size", "7", "--simulations", "20", "--color", "white"]
    outcome = CliRunner().invoke(command, arguments, input="quit\n")
    assert komi in outcome.stdout.splitlines()[0]


@pytest.mark.parametrize(("encoding", "is_terminal"), [("latin-1", True), ("utf-8", False)])
def test_stones_are_letters_where_round_ones_cannot_be_shown(encoding, is_terminal):
    stream = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    stream.isatty = lambda: is_terminal
    assert choose_stones(stream) == STONES


def test_an_output_that_knows_few_signs_gets_others_instead_of_a_crash():
    environment = os.environ | {"PYTHONIOENCODING": "latin-1"}
    arguments = ["play", "--size", "5", "--preset", "fuego", "--simulations", "20"]
    outcome = subprocess.run(
        [sys.executable, "-m", "miai.cli.main", *arguments],
        input=b"C3\nquit\n",
        capture_output=True,
        env=environment,
        check=True,
    )
    assert b"miai thinks ?" in outcome.stdout and b"Traceback" not in outcome.stderr


def test_at_a_terminal_lines_are_edited_recalled_and_round_stones_shown(tmp_path):
    pty = pytest.importorskip("pty")
    pytest.importorskip("readline")
    leader, follower = pty.openpty()
    arguments = ["play", "--size", "5", "--preset", "fuego", "--simulations", "20", "--seed", "1"]
    process = subprocess.Popen(
        [sys.executable, "-m", "miai.cli.main", *arguments],
        stdin=follower,
        stdout=follower,
        stderr=subprocess.STDOUT,
        cwd=tmp_path,
        env=os.environ | {"TERM": "xterm", "PYTHONUTF8": "1", "NO_COLOR": "1"},
        start_new_session=True,
    )
    os.close(follower)

    unread = b""
    deadline = time.monotonic() + 600.0

    def read_to(text: str) -> str:
        nonlocal unread
        while text.encode() not in unread:
            ready, _, _ = select.select([leader], [], [], max(0.0, deadline - time.monotonic()))
            assert ready, f"no {text!r}; so far {unread!r}"
            unread += os.read(leader, 4096)
        seen, _, unread = unread.partition(text.encode())
        return seen.decode()

    try:
        assert "You are Black (●)" in read_to("Your move: ")
        os.write(leader, b"3\x01C\n")  # Ctrl-A: to the beginning of the line
        assert "● " in read_to("miai plays")
        read_to("Your move: ")
        os.write(leader, b"\x1b[A\n")  # the line before
        read_to("C3 is illegal: occupied.")
        read_to("Your move: ")
        os.write(leader, b"\x04")  # Ctrl-D: the end of the input
        read_to("Save the game as")
        os.write(leader, b"mine\n")
        read_to("Goodbye.")
        assert process.wait(timeout=60) == 0
    finally:
        process.kill()
        process.wait()
        os.close(leader)
    assert len(load_game(tmp_path / "mine.sgf")[0].moves) == 2
