"""What players' moves lose: positions are drawn fairly, moves and judgements asked once, differences paired."""

import os
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from miai.engine.go.game import Game
from miai.engine.go.game_files import sgf_files
from miai.engine.go.points import BLACK, PASS, color_name, vertex_of
from miai.engine.go.sgf import GameInfo, save_game
from miai.match import comparison
from miai.match.answer_file import AnswerFile, AnswerFileError
from miai.match.comparison import Comparison, ComparisonFailed, Judge, ask_players, choose_open, judge_moves
from miai.match.contestants import Contestant
from miai.match.position_sample import SampledPosition, draw_positions
from miai.players.options import PlayerOptions
from tests.match.fake_engine import FakeEngine

SIZE = 7


def write_game(path: Path, moves: Sequence[str], komi: float = 9.0, setup: Sequence[str] = ()) -> Path:
    game = Game(SIZE, komi)
    if setup:
        game.set_up(dict.fromkeys(setup, BLACK), BLACK)
    for move in moves:
        game.play(game.to_play, move)
    save_game(game, path, GameInfo())
    return path


@pytest.fixture(name="games")
def write_games(tmp_path: Path) -> Path:
    folder = tmp_path / "games"
    folder.mkdir()
    write_game(folder / "a.sgf", ["C3", "E5", "C5", "E3"])
    write_game(folder / "b.sgf", ["E5", "C3", "pass", "E3", "pass", "pass"])
    return folder


def positions_of(folder: Path, number: int = 100) -> list[SampledPosition]:
    return list(draw_positions(sgf_files([folder]), 1, pytest.fail))[:number]


class TableJudge:
    """A judge who expects what a table says."""

    def __init__(self, expected: dict[str, float], copies: int = 1) -> None:
        self.expected = expected
        self.copies: list[Any] = list(range(copies))
        self.asked: list[tuple[int, str]] = []

    def expected_after(self, copy: int, game: Game, move: str) -> float:
        assert copy in self.copies
        self.asked.append((len(game.moves), move))
        return self.expected[move]


@pytest.fixture(name="engines")
def seat_fakes(monkeypatch: pytest.MonkeyPatch) -> dict[str, list[str]]:
    """Let contestants be scripted engines of this process, their command the script; return what each was asked."""
    asked: dict[str, list[str]] = defaultdict(list)

    def start(command: tuple[str, ...]) -> Any:
        return FakeEngine(script=command[0].split(), simulations=30, received=asked[command[0]]).start()

    monkeypatch.setattr(comparison, "start_engine", start)
    return asked


def run(
    scripts: Sequence[str], judge: Any, positions: Sequence[SampledPosition], path: Path | None = None
) -> Comparison:
    contestants = [Contestant(script, program=(script,)) for script in scripts]
    choices = ask_players(contestants, positions, 1, len(judge.copies), AnswerFile(path), lambda: None)
    return judge_moves(choices, positions, judge, lambda: None)


def test_every_position_is_drawn_once_but_none_after_a_pass(games: Path) -> None:
    drawn = [(one.path.name, tuple(one.game.moves)) for one in positions_of(games)]
    assert sorted(len(moves) for _, moves in drawn) == [0, 1, 1, 2, 2, 3, 4], "both begin on the empty board"
    assert {name for name, _ in drawn[:2]} == {name for name, _ in drawn[2:4]} == {"a.sgf", "b.sgf"}
    assert all(not moves or moves[-1][1] != PASS for _, moves in drawn)
    assert positions_of(games)[0].game.komi == 9.0


def test_what_cannot_be_used_is_left_out_with_a_word(games: Path) -> None:
    write_game(games / "c.sgf", ["C3"], setup=["D4"])
    (games / "d.sgf").write_text("no game")
    told: list[str] = []
    assert len(list(draw_positions(sgf_files([games]), 1, told.append))) == 7
    assert len(told) == 2 and "c.sgf: it begins with stones" in told[0] and "d.sgf" in told[1]


def test_losses_are_against_the_best_of_the_moves(games: Path, engines: dict[str, list[str]]) -> None:
    judge = TableJudge({"D4": 0.7, "D5": 0.4, "resign": 0.0})
    positions = positions_of(games)
    found = run(["D4", "d5", "resign"], judge, positions)
    assert [[one.move for one in of_player] for of_player in found.choices] == [
        [move] * 7 for move in ("D4", "D5", "resign")
    ]
    np.testing.assert_allclose(found.losses, np.repeat([[0.0], [0.3], [0.7]], 7, axis=1))
    assert found.loss(2, 1) == pytest.approx((0.4, 0.0)) and found.differing(1, 0) == 1.0
    assert found.simulations(0) == 30 and found.simulations(2) is None
    assert len(set(found.games.tolist())) == 2 and sorted(judge.asked) == sorted(
        (len(one.game.moves), move) for one in positions for move in ("D4", "D5", "resign")
    )
    sent = [command for command in engines["D4"] if command.startswith("play")]
    assert sent == [
        f"play {color_name(color)} {vertex_of(move, SIZE)}" for one in positions for color, move in one.game.moves
    ]


def test_where_all_agree_the_judge_is_not_asked(games: Path, engines: dict[str, list[str]]) -> None:
    judge = TableJudge({}, copies=2)
    found = run(["D4", "d4"], judge, positions_of(games))
    assert not judge.asked and not found.losses.any() and found.differing(1, 0) == 0.0 and engines


def test_moves_are_asked_once(games: Path, engines: dict[str, list[str]], tmp_path: Path) -> None:
    judge, kept = TableJudge({"D4": 0.7, "D5": 0.4}), tmp_path / "kept.jsonl"
    first = run(["D4"], judge, positions_of(games), kept)
    received = len(engines["D4"])
    both = run(["D5", "D4"], judge, positions_of(games), kept)
    assert both.choices[1] == first.choices[0] and len(engines["D4"]) == received
    kept.write_bytes(kept.read_bytes()[:-9])
    received = len(engines["D5"])
    again = run(["D5", "D4"], judge, positions_of(games), kept)
    assert again.losses.tolist() == both.losses.tolist() and kept.read_bytes().count(b"\n") == 14
    assert len(engines["D5"]) > received, "the line that was cut short is asked again"


@pytest.mark.parametrize(("script", "reason"), [("crash", "crash"), ("C3", "C3"), ("Z9", "Z9")])
def test_a_player_that_fails_ends_it(games: Path, engines: dict[str, list[str]], script: str, reason: str) -> None:
    with pytest.raises(ComparisonFailed, match=reason):
        run(["D4", script], TableJudge({"D4": 0.5}, copies=2), positions_of(games))
    assert engines


def test_a_judge_finds_that_a_wasted_move_loses(games: Path) -> None:
    judge = Judge(PlayerOptions(simulations=400, seed=1, memory=16), SIZE, 1, AnswerFile(None))
    positions = choose_open(iter(positions_of(games)), 3, judge, lambda: None)
    assert 0 < len(positions) <= 3
    game = Game(SIZE, 9.0)
    expected = {move: judge.expected_after(judge.copies[0], game, move) for move in ("D4", "A1", "resign")}
    assert 1.0 > expected["D4"] > expected["A1"] + 0.1 and expected["resign"] == 0.0 and not game.moves
    judge.close()


def test_a_judgement_does_not_hang_on_what_was_asked_before(games: Path) -> None:
    found = []
    for moves in (["D4"], ["C3", "D4"]):
        judge = Judge(PlayerOptions(simulations=50, seed=1, memory=16), SIZE, 1, AnswerFile(None))
        found.append([judge.expected_after(judge.copies[0], Game(SIZE, 9.0), move) for move in moves][-1])
        judge.close()
    assert found[0] == found[1]


def test_another_network_of_the_same_name_is_another_player(tmp_path: Path) -> None:
    net = tmp_path / "latest.safetensors"
    player = Contestant("net", options=PlayerOptions(evaluator="net", net=str(net)))
    names = []
    for content in (b"first", b"second", b"second"):
        if not net.exists() or net.read_bytes() != content:
            net.write_bytes(content)
            os.utime(net, ns=(len(names), len(names)))
        names.append(comparison.name_of(player))
    assert names[0] != names[1] == names[2]


def test_a_judge_whose_network_has_not_learned_the_board_is_its_fallback() -> None:
    options = PlayerOptions(evaluator="net", net="miai", fallback="uct", simulations=10, seed=1, memory=16)
    judge = Judge(options, SIZE, 1, AnswerFile(None))
    assert judge.copies[0].options.evaluator == "playouts"
    judge.close()


def test_without_an_open_position_nobody_is_compared(games: Path) -> None:
    nobody: Any = SimpleNamespace(copies=[None], is_open=lambda copy, game: False)
    with pytest.raises(ComparisonFailed, match="no positions"):
        choose_open(iter(positions_of(games)), 3, nobody, lambda: None)


def test_positions_are_for_one_komi(games: Path) -> None:
    write_game(games / "c.sgf", ["C3", "E5"], komi=5.5)
    anybody: Any = SimpleNamespace(copies=[None], is_open=lambda copy, game: True)
    assert len({one.game.komi for one in choose_open(iter(positions_of(games)), 100, anybody, lambda: None)}) == 1


@pytest.mark.parametrize("content", ["no json\n", "[1]\n", "3\n", "no line", '["a", 1]\nno line'])
def test_another_kind_of_file_is_refused_and_stays(tmp_path: Path, content: str) -> None:
    path = tmp_path / "file"
    path.write_text(content)
    with pytest.raises(AnswerFileError, match="holds no answers"):
        AnswerFile(path)
    assert path.read_text() == content
