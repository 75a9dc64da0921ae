"""Networks: the form of their outputs, what komi and distant stones reach, and batch norm folded away."""

from dataclasses import replace

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from miai.nets.config import CONFIGS, NetConfig  # noqa: E402
from miai.nets.folding import fold  # noqa: E402
from miai.nets.form import RawOutputs, array_shapes  # noqa: E402
from miai.nets.inference.inference_module import InferenceModule  # noqa: E402
from miai.nets.net_files import arrays_of  # noqa: E402
from miai.nets.planes import PLANES  # noqa: E402
from miai.nets.torch_network import build_network  # noqa: E402
from tests.nets.networks import SMALL, small_net  # noqa: E402
from tests.nets.positions import batch_of  # noqa: E402


@pytest.mark.parametrize("size", [7, 9, 13])
def test_the_network_miai_gives_all_outputs_on_every_size(size: int) -> None:
    raw = small_net("miai").module(torch.from_numpy(batch_of("miai", size, 3)))
    points = size * size
    assert raw.policy.shape == raw.reply.shape == (3, points + 1)
    assert raw.wdl.shape == (3, 3)
    assert raw.score.shape == (3,)
    assert raw.ownership.shape == (3, points)
    assert raw.ownership.abs().max() <= 1
    assert raw.value is None


def test_the_network_li_lim_gives_a_policy_and_one_value() -> None:
    raw = small_net("li-lim").module(torch.from_numpy(batch_of("li-lim", 9, 3)))
    assert raw.policy.shape == (3, 82)
    assert raw.value.shape == (3,)
    assert raw.value.abs().max() <= 1
    assert [raw.wdl, raw.score, raw.ownership, raw.reply] == [None] * 4


@pytest.mark.parametrize("kind", SMALL)
def test_training_reaches_every_weight(kind: str) -> None:
    module = small_net(kind).module.train()
    raw = module(torch.from_numpy(batch_of(kind, 9, 32)))
    sum(output.square().sum() for output in raw if output is not None).backward()
    without = [name for name, weight in module.named_parameters() if weight.grad is None or not weight.grad.any()]
    assert without == []


@pytest.mark.parametrize("config", [*CONFIGS.values(), *SMALL.values()])
def test_the_arrays_of_a_network_have_the_shapes_that_are_told_without_torch(config: NetConfig) -> None:
    arrays = arrays_of(build_network(config))
    assert {name: array.shape for name, array in arrays.items()} == array_shapes(config)
    kinds = {name: str(array.dtype) for name, array in arrays.items() if array.dtype != np.float32}
    assert all(name.endswith("num_batches_tracked") and dtype == "int64" for name, dtype in kinds.items())


def test_the_parameters_keep_the_order_by_which_checkpoints_number_them() -> None:
    module = build_network(replace(SMALL["miai"], blocks=1, pooling_blocks=1))
    block = ["norm1.bias", "conv1.weight", "norm2.bias", "conv2.weight", "pool_norm.bias", "pool_linear.weight"]
    heads = ["norm.bias", "head_conv.weight", "policy_norm.bias", "pool_norm.bias", "value_norm.bias"]
    heads += ["policy_pool_linear.weight", "policy_conv.weight", "pass_linear.weight", "pass_linear.bias"]
    heads += [f"value_linear{number}.{part}" for number in (1, 2) for part in ("weight", "bias")]
    heads += ["ownership_conv.weight", "ownership_conv.bias"]
    names = [name for name, _ in module.named_parameters()]
    assert names == ["conv.weight", *(f"blocks.0.{name}" for name in block), *heads]


@pytest.mark.parametrize(("kind", "size"), [("li-lim", 9), ("miai", 7), ("miai", 9), ("miai", 13)])
def test_a_folded_network_has_no_batch_norm_and_says_the_same(kind: str, size: int) -> None:
    net = small_net(kind)
    before = {name: array.copy() for name, array in net.arrays.items()}
    assert not any("norm" in name for name in fold(net.config, net.arrays))
    planes = torch.from_numpy(batch_of(kind, size, 16))
    folded = InferenceModule(net).network
    assert not any(isinstance(part, torch.nn.BatchNorm2d) for part in folded.modules())
    for expected, output in zip(net.module(planes), folded(planes), strict=True):
        if expected is None:
            assert output is None
        else:
            torch.testing.assert_close(output, expected, atol=1e-4, rtol=1e-4)
    assert all((array == before[name]).all() for name, array in net.arrays.items())


def test_komi_and_what_lies_far_away_change_every_output_of_the_network_miai() -> None:
    module = small_net("miai").module
    planes = batch_of("miai", 13, 1)
    changed = np.concatenate([planes, planes, planes])
    komi = PLANES["miai"].index("komi for the player to move, in units of 15 points")
    changed[1, komi] += 0.2
    changed[2, 0, 0, 0] = 1 - changed[2, 0, 0, 0]
    with torch.no_grad():
        raw = RawOutputs(*(output for output in module(torch.from_numpy(changed))[:5]))
    assert raw.policy is not None
    far = 13 * 13 - 1  # a network of three blocks without pooling would not see the first point from the last
    for other in (1, 2):
        for output in (raw.policy[:, far], raw.wdl[:, 0], raw.score, raw.ownership[:, far], raw.reply[:, far]):
            assert abs(output[other] - output[0]) > 1e-6


@pytest.mark.parametrize(("name", "weights"), [("li-lim", 111_901), ("miai", 453_511)])
def test_the_named_configurations_have_as_many_weights_as_documented(name: str, weights: int) -> None:
    assert sum(weight.numel() for weight in build_network(CONFIGS[name]).parameters()) == weights


def test_a_network_without_pooling_blocks_can_be_made() -> None:
    module = build_network(replace(SMALL["miai"], pooling_blocks=0))
    assert module(torch.from_numpy(batch_of("miai", 9, 2))).policy.shape == (2, 82)
