"""Losses, a step of learning, and averaged weights."""

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("safetensors")

from miai.nets.config import CONFIGS, NetConfig  # noqa: E402
from miai.nets.form import RawOutputs  # noqa: E402
from miai.selfplay.training.learner import Learner  # noqa: E402
from miai.selfplay.training.losses import MEASURES, TERMS, loss_terms, metrics, total_loss  # noqa: E402
from miai.selfplay.training.samples import TrainingBatch, write_batch  # noqa: E402
from miai.selfplay.training.training_recipe import TrainingRecipe  # noqa: E402
from miai.selfplay.training.weight_average import ema_copy, ema_decay_at  # noqa: E402
from tests.training.made_games import game_of_row, games_file  # noqa: E402

SMALL = {
    "li-lim": replace(CONFIGS["li-lim"], blocks=1, filters=16),
    "miai": replace(CONFIGS["miai"], blocks=1, filters=16, pooling_blocks=1),
}


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def _batch(config: NetConfig, number: int = 24) -> TrainingBatch:
    file = games_file()
    rows = np.random.default_rng(1).permutation(file.num_rows)[:number]
    return write_batch(file, game_of_row(file), rows, np.arange(number) % 8, config.planes, 0.6)


def _entropy(shares: np.ndarray, weights: np.ndarray) -> float:
    safe = np.where(shares > 0, shares, 1.0)
    return float((-(shares * np.log(safe)).sum(axis=1) * weights).sum() / weights.sum())


@pytest.mark.parametrize("kind", SMALL)
def test_one_batch_is_learned_by_heart_down_to_its_entropy(kind: str) -> None:
    recipe = TrainingRecipe(gradient_norm=100.0)
    learner = Learner(SMALL[kind], recipe, torch.device("cpu"))
    batch = _batch(SMALL[kind])
    first = {name: float(value) for name, value in learner.learn(batch, 3e-3).items()}
    for _ in range(500):
        last = {name: float(value) for name, value in learner.learn(batch, 3e-3).items()}
    least = {"policy": _entropy(batch.policy, batch.policy_weight), "score": 0.0, "ownership": 0.0}
    least["reply"] = _entropy(batch.reply, batch.reply_weight)
    least["value"] = _entropy(batch.wdl, batch.value_weight) if kind == "miai" else 0.0
    for name in set(TERMS) & set(last):
        assert last[name] - least[name] < 0.1 * (first[name] - least[name]), name
        assert last[name] > least[name] - 1e-3, name
    assert set(last) >= set(TERMS) if kind == "miai" else "score" not in last


def test_terms_are_what_they_are_said_to_be() -> None:
    batch = _batch(SMALL["miai"], 8)
    rng = np.random.default_rng(2)
    policy, reply = rng.normal(size=(2, 8, 82)).astype(np.float32)
    wdl = rng.normal(size=(8, 3)).astype(np.float32)
    score = rng.normal(scale=20, size=8).astype(np.float32)
    owners = np.tanh(rng.normal(size=(8, 81))).astype(np.float32)
    outputs = RawOutputs(*(torch.from_numpy(one) for one in (policy, wdl, score, owners, reply)))
    targets = TrainingBatch(*(torch.from_numpy(one) for one in batch))
    recipe = TrainingRecipe(huber_delta=5.0, reply_weight=2.0)
    found = {name: float(term) for name, term in loss_terms(outputs, targets, recipe).items()}

    def cross_entropy(logits: np.ndarray, shares: np.ndarray, weights: np.ndarray) -> float:
        logs = logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))
        return float((-(shares * logs).sum(axis=1) * weights).sum() / weights.sum())

    error = np.abs(score - batch.score)
    huber = np.where(error < 5, 0.5 * error**2, 5 * (error - 2.5)).mean()
    expected = {
        "policy": cross_entropy(policy, batch.policy, batch.policy_weight),
        "value": cross_entropy(wdl, batch.wdl, batch.value_weight),
        "score": huber,
        "ownership": ((owners - batch.ownership) ** 2).mean(),
        "reply": cross_entropy(reply, batch.reply, batch.reply_weight),
    }
    assert 0 < batch.policy_weight.sum() < 8
    assert found == pytest.approx(expected, rel=1e-5)
    total = float(total_loss(loss_terms(outputs, targets, recipe), recipe))
    weights = {"policy": 1, "value": 1, "score": 0.02, "ownership": 0.5, "reply": 2}
    assert total == pytest.approx(sum(weights[name] * value for name, value in expected.items()), rel=1e-5)
    measured = metrics(outputs, targets)
    assert float(measured["policy_entropy"]) == pytest.approx(_entropy(batch.policy, batch.policy_weight), rel=1e-5)
    assert float(measured["score_error"]) == pytest.approx(error.mean(), rel=1e-5)
    right = (policy.argmax(1) == batch.policy.argmax(1)) * batch.policy_weight
    assert float(measured["policy_accuracy"]) == pytest.approx(right.sum() / batch.policy_weight.sum())


def test_what_is_known_of_no_position_is_no_number_and_left_out_of_means() -> None:
    batch = _batch(SMALL["miai"], 8)
    unscored = batch._replace(score_weight=np.zeros(8, np.float32), ownership_weight=np.zeros(8, np.float32))
    unscored.ownership[:] = 0
    learner = Learner(SMALL["miai"], TrainingRecipe(), torch.device("cpu"))
    found = {name: float(value) for name, value in learner.learn(unscored, 1e-3).items()}
    assert {name for name, value in found.items() if math.isnan(value)} == {"score", "ownership"}
    validated = learner.validate([unscored, unscored])
    assert not {"score", "ownership", "score_error", "ownership_accuracy"} & validated.keys()
    assert {*TERMS, *MEASURES, "loss"} == validated.keys() | {"score", "ownership", "score_error", "ownership_accuracy"}
    known = learner.validate([_batch(SMALL["miai"], 8)])
    mixed = learner.validate([unscored, _batch(SMALL["miai"], 8), unscored])
    assert {*TERMS, *MEASURES, "loss"} == mixed.keys()
    for name in ("score", "ownership", "score_error", "ownership_accuracy"):
        assert mixed[name] == known[name]


def test_perfect_outputs_measure_as_perfect() -> None:
    targets = TrainingBatch(*(torch.from_numpy(one) for one in _batch(SMALL["miai"], 8)))
    certain = torch.stack([targets.result, torch.zeros(8), 1 - targets.result], dim=1)
    policy = (targets.policy + 1e-9).log()
    found = metrics(RawOutputs(policy, (certain + 1e-9).log(), targets.score, targets.ownership), targets)
    for name, value in {"policy_accuracy": 1, "value_error": 0, "score_error": 0, "ownership_accuracy": 1}.items():
        assert float(found[name]) == pytest.approx(value, abs=1e-6), name


def test_the_average_follows_weights_and_statistics_of_norms() -> None:
    network = torch.nn.Sequential(torch.nn.Conv2d(1, 2, 1), torch.nn.BatchNorm2d(2))
    averaged = ema_copy(network, 0.5)
    expected: dict[str, np.ndarray] = {}
    for step in range(5):
        with torch.no_grad():
            for tensor in network.state_dict().values():
                tensor.copy_(torch.randn(tensor.shape) * 10)
        averaged.update_parameters(network)
        share = ema_decay_at(0.5, step) if step else 0.0
        for name, tensor in network.state_dict().items():
            if tensor.is_floating_point():
                expected[name] = share * expected.get(name, np.zeros(1)) + (1 - share) * tensor.numpy()
    found = averaged.module.state_dict()
    assert {"0.weight", "1.running_mean", "1.running_var"} <= set(expected)
    for name, value in expected.items():
        assert found[name].numpy() == pytest.approx(value, rel=1e-5), name
    assert [ema_decay_at(0.999, number) for number in (0, 9, 100_000)] == [0.1, 10 / 19, 0.999]


@pytest.mark.parametrize("kind", SMALL)
def test_a_learner_goes_on_from_its_tensors_as_if_it_had_not_stopped(kind: str) -> None:
    recipe, device = TrainingRecipe(), torch.device("cpu")
    batches = [_batch(SMALL[kind], number) for number in (8, 9, 10, 11)]
    through = Learner(SMALL[kind], recipe, device)
    for batch in batches:
        through.learn(batch, 1e-3)
    halfway = Learner(SMALL[kind], recipe, device)
    for batch in batches[:2]:
        halfway.learn(batch, 1e-3)
    resumed = Learner(SMALL[kind], replace(recipe, seed=2), device)
    resumed.restore({name: tensor.clone().contiguous() for name, tensor in halfway.tensors().items()})
    for batch in batches[2:]:
        resumed.learn(batch, 1e-3)
    expected, found = through.tensors(), resumed.tensors()
    assert expected.keys() == found.keys()
    assert any(name.endswith("exp_avg_sq") for name in expected)
    for name, tensor in expected.items():
        assert torch.equal(tensor, found[name]), name


def test_bfloat16_learns_too() -> None:
    learner = Learner(SMALL["miai"], TrainingRecipe(precision="bfloat16"), torch.device("cpu"))
    batch = _batch(SMALL["miai"], 8)
    losses = [float(learner.learn(batch, 3e-3)["loss"]) for _ in range(30)]
    assert losses[-1] < 0.9 * losses[0]
    assert all(tensor.dtype != torch.bfloat16 for tensor in learner.tensors().values())


@pytest.mark.parametrize("kind", SMALL)
def test_a_validation_in_batches_of_any_size_is_that_of_all_positions(kind: str) -> None:
    learner = Learner(SMALL[kind], TrainingRecipe(), torch.device("cpu"))
    whole = _batch(SMALL[kind], 24)
    parts = [TrainingBatch(*(array[first:last] for array in whole)) for first, last in ((0, 13), (13, 23), (23, 24))]
    together, apart = learner.validate([whole]), learner.validate(parts)
    assert together.keys() == apart.keys() and {"loss", "policy", "policy_accuracy", "value_error"} <= together.keys()
    for name, value in together.items():
        assert apart[name] == pytest.approx(value, rel=1e-4), name
    assert learner.validate([]) == {}
