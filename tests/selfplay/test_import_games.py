"""SGF games as data: what a file tells, what it does not, and files that tell nothing."""

from pathlib import Path

import numpy as np
import pytest
from click.testing import Result

from miai.cli.import_games import command
from miai.engine.go.game import Game
from miai.engine.go.points import BLACK, WHITE, move_at
from miai.engine.go.sgf import GameInfo, load_game, save_game
from miai.selfplay.data.format import game_files, read_games
from miai.selfplay.data.sgf import game_of_record, info_of_record
from miai.selfplay.import_games import read_result, record_of_game
from tests.commands import run_command
from tests.selfplay.games_for_tests import random_game, record_of

WALLS = "(;GM[1]SZ[5]KM[{komi}]RE[{result}];B[ca];W[da];B[cb];W[db];B[cc];W[dc];B[cd];W[dd];B[ce];W[de]{end})"
"""Black owns three columns, White two."""


def run(*arguments: object) -> Result:
    return run_command(command, *arguments)


@pytest.mark.parametrize(
    ("text", "result", "score"),
    [
        ("B+3.5", 1.0, 3.5),
        ("W+12", 0.0, -12.0),
        ("w+0.5", 0.0, -0.5),
        ("0", 0.5, 0.0),
        ("Draw", 0.5, 0.0),
        ("B+R", 1.0, None),
        ("W+Resign", 0.0, None),
        ("W+Time", 0.0, None),
        ("B+", 1.0, None),
        ("B+inf", 1.0, None),
        ("W+1e400", 0.0, None),
        ("B+-3", 1.0, None),
        ("Void", None, None),
        ("?", None, None),
        ("", None, None),
    ],
)
def test_results_are_read(text: str, result: float | None, score: float | None) -> None:
    expected = [float("nan") if value is None else value for value in (result, score)]
    np.testing.assert_array_equal(read_result(text), expected)


def _record(**named: object):  # type: ignore[no-untyped-def]
    return record_of_game(
        *load_game(WALLS.format(**({"komi": 2, "result": "B+3", "end": ";B[];W[]"} | named)).encode())
    )


def test_a_game_played_to_the_end_has_owners_and_score() -> None:
    record = _record()
    assert record.is_scored and (record.result, record.score) == (1.0, 3.0)
    assert record.ownership is not None
    assert record.ownership.reshape(5, 5).tolist() == [[1, 1, 1, -1, -1]] * 5
    assert record.moves[:2] == [2, 3] and record.moves[-2:] == [25, 25]
    targets = [target for target in record.targets if target is not None]
    assert [target.moves.tolist() for target in targets] == [[move] for move in record.moves]
    assert all(target.probabilities.tolist() == [1.0] for target in targets)


@pytest.mark.parametrize(
    "changed", [{"result": "B+R"}, {"result": "B+4"}, {"result": "W+3"}, {"end": ""}, {"end": ";B[]"}, {"result": ""}]
)
def test_a_game_that_was_not_counted_has_no_owners(changed: dict[str, str]) -> None:
    record = _record(**changed)
    assert not record.is_scored and record.ownership is None


def test_marked_territory_counts_dead_stones_for_their_captor() -> None:
    end = ";B[ea];W[];B[]TW[ea][eb][ec][ed][ee]TB[aa:be]"
    record = _record(end=end, result="B+4")
    assert record.is_scored and record.score == 3.0
    assert record.ownership is not None
    assert record.ownership.reshape(5, 5).tolist() == [[1, 1, 1, -1, -1]] * 5
    assert not _record(end=end, result="W+4").is_scored


def test_a_recorded_game_survives_the_way_through_sgf(tmp_path: Path) -> None:
    for seed in range(4):
        record = record_of(random_game(seed, rules="chinese"), seed)
        save_game(game_of_record(record), tmp_path / "game.sgf", info_of_record(record, "somebody"))
        again = record_of_game(*load_game(tmp_path / "game.sgf"))
        for name in ("size", "komi", "moves", "colors", "result", "score", "has_superko", "suicide"):
            assert getattr(again, name) == getattr(record, name), name
        np.testing.assert_array_equal(again.setup, record.setup)


def test_a_folder_becomes_data_and_broken_files_are_named(tmp_path: Path) -> None:
    source, output = tmp_path / "games" / "deep", tmp_path / "data"
    source.mkdir(parents=True)
    for seed in range(5):
        save_game(random_game(seed), source / f"{seed}.sgf", GameInfo(result="B+R"))
    (source / "again.sgf").write_bytes((source / "1.sgf").read_bytes())
    (source / "torn.sgf").write_text("(;GM[1")
    (source / "illegal.sgf").write_text("(;GM[1]SZ[9];B[aa];W[aa])")
    (source / "small.sgf").write_text(WALLS.format(komi=0, result="0", end=""))
    (source / "notes.txt").write_text("no game")
    ended = run(tmp_path / "games", "--output", output)
    assert ended.exit_code == 0
    assert "imported 5 games with 300 positions" in ended.stdout
    assert "left out: 2 broken, 1 not 9x9 or without moves, 1 there already" in ended.stdout
    assert "torn.sgf" in ended.stderr and "illegal.sgf: move 2: A9 is illegal: occupied" in ended.stderr
    ended = run(source / "1.sgf", source / "small.sgf", "--output", output, "--size", 5)
    assert "imported 1 game with 10 positions" in ended.stdout
    assert [read_games(path).size for path in game_files(output)] == [9, 5]
    assert sum(len(read_games(path).games) for path in game_files(output)) == 6


def test_where_nothing_can_be_imported_one_line_says_so_and_nothing_is_left(tmp_path: Path) -> None:
    source, new, empty = tmp_path / "games", tmp_path / "new", tmp_path / "empty"
    source.mkdir()
    empty.mkdir()
    (source / "notes.txt").write_text("no game")
    for output in (new, empty):
        ended = run(source, "--output", output)
        assert ended.exit_code == 1 and ended.stdout == ""
        assert ended.stderr == f"Error: there is no file *.sgf in {source}\n"
    (source / "torn.sgf").write_text("(;GM[1")
    (source / "small.sgf").write_text(WALLS.format(komi=0, result="0", end=""))
    for output in (new, empty):
        ended = run(source, "--output", output)
        assert ended.exit_code == 1 and ended.stdout == ""
        message = "Error: no game to import among 2 files: 1 broken, 1 not 9x9 or without moves"
        assert ended.stderr.splitlines()[-1] == message
    assert not new.exists() and list(empty.iterdir()) == []


def test_importing_again_changes_nothing(tmp_path: Path) -> None:
    (tmp_path / "game.sgf").write_text(WALLS.format(komi=0, result="0", end=""))
    output = tmp_path / "data"
    run(tmp_path / "game.sgf", "--output", output, "--size", 5)
    before = game_files(output)
    ended = run(tmp_path / "game.sgf", "--output", output, "--size", 5)
    assert ended.exit_code == 0 and "left out: 1 there already" in ended.stdout
    assert game_files(output) == before and len(before) == 1


def test_a_file_without_komi_gets_the_given_one(tmp_path: Path) -> None:
    (tmp_path / "game.sgf").write_text("(;GM[1]SZ[9];B[ee])")
    run(tmp_path / "game.sgf", "--output", tmp_path / "data", "--komi", 5.5)
    assert read_games(game_files(tmp_path / "data")[0]).games["komi"].tolist() == [5.5]
    for komi in ("nan", "1e308"):
        refused = run(tmp_path / "game.sgf", "--output", tmp_path / "other", "--komi", komi)
        assert refused.exit_code == 2 and f"'--komi': '{komi}'" in refused.stderr and "-1000 to 1000" in refused.stderr
    assert not (tmp_path / "other").exists()


def test_set_up_stones_and_who_begins_are_kept() -> None:
    game = Game(9)
    game.place_handicap([move_at("G7", 9), move_at("C3", 9)])
    game.play(WHITE, move_at("E5", 9))
    record = record_of_game(game, GameInfo())
    assert record.setup is not None and np.flatnonzero(record.setup == BLACK).tolist() == [24, 56]
    assert record.colors == [WHITE] and np.isnan(record.result)
