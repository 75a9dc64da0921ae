"""Batches of positions that lie on a device."""

from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("safetensors")

from miai.selfplay.training.device_batches import DeviceBatchLoader, new_loader  # noqa: E402
from miai.selfplay.training.loader import BatchLoader, Order  # noqa: E402
from miai.selfplay.training.positions import Positions, PositionStore  # noqa: E402
from miai.selfplay.training.training_recipe import TrainingRecipe  # noqa: E402
from tests.training.made_games import write_files  # noqa: E402

RECIPE = TrainingRecipe(batch_size=32, loader_threads=2, mistake_weight=10.0)
CPU = torch.device("cpu")
needs_gpu = pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU")


@pytest.fixture
def positions(tmp_path: Path) -> Positions:
    return PositionStore(5, pytest.fail).load(write_files(tmp_path))


def _order(positions: Positions) -> Order:
    return Order(positions.learned, RECIPE.batch_size, 1)


@pytest.mark.parametrize("kind", ["miai", "tactics"])
def test_batches_on_a_device_are_those_written_one_by_one(positions: Positions, kind: str) -> None:
    written = BatchLoader(positions, _order(positions), kind, RECIPE)
    kept = DeviceBatchLoader(positions, _order(positions), kind, RECIPE, CPU)
    last = 3 + 2 * len(positions.learned) // RECIPE.batch_size
    number = 0
    for one, other in zip(written.batches(3, last), kept.batches(3, last), strict=True):
        for name, expected, found in zip(one._fields, one, other, strict=True):
            assert found.dtype == torch.float32
            np.testing.assert_allclose(found.numpy(), expected, rtol=1e-3, atol=1e-6, err_msg=name)
        number += 1
    assert number == last - 3
    assert kept.num_read == written.num_read == number * RECIPE.batch_size
    assert kept.num_written == len(positions.learned)


def test_only_a_gpu_keeps_positions(positions: Positions) -> None:
    loader = new_loader(positions, _order(positions), "miai", RECIPE, CPU, steps=1000)
    assert type(loader) is BatchLoader


@needs_gpu
@pytest.mark.parametrize(("steps", "kind"), [(1, BatchLoader), (1000, DeviceBatchLoader)])
def test_a_gpu_keeps_positions_that_are_all_used(positions: Positions, steps: int, kind: type) -> None:
    loader = new_loader(positions, _order(positions), "miai", RECIPE, torch.device("cuda"), steps)
    assert type(loader) is kind
