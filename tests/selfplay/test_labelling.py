"""Labels: what the teacher says, rounded; pieces that survive kills; positions asked once; what is refused."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from safetensors.numpy import save

from miai.cli.main import main
from miai.engine.go.actions import action_of_move, move_of_action
from miai.engine.go.game import Game
from miai.engine.go.rules import POSITIONAL, SIMPLE, Rules
from miai.engine.go.sgf import save_game
from miai.nets.inference import make_backend
from miai.nets.net_files import FORMAT, load_weights, net_file
from miai.nets.planes import make_write_planes, num_planes
from miai.nets.recent_positions import recent_of
from miai.nets.symmetry import NUM_SYMMETRIES
from miai.selfplay.data.format import DataError, GameFile, file_content, game_files, join_games, read_games, write_games
from miai.selfplay.data.labels import (
    OWNERSHIP_UNITS,
    PROBABILITY_UNITS,
    Labels,
    games_of_file,
    read_labels,
    round_opinions,
    with_labels,
)
from miai.selfplay.data.sgf import game_of_record, info_of_record
from miai.selfplay.labelling.pieces import find_pieces
from miai.selfplay.labelling.positions import position_keys, write_positions
from miai.selfplay.labelling.teacher import Teacher, TeacherOptions
from tests.nets.symmetric_planes import transform, transform_planes
from tests.selfplay.games_for_tests import random_game, record_of

ROOT = Path(__file__).parents[2]
TEACHER = TeacherOptions(net_file("miai"), "openvino-float32", 16, "none")


def _file(number: int = 3, first: int = 0) -> GameFile:
    return join_games([record_of(random_game(seed), seed) for seed in range(first, first + number)])


def _never(text: str) -> None:
    pytest.fail(text)


def _label(*arguments: object) -> str:
    outcome = CliRunner().invoke(main, ["label", *map(str, arguments)])
    assert outcome.exit_code == 0, outcome.output
    return outcome.output


def _refusal(*arguments: object) -> str:
    outcome = CliRunner().invoke(main, ["label", *map(str, arguments)])
    assert outcome.exit_code in (1, 2) and isinstance(outcome.exception, SystemExit), outcome.output
    return outcome.output.splitlines()[-1]


def _played_to(file: GameFile, row: int) -> Game:
    """Return the game before the move of a row, for Python callers."""
    games = file.game_of_row
    record = file.game(int(games[row]))
    number = row - int(file.games["first"][games[row]])
    record.moves, record.colors = record.moves[:number], record.colors[:number]
    game = game_of_record(record)
    game.board["to_play"] = file.color[row]
    return game


def test_labels_are_what_the_network_says_but_for_rounding() -> None:
    file = _file()
    rows = np.arange(0, file.num_rows, 7)
    kept = read_labels(with_labels(file, rows, round_opinions(Teacher(TEACHER).judge(file, rows))), rows)
    net = load_weights(TEACHER.net)
    backend, write_planes = make_backend(net, "openvino-float32"), make_write_planes(net.config.planes)
    for index, row in enumerate(rows):
        game = _played_to(file, int(row))
        planes = np.zeros((1, num_planes(net.config.planes), 9, 9), dtype=np.float32)
        write_planes(game.board, recent_of(game)[0], game.komi, game.rules.has_superko, planes[0])
        said = backend.evaluate(planes)
        weights = np.zeros(82)
        for move in [*(action_of_move(point, 9) for point in game.legal_points(int(file.color[row]))), 81]:
            weights[move] = np.exp(said.policy[0, move])
        np.testing.assert_allclose(kept.policy[index], weights / weights.sum(), atol=2e-3)
        np.testing.assert_allclose(kept.wdl[index], said.wdl[0], atol=2e-3)
        np.testing.assert_allclose(kept.score[index], said.score[0], atol=0.1)
        np.testing.assert_allclose(kept.ownership[index], said.ownership[0], atol=2e-2)
        assert not kept.policy[index][weights == 0.0].any()


def test_rounding_costs_less_than_a_five_hundredth() -> None:
    rng = np.random.default_rng(1)
    file, rows = _file(1), np.arange(60)
    policy, wdl = rng.dirichlet(np.full(82, 0.05), 60), rng.dirichlet(np.full(3, 0.2), 60)
    ownership = rng.uniform(-1.0, 1.0, (60, 81))
    said = (
        Teacher(TEACHER)
        .judge(file, rows)
        ._replace(policy=policy.astype(np.float32), wdl=wdl.astype(np.float32), ownership=ownership.astype(np.float32))
    )
    kept = read_labels(with_labels(file, rows, round_opinions(said)), rows)
    assert abs(kept.policy - policy).max() < 1 / 500 and abs(kept.wdl - wdl).max() < 1 / 500
    assert abs(kept.ownership - ownership).max() / 2.0 < 1 / 500
    np.testing.assert_array_equal(kept.score, said.score)
    assert PROBABILITY_UNITS == np.iinfo(np.uint16).max and OWNERSHIP_UNITS == np.iinfo(np.int8).max


@pytest.mark.parametrize("has_superko", [True, False])
def test_legal_moves_are_those_of_the_game(has_superko: bool) -> None:
    file = join_games([record_of(random_game(seed, 4, 90), seed) for seed in range(0, 12, 2)])
    file.games["has_superko"] = has_superko
    rows = np.arange(file.num_rows)
    _, is_legal = write_positions(file, file.game_of_row, rows, np.zeros(len(rows), dtype=np.int64), "miai")
    num_banned = 0
    for head in file.games:
        game, loose = (Game(4, 7.5, Rules(ko, False)) for ko in (POSITIONAL if has_superko else SIMPLE, SIMPLE))
        for row in range(int(head["first"]), int(head["first"] + head["num_moves"])):
            color = int(file.color[row])
            legal = {action_of_move(point, 4) for point in game.legal_points(color)}
            assert legal | {16} == set(np.flatnonzero(is_legal[row]).tolist()), row
            num_banned += len(loose.legal_points(color)) - len(legal)
            for one in (game, loose):
                one.play(color, move_of_action(int(file.move[row]), 4))
    assert (num_banned > 0) == has_superko


def test_every_symmetry_shows_the_position_turned() -> None:
    file = _file()
    rows = np.arange(0, file.num_rows, 11)
    upright, legal = write_positions(file, file.game_of_row, rows, np.zeros(len(rows), dtype=np.int64), "miai")
    for symmetry in range(NUM_SYMMETRIES):
        turned, same = write_positions(file, file.game_of_row, rows, np.full(len(rows), symmetry), "miai")
        assert (turned == transform_planes(upright, symmetry)).all() and (same == legal).all()


def _turned(file: GameFile, symmetry: int) -> GameFile:
    """Return the same games on a turned board."""
    points = transform(np.arange(82), symmetry, 9, inverse=True)
    return file._replace(
        setup=transform(file.setup, symmetry, 9),
        move=points[file.move].astype(np.int16),
        target_move=points[file.target_move].astype(np.int16),
    )


def test_the_mean_of_all_symmetries_turns_with_the_board() -> None:
    file = _file(2)
    rows = np.arange(5, file.num_rows, 23)
    teacher = Teacher(TeacherOptions(net_file("miai"), "openvino", 16, "all"))
    said = teacher.judge(file, rows)
    for symmetry in range(1, NUM_SYMMETRIES):
        again = teacher.judge(_turned(file, symmetry), rows)
        np.testing.assert_allclose(again.policy, transform(said.policy, symmetry, 9), atol=2e-3)
        np.testing.assert_allclose(again.ownership, transform(said.ownership, symmetry, 9), atol=5e-3)
        np.testing.assert_allclose(again.wdl, said.wdl, atol=2e-3)


def test_a_symmetry_that_is_drawn_shows_the_turned_game_and_is_undone() -> None:
    file = _file(2)
    rows = np.arange(file.num_rows)
    drawn = Teacher(TeacherOptions(net_file("miai"), "openvino-float32", 16, "random")).judge(file, rows)
    symmetries = (position_keys(file) >> np.uint64(40)) % np.uint64(NUM_SYMMETRIES)
    assert len(set(symmetries.tolist())) == NUM_SYMMETRIES
    teacher = Teacher(TEACHER)
    for symmetry in range(NUM_SYMMETRIES):
        shown = rows[symmetries == symmetry]
        said = teacher.judge(_turned(file, symmetry), shown)
        np.testing.assert_allclose(drawn.policy[shown], transform(said.policy, symmetry, 9, inverse=True), atol=5e-3)
        turned_back = transform(said.ownership, symmetry, 9, inverse=True)
        np.testing.assert_allclose(drawn.ownership[shown], turned_back, atol=3e-2)
        np.testing.assert_allclose(drawn.wdl[shown], said.wdl, atol=5e-3)


def test_a_position_that_comes_again_is_asked_once(tmp_path: Path) -> None:
    one, other = random_game(2), random_game(4)
    write_games(tmp_path / "a", [record_of(one, 1), record_of(one, 2)])
    write_games(tmp_path / "b", [record_of(other, 3), record_of(one, 4)])
    pieces = find_pieces([tmp_path / "a", tmp_path / "b"], 7.0, 1.0, _never)
    asked = [games_of_file(piece.load(), 0, 2) for piece in pieces]
    keys = np.concatenate([position_keys(file)[piece.rows] for file, piece in zip(asked, pieces, strict=True)])
    everything = np.concatenate([position_keys(join_games([record_of(game, 0)])) for game in (one, other)])
    assert len(keys) == len(set(keys.tolist())) and set(keys.tolist()) == set(everything.tolist())
    assert not (set(pieces[0].rows.tolist()) & set(range(60, 120)))


@pytest.mark.parametrize("order", [("a", "b"), ("b", "a")])
@pytest.mark.parametrize("finished", [0, 1])
def test_what_a_stopped_run_labelled_is_left_out(tmp_path: Path, order: tuple[str, str], finished: int) -> None:
    """Whichever piece was kept, and however the sources are ordered afterwards, no position is left or asked again."""
    one, other = random_game(2), random_game(4)
    write_games(tmp_path / "a", [record_of(one, 1)])
    write_games(tmp_path / "b", [record_of(other, 3), record_of(one, 4)])
    first_run = find_pieces([tmp_path / "a", tmp_path / "b"], 7.0, 1.0, _never)
    kept = first_run[finished]
    labelled = {kept.name: position_keys(kept.load())[kept.rows]}
    pieces = find_pieces([tmp_path / name for name in order], 7.0, 1.0, _never, labelled)
    left = np.concatenate([position_keys(piece.load())[piece.rows] for piece in pieces])
    everything = np.concatenate([position_keys(join_games([record_of(game, 0)])) for game in (one, other)])
    keys = [*left.tolist(), *labelled[kept.name].tolist()]
    assert sorted(keys) == sorted(set(everything.tolist()))


def test_games_that_are_added_do_not_make_known_positions_new(tmp_path: Path) -> None:
    """An added SGF file shifts the pieces: their names change, their positions do not."""
    folder = tmp_path / "sgf"
    folder.mkdir()
    arguments = ("--teacher", "miai", "--output", tmp_path / "labels", "--processes", 1)
    for number, seed in ((2, 2), (3, 3), (1, 4)):  # the last goes first
        record = record_of(random_game(seed), seed)
        save_game(game_of_record(record), folder / f"{number}.sgf", info_of_record(record, "somebody"))
        _label(folder, *arguments)
    files = [read_games(path) for path in game_files(tmp_path / "labels")]
    keys = np.concatenate([position_keys(file)[file.label >= 0] for file in files])
    everything = [position_keys(join_games([record_of(random_game(seed), seed)])) for seed in (2, 3, 4)]
    assert sorted(keys.tolist()) == sorted(set(np.concatenate(everything).tolist())) and len(files) == 3
    assert f"{len(keys)} positions, of which {len(keys)} are labelled" in _label(folder, *arguments)


def test_a_damaged_piece_is_named_with_the_way_out(tmp_path: Path) -> None:
    write_games(tmp_path / "games", [record_of(random_game(2), 1)])
    labels = tmp_path / "labels"
    _label(tmp_path / "games", "--teacher", "miai", "--output", labels, "--processes", 1)
    (piece,) = game_files(labels)
    piece.write_bytes(piece.read_bytes()[:1000])
    said = _refusal(tmp_path / "games", "--teacher", "miai", "--output", labels)
    assert str(piece) in said and "the same command labels its games anew" in said
    piece.unlink()
    assert "60 positions, of which 0 are labelled" in _label(
        tmp_path / "games", "--teacher", "miai", "--output", labels, "--processes", 1
    )


def test_a_share_of_the_positions_is_always_the_same_one(tmp_path: Path) -> None:
    write_games(tmp_path, [record_of(random_game(seed), seed) for seed in range(8)])
    everything = find_pieces([tmp_path], 7.0, 1.0, _never)[0].rows
    half, again = (find_pieces([tmp_path], 7.0, 0.5, _never)[0].rows for _ in range(2))
    assert half.tolist() == again.tolist() and set(half.tolist()) < set(everything.tolist())
    assert 0.4 < len(half) / len(everything) < 0.6


def test_a_share_without_a_position_is_named(tmp_path: Path) -> None:
    write_games(tmp_path, [record_of(random_game(1), 1)])
    with pytest.raises(DataError, match=r"^none of the \d+ positions is among the fraction 1e-09"):
        find_pieces([tmp_path], 7.0, 1e-9, _never)


def test_long_files_are_cut_between_games(tmp_path: Path) -> None:
    write_games(tmp_path, [record_of(random_game(seed, 9, 200), seed) for seed in range(25)])
    pieces = find_pieces([tmp_path], 7.0, 1.0, _never)
    files = [piece.load() for piece in pieces]
    assert [len(file.games) for file in files] == [11, 11, 3]
    seeds = [seed for file in files for seed in file.games["seed"].tolist()]
    assert seeds == list(range(25))
    for file in files:
        assert file.games["first"][0] == 0 and file.target_first[0] == 0
        assert file.target_first[-1] == len(file.target_move)


def test_games_of_sgf_files_are_labelled_without_an_import(tmp_path: Path) -> None:
    record = record_of(random_game(2), 2)
    (tmp_path / "sgf").mkdir()
    save_game(game_of_record(record), tmp_path / "sgf" / "1.sgf", info_of_record(record, "somebody"))
    _label(tmp_path / "sgf", "--teacher", "miai", "--output", tmp_path / "out", "--processes", 1)
    file = read_games(game_files(tmp_path / "out")[0])
    assert file.move.tolist() == record.moves and (file.label >= 0).all()


def test_a_kill_loses_no_finished_piece_and_the_rest_comes_out_the_same(tmp_path: Path) -> None:
    for index in range(12):
        write_games(tmp_path / "games", [record_of(random_game(seed), seed) for seed in (2 * index, 2 * index + 1)])
    arguments = ["label", tmp_path / "games", "--teacher", "miai", "--backend", "openvino", "--batch", 8]
    _label(*arguments[1:], "--output", tmp_path / "whole", "--processes", 1)
    program = [sys.executable, "-m", "miai.cli.main", *map(str, arguments), "--processes", "2", "--output"]
    run = subprocess.Popen(
        [*program, str(tmp_path / "killed")], cwd=ROOT, stderr=subprocess.DEVNULL, start_new_session=True
    )
    while run.poll() is None and len(game_files(tmp_path / "killed")) < 2:
        time.sleep(0.005)
    os.killpg(run.pid, signal.SIGKILL)
    run.wait()
    before = {path.name: path.read_bytes() for path in game_files(tmp_path / "killed")}
    assert before
    again = _label(*arguments[1:], "--output", tmp_path / "killed", "--processes", 1)
    assert "0 are labelled already" not in again
    whole = {path.name: path.read_bytes() for path in game_files(tmp_path / "whole")}
    assert {path.name: path.read_bytes() for path in game_files(tmp_path / "killed")} == whole
    assert before.items() <= whole.items()
    assert len(whole) == 12 and not list((tmp_path / "killed").glob(".*.part"))
    assert "labelled" in _label(*arguments[1:], "--output", tmp_path / "killed")


def test_files_of_the_first_version_are_read_as_they_were() -> None:
    file = read_games(Path(__file__).parent / "old_data" / "games-00000001.npz")
    assert not file.is_labelled and (file.label == -1).all()
    for seed, game in enumerate(file.records()):
        record = record_of(random_game(seed, 5, 20), seed)
        assert game.moves == record.moves and game.colors == record.colors
        np.testing.assert_allclose(game.root_values, record.root_values, rtol=1e-6)


def test_a_file_without_labels_stays_of_the_first_version(tmp_path: Path) -> None:
    path = write_games(tmp_path, [record_of(random_game(1, 5, 20), 1)])
    with np.load(path) as content:
        assert "version" not in content and not [name for name in content if name.startswith("label")]


def _labelled(rows: int = 60) -> GameFile:
    file = _file(1)
    labels = Labels(
        np.full((rows, 82), 799, np.uint16),
        np.full((rows, 3), 21845, np.uint16),
        np.zeros(rows, np.float32),
        np.zeros((rows, 81), np.int8),
    )
    return with_labels(file, np.arange(rows), labels)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"label": np.full(60, 60, np.int32)}, "there are rows with a label that is not there"),
        ({"label": np.zeros(59, np.int32)}, r"label has the shape \(59,\)"),
        ({"label_policy": np.zeros((60, 82), np.uint16)}, "there are labels in which nothing is probable"),
        ({"label_wdl": np.zeros((60, 4), np.uint16)}, r"label_wdl has the shape \(60, 4\)"),
        ({"label_score": np.full(60, np.inf, np.float32)}, "label_score holds what is not a finite number"),
        ({"label_ownership": np.zeros((60, 81), np.int16)}, "label_ownership is int16"),
    ],
)
def test_damaged_labels_are_refused(tmp_path: Path, change: dict, message: str) -> None:
    path = tmp_path / "games-00000001.npz"
    path.write_bytes(file_content(_labelled()))
    assert read_games(path).is_labelled
    path.write_bytes(file_content(_labelled()._replace(**change)))
    with pytest.raises(DataError, match=message):
        read_games(path)


def test_a_version_to_come_is_refused_by_its_number(tmp_path: Path) -> None:
    path = tmp_path / "games-00000001.npz"
    np.savez_compressed(path, **_labelled()._asdict(), version=np.array([3], np.int32))
    with pytest.raises(DataError, match="is of version 3, this miai reads up to 2"):
        read_games(path)


def test_what_cannot_be_labelled_is_refused_in_a_line(tmp_path: Path) -> None:
    write_games(tmp_path / "games", [record_of(random_game(1, 5, 20), 1)])
    output = ["--output", tmp_path / "out"]
    small = [tmp_path / "games", *output, "--processes", 1]
    assert "li-lim tells nothing of score and owners (allowed:" in _refusal(*small, "--teacher", "li-lim")
    assert not (tmp_path / "out").exists()
    assert "there is no such file" in _refusal(*small, "--teacher", "nobody.bin.gz")
    assert "unknown backend 'abacus'" in _refusal(*small, "--teacher", "miai", "--backend", "abacus")
    (tmp_path / "empty").mkdir()
    assert f"there are no positions in {tmp_path / 'empty'}" in _refusal(
        tmp_path / "empty", *output, "--teacher", "miai"
    )
    _label(*small, "--teacher", "miai")
    assert "holds labels of another teacher" in _refusal(*small, "--teacher", "miai", "--symmetry", "none")
    assert "teacher or share" in _refusal(*small, "--teacher", "miai", "--positions", 0.5)
    (tmp_path / "out" / "teacher.json").write_text("{")
    assert "teacher.json is damaged" in _refusal(*small, "--teacher", "miai")


@pytest.mark.parametrize("processes", [1, 2])
def test_a_teacher_with_broken_weights_is_refused_in_a_line(tmp_path: Path, processes: int) -> None:
    net = load_weights(net_file("miai"))
    metadata = {"format": FORMAT, "config": net.config.to_json(), "summary": "{}"}
    broken = {name: array * np.nan if array.ndim == 4 else array for name, array in net.arrays.items()}
    (tmp_path / "broken.safetensors").write_bytes(save(broken, metadata))
    write_games(tmp_path / "games", [record_of(random_game(seed), seed) for seed in range(2)])
    arguments = [tmp_path / "games", "--output", tmp_path / "out", "--processes", processes]
    said = _refusal(*arguments, "--teacher", tmp_path / "broken.safetensors")
    assert "holds numbers that are not finite" in said and "Traceback" not in said and "died" not in said


def test_broken_games_are_named_and_the_others_labelled(tmp_path: Path) -> None:
    games = tmp_path / "games"
    write_games(games, [record_of(random_game(1), 1)])
    (games / "games-00000002.npz").write_bytes(b"nothing")
    said = _label(games, "--teacher", "miai", "--output", tmp_path / "out", "--processes", 1)
    assert "games-00000002.npz" in said and len(game_files(tmp_path / "out")) == 1


@pytest.mark.slow
def test_a_ray_cluster_labels_the_same(tmp_path: Path) -> None:
    pytest.importorskip("ray")
    write_games(tmp_path / "games", [record_of(random_game(seed), seed) for seed in range(4)])
    arguments = [tmp_path / "games", "--teacher", "miai", "--backend", "openvino"]
    _label(*arguments, "--output", tmp_path / "here", "--processes", 1)
    _label(*arguments, "--output", tmp_path / "there", "--ray", "local")
    here, there = (game_files(tmp_path / name) for name in ("here", "there"))
    assert [path.name for path in here] == [path.name for path in there]
    assert [path.read_bytes() for path in here] == [path.read_bytes() for path in there]
