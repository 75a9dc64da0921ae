"""Muon: what its steps are, and that a network learns by them."""

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("safetensors")

from miai.selfplay.training.learner import Learner  # noqa: E402
from miai.selfplay.training.muon import Muon, orthogonalized  # noqa: E402
from miai.selfplay.training.training_recipe import TrainingRecipe  # noqa: E402
from tests.training.test_learner import SMALL, _batch  # noqa: E402


@pytest.mark.parametrize("shape", [(3, 16, 144), (2, 48, 12), (1, 8, 8)])
def test_all_singular_values_come_near_one_and_the_directions_stay(shape: tuple[int, ...]) -> None:
    matrices = torch.randn(shape, generator=torch.Generator().manual_seed(1))
    found = orthogonalized(1000.0 * matrices)
    assert found.shape == matrices.shape
    values = torch.linalg.svdvals(found)
    assert 0.6 < float(values.min()) and float(values.max()) < 1.25
    left, _, right = torch.linalg.svd(matrices, full_matrices=False)
    inner = left.mT @ found @ right.mT  # diagonal, if the singular vectors are the same
    assert float((inner - torch.diag_embed(inner.diagonal(dim1=-2, dim2=-1))).abs().max()) < 1e-3


def test_a_step_has_the_size_of_adamws_and_goes_downhill() -> None:
    weight = torch.nn.Parameter(torch.randn((8, 4, 3, 3), generator=torch.Generator().manual_seed(2)))
    weight.data = weight.data.to(memory_format=torch.channels_last)
    before = weight.detach().clone()
    optimizer = Muon([weight], lr=0.01, weight_decay=0.0)
    (1e-6 * weight.square().sum()).backward()
    optimizer.step()
    step = weight.detach() - before
    assert 0.7 * 0.002 < float(step.square().mean().sqrt()) < 1.2 * 0.002
    assert float((step * before).sum()) < 0.0


def test_decay_alone_shrinks_weights() -> None:
    weight = torch.nn.Parameter(torch.ones((2, 2)))
    optimizer = Muon([weight], lr=0.1, weight_decay=0.5)
    weight.grad = torch.zeros_like(weight)
    optimizer.step()
    assert torch.allclose(weight, torch.full((2, 2), 0.95))


def test_muon_has_the_blocks_matrices_and_a_restored_learner_goes_on_alike() -> None:
    recipe = TrainingRecipe(optimizer="muon")
    batch = _batch(SMALL["miai"])
    learner = Learner(SMALL["miai"], recipe, torch.device("cpu"))
    for _ in range(5):
        learner.learn(batch, 1e-3)
    kept = {name: tensor.clone() for name, tensor in learner.tensors().items()}
    numbers = {name.split(".")[1] for name in kept if name.startswith("muon.")}
    inner = [one for name, one in learner.network.named_parameters() if name.startswith("blocks.") and one.dim() > 1]
    assert len(numbers) == len(inner) > 0
    other = Learner(SMALL["miai"], recipe, torch.device("cpu"))
    other.restore(kept)
    for one in (learner, other):
        one.learn(batch, 1e-3)
    expected = learner.tensors()
    assert all(torch.equal(tensor, expected[name]) for name, tensor in other.tensors().items())
    with pytest.raises(KeyError):
        Learner(SMALL["miai"], TrainingRecipe(), torch.device("cpu")).restore(kept)


def test_a_batch_is_learned_by_heart() -> None:
    learner = Learner(SMALL["miai"], TrainingRecipe(optimizer="muon", gradient_norm=100.0), torch.device("cpu"))
    batch = _batch(SMALL["miai"])
    losses = [float(learner.learn(batch, 3e-3)["loss"]) for _ in range(200)]
    assert losses[-1] < losses[0] / 2
