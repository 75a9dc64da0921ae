"""Learning from a teacher's labels: targets, their symmetries, what is left out, and that the loss falls."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from miai.nets.config import CONFIGS  # noqa: E402
from miai.nets.form import RawOutputs  # noqa: E402
from miai.nets.symmetry import NUM_SYMMETRIES  # noqa: E402
from miai.selfplay.data.format import GameFile, file_content, write_games  # noqa: E402
from miai.selfplay.data.labels import Opinions, read_labels, round_opinions, with_labels  # noqa: E402
from miai.selfplay.training.losses import metrics  # noqa: E402
from miai.selfplay.training.positions import Positions, PositionStore, by_phase  # noqa: E402
from miai.selfplay.training.samples import TrainingBatch, write_batch  # noqa: E402
from miai.selfplay.training.trainer import Trainer  # noqa: E402
from miai.selfplay.training.training_recipe import TrainingRecipe  # noqa: E402
from tests.nets.symmetric_planes import transform, transform_planes  # noqa: E402
from tests.training.made_games import game_of_row, games_file, records  # noqa: E402

EVERY_THIRD = 3


def _never(text: str) -> None:
    pytest.fail(text)


def _opinions(number: int, seed: int = 1) -> Opinions:
    rng = np.random.default_rng(seed)
    return Opinions(
        rng.dirichlet(np.full(82, 0.1), number).astype(np.float32),
        rng.dirichlet(np.ones(3), number).astype(np.float32),
        rng.uniform(-20, 20, number).astype(np.float32),
        rng.uniform(-1, 1, (number, 81)).astype(np.float32),
    )


def _labelled(every: int = 1, number: int = 6) -> GameFile:
    file = games_file(number)
    rows = np.arange(0, file.num_rows, every)
    return with_labels(file, rows, round_opinions(_opinions(len(rows))))


def _batch(file: GameFile, rows: np.ndarray, symmetry: int = 0, teacher_weight: float = 1.0) -> TrainingBatch:
    turned = np.full(len(rows), symmetry, dtype=np.int64)
    return write_batch(file, game_of_row(file), rows, turned, "miai", 0.6, teacher_weight)


def test_targets_are_the_labels() -> None:
    file = _labelled()
    rows = np.arange(file.num_rows)
    said, batch = read_labels(file, rows), _batch(file, rows)
    for name in ("policy", "wdl", "score", "ownership"):
        np.testing.assert_allclose(getattr(batch, name), getattr(said, name), atol=1e-5, err_msg=name)
    np.testing.assert_allclose(batch.result, said.wdl[:, 0] + 0.5 * said.wdl[:, 1], atol=1e-5)
    for name in ("policy", "value", "score", "ownership"):
        assert (getattr(batch, f"{name}_weight") == 1.0).all(), name


def test_the_reply_is_what_the_teacher_says_one_move_later() -> None:
    file = _labelled()
    rows = np.arange(39)  # of the first game, whose colours alternate
    batch = _batch(file, rows)
    np.testing.assert_allclose(batch.reply, read_labels(file, rows + 1).policy, atol=1e-5)
    assert _batch(file, np.array([39])).reply_weight[0] == 0.0


@pytest.mark.parametrize("symmetry", range(NUM_SYMMETRIES))
def test_a_turned_sample_has_turned_labels(symmetry: int) -> None:
    file = _labelled()
    rows = np.arange(0, file.num_rows, 5)
    plain, turned = _batch(file, rows), _batch(file, rows, symmetry)
    assert (turned.planes == transform_planes(plain.planes, symmetry)).all()
    for name in ("policy", "reply", "ownership"):
        np.testing.assert_array_equal(getattr(turned, name), transform(getattr(plain, name), symmetry, 9))
    np.testing.assert_array_equal(turned.wdl, plain.wdl)


def test_without_weight_the_teacher_is_not_heard() -> None:
    rows = np.arange(240)
    heard, alone = _batch(_labelled(), rows, teacher_weight=0.0), _batch(games_file(), rows)
    for name, one, other in zip(heard._fields, heard, alone, strict=True):
        np.testing.assert_array_equal(one, other, err_msg=name)


def test_teacher_and_game_are_mixed_where_both_are_known() -> None:
    rows = np.arange(240)
    teacher, game, mixed = (
        _batch(_labelled(), rows, teacher_weight=1.0),
        _batch(games_file(), rows),
        _batch(_labelled(), rows, teacher_weight=0.25),
    )
    for name, weight in (("policy", "policy"), ("wdl", "value"), ("score", "score"), ("ownership", "ownership")):
        known = getattr(game, f"{weight}_weight") == 1.0
        assert known.any()
        expected = 0.25 * getattr(teacher, name) + 0.75 * getattr(game, name)
        np.testing.assert_allclose(getattr(mixed, name)[known], expected[known], atol=1e-4, err_msg=name)
        np.testing.assert_allclose(getattr(mixed, name)[~known], getattr(teacher, name)[~known], atol=1e-5)


def test_the_policy_counts_more_where_the_move_played_loses_by_the_teacher() -> None:
    file, rows = _labelled(), np.arange(40)  # a game, whose colours alternate
    said = read_labels(file, rows)
    result = said.wdl[:, 0] + 0.5 * said.wdl[:, 1]
    lost = np.maximum(0.0, result[:-1] - (1.0 - result[1:]))
    assert 0 < (lost > 0.1).sum() < 39
    turned = np.zeros(40, dtype=np.int64)
    weighed = write_batch(file, game_of_row(file), rows, turned, "miai", 0.6, mistake_weight=8.0)
    np.testing.assert_allclose(weighed.policy_weight, [*(1.0 + 8.0 * lost), 1.0], rtol=1e-5)
    for name, one, other in zip(weighed._fields, weighed, _batch(file, rows), strict=True):
        if name != "policy_weight":
            np.testing.assert_array_equal(one, other, err_msg=name)
    unsure = _labelled(EVERY_THIRD)
    apart = write_batch(unsure, game_of_row(unsure), rows[::3], turned[::3], "miai", 0.6, mistake_weight=8.0)
    assert (apart.policy_weight == 1.0).all()


def test_of_a_labelled_file_only_what_has_a_label_is_learned(tmp_path: Path) -> None:
    plain = write_games(tmp_path, records(6))
    labelled = tmp_path / "games-00000002.npz"
    labelled.write_bytes(file_content(_labelled(EVERY_THIRD)))
    second = tmp_path / "games-00000003.npz"
    second.write_bytes(file_content(_labelled(EVERY_THIRD + 1)))
    positions = PositionStore(1000, _never).load([plain, labelled, second])
    rows = np.concatenate([positions.learned, positions.held_out])
    expected = [*range(240), *range(240, 480, EVERY_THIRD), *range(480, 720, EVERY_THIRD + 1)]
    assert sorted(rows.tolist()) == expected
    file = positions.file
    parts = ((labelled, 240, EVERY_THIRD), (second, 480, EVERY_THIRD + 1))
    for _, first, every in parts:
        own = np.arange(first, first + 240, every)
        np.testing.assert_allclose(
            read_labels(file, own).score, read_labels(_labelled(every), own - first).score, rtol=1e-6
        )


def test_phases_part_the_positions() -> None:
    file = games_file()
    store_rows = np.arange(file.num_rows)
    positions = Positions(file, game_of_row(file), store_rows, store_rows[:0], ())
    parts = by_phase(positions, store_rows)
    assert {name: len(part) for name, part in parts.items()} == {"opening": 120, "middle": 120}
    assert sorted(np.concatenate(list(parts.values())).tolist()) == store_rows.tolist()
    assert set(parts["opening"] % 40) == set(range(20))


def test_ownership_that_is_unsure_counts_less() -> None:
    batch = _batch(_labelled(), np.arange(1))
    targets = TrainingBatch(*(torch.from_numpy(array) for array in batch))
    ownership = torch.zeros((1, 81))
    ownership[0, :2] = torch.tensor([0.9, 0.1])
    targets = targets._replace(ownership=ownership)
    said = torch.zeros((1, 81))
    said[0, :2] = torch.tensor([1.0, -1.0])
    outputs = RawOutputs(torch.zeros((1, 82)), wdl=torch.zeros((1, 3)), ownership=said)
    assert metrics(outputs, targets)["ownership_accuracy"].item() == pytest.approx(0.9)


@pytest.mark.parametrize("precision", ["float32", "bfloat16"])
def test_the_loss_on_games_held_out_falls(tmp_path: Path, precision: str) -> None:
    """The teacher says the same of every position: the centre, 80 %, five points, and half of every point."""
    file = games_file(12)
    number = file.num_rows
    policy = np.zeros((number, 82), dtype=np.float32)
    policy[:, 40] = 1.0
    wdl = np.tile(np.array([0.8, 0.0, 0.2], dtype=np.float32), (number, 1))
    said = Opinions(policy, wdl, np.full(number, 5.0, np.float32), np.full((number, 81), 0.5, np.float32))
    (tmp_path / "games").mkdir()
    path = tmp_path / "games" / "games-00000001.npz"
    path.write_bytes(file_content(with_labels(file, np.arange(number), round_opinions(said))))
    config = replace(CONFIGS["miai"], blocks=1, filters=8, pooling_blocks=0)
    recipe = TrainingRecipe(batch_size=32, held_out=4, learning_rate=0.01, ema_decay=0.9, precision=precision)
    with Trainer(config, tmp_path / "out", recipe, "cpu", _never) as trainer:
        trainer.train([path], 1, 60)
        first = dict(trainer.validation)
        trainer.train([path], 59, 60)
        last = dict(trainer.validation)
    for name in ("policy", "value", "score", "ownership", "reply", "policy_opening", "value_middle"):
        assert last[name] < first[name], name
    assert last["policy"] < 0.7 * first["policy"]
