"""How `miai play` ends: miai proposes the dead stones, the person agrees, marks others or plays on."""

import dataclasses

import pytest
from click.testing import CliRunner

from miai.cli.agreement import agree_on_dead
from miai.cli.play import TerminalGame, command, describe_score
from miai.engine.go.diagram import game_from_diagram
from miai.engine.go.points import BLACK, PASS, WHITE, move_at
from miai.engine.go.rules import RULES
from miai.players.options import PlayerOptions
from miai.players.player import Player
from tests.cli.test_play import ScriptedAdviser, ScriptedConsole, ScriptedPlayer

BOARD = """
    . . X O .
    . O X O .
    . . X O X
    . . X O .
    O . X O .
"""
"""With komi 0 and the three lone stones taken off, B+5."""


def at(*vertices: str) -> set[int]:
    return {move_at(vertex, 5) for vertex in vertices}


def agree(proposed: set[int], *answers: str) -> tuple[set[int] | None, str]:
    """Return what was agreed on and all that was shown; every answer must be asked for."""
    left, written = list(answers), []
    game = game_from_diagram(BOARD, BLACK, 0.0)
    dead = agree_on_dead(game, proposed, lambda question: left.pop(0), written.append, describe_score)
    assert not left
    return dead, "\n".join(written)


ALL = at("B4", "A1", "E3")


@pytest.mark.parametrize("answer", ["", "y", " YES "])
def test_the_proposal_is_shown_with_its_score_and_agreed_on(answer: str) -> None:
    dead, text = agree(ALL, answer)
    assert dead == ALL
    assert text == "Dead stones: White B4, Black E3, White A1. Black leads by 5 without them."


@pytest.mark.parametrize("answer", ["play", "n", "No"])
def test_a_person_may_play_on(answer: str) -> None:
    assert agree(ALL, answer)[0] is None


def test_marking_turns_blocks_over_and_shows_the_new_score() -> None:
    dead, text = agree(ALL, "e3", "")
    assert dead == at("B4", "A1")
    assert "Dead stones: White B4, White A1. Black leads by 11 without them." in text.splitlines()[-1]
    assert agree(ALL, "e3", "E3, b4", "")[0] == at("A1", "E3")
    assert agree(set(), "C2", "")[0] == at("C1", "C2", "C3", "C4", "C5")


def test_no_dead_stone_is_a_proposal_too() -> None:
    assert agree(set(), "")[1].startswith("Dead stones: none. ")


@pytest.mark.parametrize(
    ("answer", "complaint"),
    [
        ("B1", "there is no stone at B1."),
        ("pass", "there is no stone at pass."),
        ("E3 Z9", "'Z9' is no point of a 5x5 board"),
        ("what?", "'what?' is no point"),
    ],
)
def test_what_is_no_stone_is_refused_whole_and_asked_again(answer: str, complaint: str) -> None:
    dead, text = agree(ALL, answer, "")
    assert dead == ALL and complaint in text


def test_a_script_takes_the_proposal() -> None:
    written: list[str] = []
    game = game_from_diagram(BOARD, BLACK, 0.0)
    assert agree_on_dead(game, ALL, None, written.append, describe_score) == ALL
    assert len(written) == 1


class Judge(ScriptedPlayer):
    """Holds given stones for dead."""

    def dead_stones(self, game):
        return ALL & set(game.stones())


def finish(*lines: str, is_interactive: bool = True, human: int = BLACK) -> tuple[TerminalGame, str]:
    console = ScriptedConsole(*lines)
    console.is_interactive = is_interactive
    match = TerminalGame(game_from_diagram(BOARD, BLACK, 0.0), Judge(), human, console, ScriptedAdviser())
    match.run()
    return match, console.text


def test_a_game_is_counted_without_the_dead_stones() -> None:
    for is_interactive, lines in ((True, ("pass", "", "")), (False, ("pass", ""))):
        match, text = finish(*lines, is_interactive=is_interactive)
        assert match.result == "B+5"
        assert "Both passed. Black leads by 5: you win!" in text


def test_playing_on_takes_the_persons_pass_back() -> None:
    match, _ = finish("pass", "play", "B3", "pass", "y", "", "")
    assert [move for _, move in match.game.moves] == [move_at("B3", 5), PASS, PASS]
    assert match.result == "B+5"


def test_playing_on_after_miai_passed_first_leaves_miais_pass() -> None:
    match, _ = finish("pass", "y", "play", "A5", "quit", "", human=WHITE)
    assert match.game.moves[:2] == [(BLACK, PASS), (WHITE, move_at("A5", 5))]
    assert not match.result


def test_the_real_miai_proposes_what_is_dead() -> None:
    text = """
        . . X . X O . O .
        . O X X X O O O O
        X X X . X O . O .
        . X . X X O O O O
        X X X X X O O O O
        . X . X X O . O .
        X X X X X O O O O
        X . X . X O . O .
        X X X X X O O O O
    """
    rules = dataclasses.replace(RULES["tromp-taylor"], removes_dead=True)
    game = game_from_diagram(text, BLACK, 6.0, rules)
    player = Player(PlayerOptions(simulations=300, seed=1, memory=64, resign_below=0.0))
    console = ScriptedConsole("pass")
    match = TerminalGame(game, player, BLACK, console, ScriptedAdviser())
    match.run()
    assert "Dead stones: White B8. Black leads by 3 without them." in console.text
    assert match.result == "B+3"


def test_play_agrees_on_dead_stones_by_all_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    played: list[TerminalGame] = []
    monkeypatch.setattr(TerminalGame, "run", lambda match: played.append(match))
    for name in RULES:
        arguments = ["--preset", "fuego", "--rules", name, "--memory", "64"]
        assert CliRunner().invoke(command, arguments, catch_exceptions=False).exit_code == 0
        rules = played[-1].game.rules
        assert rules == RULES[name] and rules.removes_dead
