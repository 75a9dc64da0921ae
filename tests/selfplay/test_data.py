"""Files of games: what is written is read, what is damaged is refused, and positions come back."""

import random
from pathlib import Path

import numpy as np
import pytest

from miai.engine.files import remove_leftovers
from miai.engine.go.board import new_board
from miai.engine.go.game import Game
from miai.engine.go.points import BLACK, WHITE
from miai.selfplay.data.format import (
    DataError,
    GameRecord,
    game_files,
    join_games,
    read_games,
    read_heads,
    to_bytes,
    write_games,
)
from miai.selfplay.data.replay import begin_game, play_row
from miai.selfplay.data.window import choose_window, window_size
from tests.selfplay.games_for_tests import random_game, record_of


def _records(number: int, size: int = 9, num_moves: int = 60) -> list[GameRecord]:
    return [record_of(random_game(seed, size, num_moves), seed) for seed in range(number)]


def _assert_equal(found: GameRecord, expected: GameRecord) -> None:
    for name in ("size", "moves", "colors", "has_superko", "suicide", "is_scored", "net_version", "seed", "result"):
        assert getattr(found, name) == getattr(expected, name), name
    for name in ("komi", "score", "root_values", "root_scores", "setup", "ownership"):
        np.testing.assert_allclose(getattr(found, name), getattr(expected, name), rtol=1e-6, err_msg=name)
    for target, other in zip(found.targets, expected.targets, strict=True):
        assert (target is None) == (other is None)
        if target is not None and other is not None:
            np.testing.assert_array_equal(target.moves, other.moves)
            np.testing.assert_array_equal(target.probabilities, other.probabilities)


def test_games_that_are_written_are_read(tmp_path: Path) -> None:
    records = _records(5)
    path = write_games(tmp_path / "new" / "folder", records)
    file = read_games(path)
    assert file.size == 9 and file.num_rows == 300
    for index, record in enumerate(records):
        _assert_equal(file.game(index), record)
    np.testing.assert_array_equal(read_heads(path), file.games)


def test_a_game_without_moves_and_one_without_anything_known_can_be_kept(tmp_path: Path) -> None:
    unknown = GameRecord(size=5, komi=0.5, moves=[25], colors=[WHITE])
    unknown.targets, unknown.root_values, unknown.root_scores = [None], [float("nan")], [float("nan")]
    file = read_games(write_games(tmp_path, [GameRecord(size=5, komi=0.5), unknown]))
    assert file.games["num_moves"].tolist() == [0, 1]
    assert np.isnan(file.games["score"]).all() and np.isnan(file.root_value).all()
    assert not file.ownership.any() and not file.is_target.any()


def test_games_of_two_sizes_make_no_file(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"one board size, not of \[5, 9\]"):
        write_games(tmp_path, [*_records(1), *_records(1, size=5)])
    with pytest.raises(ValueError, match="not of none"):
        write_games(tmp_path, [])
    assert game_files(tmp_path) == []


def test_files_are_numbered_in_the_order_of_writing_and_leftovers_are_no_files(tmp_path: Path) -> None:
    records = _records(1)
    assert [write_games(tmp_path, records).name for _ in range(3)] == [f"games-0000000{n}.npz" for n in (1, 2, 3)]
    (tmp_path / "games-00000001.npz").unlink()
    (tmp_path / ".miai-123-0a1b.part").write_bytes(b"half")
    (tmp_path / "games-of-mine.npz").write_bytes(b"no")
    (tmp_path / ".games-mine").write_bytes(b"no")
    assert write_games(tmp_path, records).name == "games-00000004.npz"
    remove_leftovers(tmp_path)
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == [".games-mine", *(f"games-0000000{n}.npz" for n in (2, 3, 4)), "games-of-mine.npz"]
    assert [path.name for path in game_files(tmp_path)] == [f"games-0000000{n}.npz" for n in (2, 3, 4)]


def test_a_file_cut_short_anywhere_is_refused_by_name(tmp_path: Path) -> None:
    content = to_bytes(_records(2))
    path = tmp_path / "games-00000001.npz"
    rng = random.Random(1)
    for length in (0, 1, 100, len(content) - 1, *(rng.randrange(len(content)) for _ in range(50))):
        path.write_bytes(content[:length])
        with pytest.raises(DataError, match="games-00000001"):
            read_games(path)


def test_a_file_with_a_wrong_byte_is_refused_or_the_byte_means_nothing(tmp_path: Path) -> None:
    records = _records(2)
    content = to_bytes(records)
    path = tmp_path / "games-00000001.npz"
    rng = random.Random(2)
    num_refused = 0
    for _ in range(300):
        damaged = bytearray(content)
        damaged[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
        path.write_bytes(damaged)
        try:
            file = read_games(path)
        except DataError:
            num_refused += 1
            continue
        for index, record in enumerate(records):
            _assert_equal(file.game(index), record)
    assert num_refused > 200


def test_foreign_files_are_refused_with_what_is_wrong(tmp_path: Path) -> None:
    path = tmp_path / "games-00000001.npz"
    arrays = join_games(_records(2))._asdict()

    def refusal(**changed: np.ndarray) -> str:
        np.savez(path, **arrays | changed)
        with pytest.raises(DataError) as caught:
            read_games(path)
        return str(caught.value)

    assert "there is no array games" in _refusal_of(path, {"weights": np.zeros(3)})
    assert "move is float64" in refusal(move=arrays["move"].astype(float))
    assert "Object arrays cannot be loaded" in refusal(move=np.array([None, 1], dtype=object))
    assert "color has the shape (119,)" in refusal(color=arrays["color"][:-1])
    assert "no move on a 9x9 board" in refusal(move=arrays["move"] + np.int16(80))
    assert "neither black nor white" in refusal(color=arrays["color"] * 2)
    assert "policy targets do not follow" in refusal(target_first=arrays["target_first"] + 1)
    assert "targets without probabilities" in refusal(is_target=np.zeros_like(arrays["is_target"]))
    for value in (127, -2, -128):
        ownership = arrays["ownership"].copy()
        ownership[1, 40] = value
        assert refusal(ownership=ownership).endswith("npz: ownership holds what is not -1, 0 or 1")
    for name, value in (("root_value", 1.1), ("root_score", np.inf), ("target_share", -0.1), ("target_share", np.nan)):
        changed = arrays[name].copy()
        changed[3] = value
        assert f"{name} holds what is not " in refusal(**{name: changed})
    for name, value in (("komi", np.nan), ("komi", np.inf), ("score", -np.inf), ("result", 0.7)):
        games = arrays["games"].copy()
        games[name][1] = value
        assert f"{name} holds what is not " in refusal(games=games)
    games = arrays["games"].copy()
    games["first"][1] += 1
    assert "do not follow each other" in refusal(games=games)
    games["first"][1] -= 1
    games["num_moves"][1] += 1
    assert "the games have 121 moves, the file 120" in refusal(games=games)
    games["size"] = 77
    assert "sizes [77]" in refusal(games=games)
    assert "cannot read" in _refusal_of(tmp_path / "missing.npz", None)


def _refusal_of(path: Path, arrays: dict[str, np.ndarray] | None) -> str:
    if arrays is not None:
        np.savez(path, **arrays)
    with pytest.raises(DataError) as caught:
        read_games(path)
    return str(caught.value)


@pytest.mark.parametrize("size", [5, 9])
def test_the_rows_of_a_file_play_its_games_again(tmp_path: Path, size: int) -> None:
    games = [random_game(seed, size, 80) for seed in range(4)]
    file = read_games(write_games(tmp_path, [record_of(game, seed) for seed, game in enumerate(games)]))
    boards = new_board(size)
    empty = new_board(size)[0]
    for index, game in enumerate(games):
        again = Game(size)
        again.set_up(game.setup_stones, BLACK)
        first = int(file.games["first"][index])
        begin_game(boards[0], empty, file.setup[index])
        for row, (color, move) in enumerate(game.moves, start=first):
            boards[0]["to_play"] = again.to_play = color
            for name in ("color", "to_play", "ko_point", "last_move", "second_last_move", "num_passes", "key"):
                np.testing.assert_array_equal(boards[0][name], again.board[name], name)
            again.play(color, move)
            assert play_row(boards[0], int(file.move[row]), int(file.color[row]))


def test_a_game_that_plays_on_a_stone_is_noticed() -> None:
    boards = new_board(9)
    begin_game(boards[0], new_board(9)[0], np.zeros(81, dtype=np.int8))
    assert play_row(boards[0], 3, 1)
    assert not play_row(boards[0], 3, 2)


def test_the_window_takes_everything_at_first_and_then_grows_more_slowly() -> None:
    assert [window_size(number, 1000) for number in (0, 10, 1000)] == [0, 10, 1000]
    sizes = [window_size(1000 * 2**doubling, 1000) for doubling in range(10)]
    assert sizes == sorted(sizes)
    shares = [size / (1000 * 2**doubling) for doubling, size in enumerate(sizes)]
    assert shares == sorted(shares, reverse=True) and shares[-1] < 0.2
    assert abs(window_size(101_000, 100_000) - 100_400) < 10  # the first growth: 0.4 of what is played


def test_the_window_holds_the_newest_whole_files(tmp_path: Path) -> None:
    for seed in range(10):
        write_games(tmp_path, [record_of(random_game(seed, num_moves=50), seed)])
    (tmp_path / "games-00000010.npz").write_bytes(b"torn")
    broken: list[DataError] = []
    window = choose_window(tmp_path, first=100, on_broken=broken.append)
    assert window.num_played == 450
    wanted = window_size(450, 100)
    assert wanted <= window.num_positions < wanted + 50
    assert [path.name for path in window.files] == [f"games-{n:08d}.npz" for n in range(1, 10)][-len(window.files) :]
    assert len(broken) == 1 and "games-00000010" in str(broken[0])
    assert choose_window(tmp_path / "missing") == ([], 0, 0)


def test_the_reader_in_the_documentation_reads_every_target(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    document = (Path(__file__).parents[2] / "docs" / "reference" / "data-format.md").read_text()
    code = document.split("```python\n")[1].split("```")[0]
    seen: list[np.ndarray] = []
    records = _records(3)
    write_games(tmp_path, records)
    monkeypatch.chdir(tmp_path)
    exec(code + "        seen.append(policy)\n", {"seen": seen})
    expected = [target for record in records for target in record.targets]
    for policy, target in zip(seen, expected, strict=True):
        if target is None:
            assert not policy.any()
        else:
            np.testing.assert_array_equal(np.flatnonzero(policy), target.moves)
            assert policy.sum() == pytest.approx(1.0)
