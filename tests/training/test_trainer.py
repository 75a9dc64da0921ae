"""Training in a folder: going on after a stop or a kill, broken and new data, full disks, published weights."""

import errno
import os
import random
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("safetensors")

from miai.nets.config import CONFIGS  # noqa: E402
from miai.nets.net_files import load_weights  # noqa: E402
from miai.selfplay.data.format import DataError, read_games, write_games  # noqa: E402
from miai.selfplay.training import checkpoints  # noqa: E402
from miai.selfplay.training.checkpoints import checkpoint_files, read_checkpoint  # noqa: E402
from miai.selfplay.training.loader import BatchLoader, Order  # noqa: E402
from miai.selfplay.training.positions import PositionStore  # noqa: E402
from miai.selfplay.training.trainer import Trainer, TrainingError  # noqa: E402
from miai.selfplay.training.training_recipe import TrainingRecipe  # noqa: E402
from tests.selfplay.games_for_tests import random_game, record_of  # noqa: E402
from tests.training.made_games import records, write_files  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
CONFIG = replace(CONFIGS["miai"], blocks=1, filters=8, pooling_blocks=0)
RECIPE = TrainingRecipe(batch_size=16, held_out=5, checkpoint_every=3, validate_every=7, validation_positions=50)


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def _never(text: str) -> None:
    pytest.fail(text)


def _state(folder: Path) -> dict:
    return read_checkpoint(checkpoint_files(folder / "checkpoints")[0]).tensors


def _assert_same_state(one: Path, other: Path) -> None:
    first, second = _state(one), _state(other)
    assert first.keys() == second.keys()
    for name, tensor in first.items():
        assert torch.equal(tensor, second[name]), name


def _train(folder: Path, files: list[Path], until: int, total: int = 20) -> None:
    with Trainer(CONFIG, folder, RECIPE, "cpu", _never) as trainer:
        trainer.train(files, until - trainer.step, total)
        assert trainer.step == until


def test_ten_steps_and_ten_more_are_twenty(tmp_path: Path) -> None:
    files = write_files(tmp_path / "games")
    _train(tmp_path / "through", files, 20)
    _train(tmp_path / "parts", files, 10)
    _train(tmp_path / "parts", files, 20)
    _assert_same_state(tmp_path / "through", tmp_path / "parts")


def test_what_is_held_out_is_told_on_the_way(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _train(tmp_path / "run", write_files(tmp_path / "games"), 20)
    lines = capsys.readouterr().err.splitlines()
    assert [line.split(":")[0] for line in lines] == ["step 7, held out", "step 14, held out"]
    assert re.search(r": policy [\d.]+, value [\d.]+, .*policy_accuracy [\d.]+", lines[0])
    assert lines[0] != lines[1]


def test_a_training_killed_again_and_again_ends_as_if_it_had_not_been(tmp_path: Path) -> None:
    files = write_files(tmp_path / "games")
    (tmp_path / "recipe.toml").write_text("batch_size = 16\nheld_out = 5\ncheckpoint_every = 1\nvalidate_every = 7\n")
    arguments = ["--network", "miai", "--blocks", "1", "--filters", "8", "--steps", "150", "--device", "cpu"]
    arguments += ["--recipe", str(tmp_path / "recipe.toml")]
    rng = random.Random(1)

    def start(folder: Path) -> subprocess.Popen:
        command = [sys.executable, "-m", "miai.cli.main", "train", str(tmp_path / "games"), "--output", str(folder)]
        environment = os.environ | {"OMP_NUM_THREADS": "1"}
        streams = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
        return subprocess.Popen([*command, *arguments], cwd=ROOT, env=environment, **streams)  # type: ignore[call-overload]

    def finish(process: subprocess.Popen) -> str:
        output, _ = process.communicate(timeout=600)
        assert process.returncode == 0, output
        return output

    through = finish(start(tmp_path / "through"))
    assert "held out  policy_accuracy" in through
    folder = tmp_path / "killed"
    for _ in range(4):
        present = set(checkpoint_files(folder / "checkpoints"))
        process = start(folder)
        while process.poll() is None and set(checkpoint_files(folder / "checkpoints")) <= present:
            time.sleep(0.005)
        time.sleep(rng.random() * 0.1)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        assert process.returncode == -signal.SIGKILL
    assert 4 <= read_checkpoint(checkpoint_files(folder / "checkpoints")[0]).values["step"] < 150
    output = finish(start(folder))
    assert "of 150 steps done" in output
    _assert_same_state(tmp_path / "through", folder)
    nets = [load_weights(one / "nets" / "net-000001.safetensors") for one in (tmp_path / "through", folder)]
    for name, tensor in nets[0].module.state_dict().items():
        assert torch.equal(tensor, nets[1].module.state_dict()[name]), name
    assert nets[1].summary["step"] == 150
    assert nets[1].summary["positions"] == 2400
    assert nets[1].summary["command"].startswith("miai train")
    assert nets[1].summary["data"]["files"] == len(files)
    assert nets[1].summary["sizes"] == [9]
    assert not list((folder / "checkpoints").glob("*.part"))


def test_a_broken_newest_checkpoint_is_reported_and_the_one_before_used(tmp_path: Path) -> None:
    files = write_files(tmp_path / "games")
    _train(tmp_path, files, 6)
    newest = checkpoint_files(tmp_path / "checkpoints")[0]
    newest.write_bytes(newest.read_bytes()[:-100])
    reported: list[str] = []
    with Trainer(CONFIG, tmp_path, RECIPE, "cpu", reported.append) as trainer:
        assert trainer.step == 3
    assert len(reported) == 1 and newest.name in reported[0]


def test_a_full_disk_is_reported_and_training_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = write_files(tmp_path / "games")
    reported: list[str] = []

    def fail(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with Trainer(CONFIG, tmp_path, RECIPE, "cpu", reported.append) as trainer:
        trainer.train(files, 3, 20)
        monkeypatch.setattr(checkpoints, "write_file", fail)
        trainer.train(files, 3, 20)
        assert reported == ["no checkpoint of step 6: No space left on device; training goes on"]
        monkeypatch.undo()
        trainer.train(files, 3, 20)
    assert [path.name[6:14] for path in checkpoint_files(tmp_path / "checkpoints")] == ["00000009", "00000003"]


def test_broken_files_are_reported_once_and_left_out(tmp_path: Path) -> None:
    files = write_files(tmp_path / "games")
    cut = tmp_path / "games" / "games-00000003.npz"
    cut.write_bytes(files[0].read_bytes()[:-200])
    impossible = records(1)[0]
    harmful = write_games(tmp_path / "games", [replace(impossible, moves=[impossible.moves[0]] * 40)])
    smaller = write_games(tmp_path / "games", [record_of(random_game(1, size=7, num_moves=10), 1)])
    reported: list[str] = []
    with Trainer(CONFIG, tmp_path, RECIPE, "cpu", reported.append) as trainer:
        for _ in range(2):
            trainer.train([*files, cut, harmful, smaller], 2)
        assert trainer.step == 4
    assert len(reported) == 3, reported
    for path, line in zip((cut, harmful, smaller), reported, strict=True):
        assert str(path) in line and "\n" not in line
    with Trainer(CONFIG, tmp_path / "none", RECIPE, "cpu", reported.append) as trainer:
        with pytest.raises(DataError, match="no whole file"):
            trainer.train([cut], 1)


def test_new_data_joins_and_games_held_out_stay_so(tmp_path: Path) -> None:
    files = write_files(tmp_path / "games", 3)
    store = PositionStore(4, _never)
    before, after = store.load(files[:2]), store.load(files[1:])

    def games(positions, rows: np.ndarray) -> set[int]:  # type: ignore[no-untyped-def]
        return set(positions.file.games["seed"][positions.game_of_row[rows]].tolist())

    for positions in (before, after):
        assert games(positions, positions.learned).isdisjoint(games(positions, positions.held_out))
        assert len(positions.learned) + len(positions.held_out) == positions.file.num_rows == 480
        assert len(games(positions, positions.held_out)) >= 2
    assert games(before, before.held_out).isdisjoint(games(after, after.learned))
    direct = store.load(files[1:2]).file
    second = before.file.games["first"][6]
    assert (before.file.move[second:] == direct.move).all()
    for row in (0, 1, 100):
        expected, found = direct.target(row), before.file.target(int(second) + row)
        assert (expected is None) == (found is None)
        if expected is not None and found is not None:
            assert (expected.moves == found.moves).all() and (expected.probabilities == found.probabilities).all()


def test_games_of_another_komi_are_left_out(tmp_path: Path) -> None:
    komis = (5.5, 6.5, 7.0, 7.5, 8.0, 14.0)
    files = [write_games(tmp_path, [replace(game, komi=komi) for game, komi in zip(records(), komis, strict=True)])]
    everything = PositionStore(4, _never).load(files)
    komi = everything.file.games["komi"][everything.game_of_row]
    chosen = PositionStore(4, _never, (6.5, 7.5)).load(files)
    assert sorted([*chosen.learned, *chosen.held_out]) == np.flatnonzero((komi >= 6.5) & (komi <= 7.5)).tolist()
    assert set(chosen.learned) <= set(everything.learned)
    with pytest.raises(DataError, match="with that komi"):
        PositionStore(4, _never, (20.0, 30.0)).load(files)


def test_every_position_comes_once_a_pass_in_changing_symmetries() -> None:
    rows = np.arange(100, 150)
    order = Order(rows, 20, 1, 0)
    drawn = [order.draw(batch) for batch in range(10)]
    passes = np.concatenate([found for found, _ in drawn]).reshape(4, 50)
    for one in passes:
        assert sorted(one.tolist()) == rows.tolist()
    assert (passes[0] != passes[1]).any()
    assert set(np.concatenate([symmetries for _, symmetries in drawn]).tolist()) == set(range(8))
    again = Order(rows, 20, 1, 0)
    assert (again.draw(7)[0] == drawn[7][0]).all()
    assert (Order(rows, 20, 1, 5).draw(7)[0] != drawn[7][0]).any()


def test_threads_write_the_same_batches_in_the_same_order(tmp_path: Path) -> None:
    positions = PositionStore(5, _never).load(write_files(tmp_path))
    found = []
    for threads in (1, 3):
        recipe = replace(RECIPE, loader_threads=threads)
        loader = BatchLoader(positions, Order(positions.learned, 16, 1), "miai", recipe)
        found.append([batch.planes for batch in loader.batches(4, 11)])
        assert loader.num_read == 7 * 16
    assert len(found[0]) == len(found[1]) == 7
    for one, other in zip(*found, strict=True):
        assert (one == other).all()


def test_a_loop_trains_on_what_is_new_and_publishes_numbered_networks(tmp_path: Path) -> None:
    files = write_files(tmp_path / "games", 3)
    names = []
    with Trainer(CONFIG, tmp_path, replace(RECIPE, reuse=1.0), "cpu", _never) as trainer:
        for number in range(1, 4):
            goal = trainer.recipe.steps_for(number * 240)
            trainer.train(files[:number], goal - trainer.step)
            names.append(trainer.publish().name)
            names.append(trainer.publish(kind="the same").name)
        assert trainer.step == 45
        assert trainer.validation.keys() >= {"policy_accuracy", "value_error", "score_error"}
    assert names == [f"net-00000{number}.safetensors" for number in (1, 1, 2, 2, 3, 3)]
    averaged = {name: tensor for name, tensor in _state(tmp_path).items() if name.startswith("average.module.")}
    weights = load_weights(tmp_path / "nets" / names[-1])
    assert weights.config == CONFIG
    assert len(averaged) == len(weights.module.state_dict())
    for name, tensor in weights.module.state_dict().items():
        assert torch.equal(tensor, averaged[f"average.module.{name}"]), name


def test_a_folder_belongs_to_one_network_and_one_process(tmp_path: Path) -> None:
    files = write_files(tmp_path / "games")
    with Trainer(CONFIG, tmp_path, RECIPE, "cpu", _never) as trainer:
        trainer.train(files, 1)
        with pytest.raises(TrainingError, match="another process"):
            Trainer(CONFIG, tmp_path, RECIPE, "cpu", _never)
    with pytest.raises(TrainingError, match="another network"):
        Trainer(CONFIGS["miai"], tmp_path, RECIPE, "cpu", _never)
    with pytest.raises(TrainingError, match="holds a training by optimizer adamw, not muon"):
        Trainer(CONFIG, tmp_path, replace(RECIPE, optimizer="muon"), "cpu", _never)
    Trainer(CONFIG, tmp_path, RECIPE, "cpu", _never).close()


def test_a_loss_that_is_no_number_ends_training_before_it_is_kept(tmp_path: Path) -> None:
    files = write_files(tmp_path / "games")
    _train(tmp_path, files, 3)
    wild = replace(RECIPE, learning_rate=10.0, gradient_norm=1e9, score_weight=1e6, ownership_weight=1e6)
    with Trainer(CONFIG, tmp_path, wild, "cpu", _never) as trainer:
        with torch.no_grad():
            next(trainer._learner.network.parameters()).fill_(float("nan"))
        with pytest.raises(TrainingError, match="no number"):
            trainer.train(files, 10)
    assert [path.name for path in checkpoint_files(tmp_path / "checkpoints")] == ["state-00000003.safetensors"]


def test_stopping_ends_after_a_step_with_a_checkpoint(tmp_path: Path) -> None:
    files = write_files(tmp_path / "games")
    recipe = replace(RECIPE, checkpoint_every=1000)
    with Trainer(CONFIG, tmp_path, recipe, "cpu", _never) as trainer:
        learn = trainer._learner.learn

        def learn_and_stop(*arguments):  # type: ignore[no-untyped-def]
            if trainer.step == 4:
                trainer.stop()
            return learn(*arguments)

        trainer._learner.learn = learn_and_stop  # type: ignore[method-assign]
        trainer.train(files, 100)
        assert trainer.step == 5
        assert trainer.losses["loss"] > 0
    assert read_checkpoint(checkpoint_files(tmp_path / "checkpoints")[0]).values["step"] == 5


def test_a_stop_while_batches_are_prepared_ends_training_after_a_step(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = write_files(tmp_path / "games")
    with Trainer(CONFIG, tmp_path, RECIPE, "cpu", _never) as trainer:
        prepare = BatchLoader.compile
        monkeypatch.setattr(BatchLoader, "compile", lambda self: (prepare(self), trainer.stop()))
        trainer.train(files, 6)
        assert trainer.step == 1
        monkeypatch.undo()
        trainer.train(files, 2)
        assert trainer.step == 3


def test_a_network_says_which_komi_it_learned(tmp_path: Path) -> None:
    files = write_files(tmp_path / "games")
    komi = np.concatenate([read_games(file).games["komi"] for file in files])
    with Trainer(CONFIG, tmp_path, RECIPE, "cpu", _never) as trainer:
        trainer.train(files, 2)
        net = trainer.publish()
    learned = load_weights(net).summary["komi"]
    assert komi.min() <= learned[0] <= learned[1] <= komi.max()
    with Trainer(CONFIG, tmp_path, RECIPE, "cpu", _never) as trainer:  # from its checkpoint
        assert list(trainer._komi) == learned
    with Trainer(CONFIG, tmp_path / "next", RECIPE, "cpu", _never, start_from=net) as trainer:
        assert list(trainer._komi) == learned
