"""A network with added blocks gives what the one before it gave, and can learn on."""

from dataclasses import replace
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("safetensors")

from miai.nets.config import CONFIGS, ConfigError  # noqa: E402
from miai.nets.net_files import load_weights, net_file, save_weights  # noqa: E402
from miai.nets.torch_network import build_network  # noqa: E402
from miai.selfplay.training.deepening import deepened  # noqa: E402
from miai.selfplay.training.trainer import Trainer, TrainingError  # noqa: E402
from miai.selfplay.training.training_recipe import TrainingRecipe  # noqa: E402
from tests.training.made_games import write_files  # noqa: E402

SMALL = replace(CONFIGS["miai"], blocks=3, filters=8, pooling_blocks=2)
RECIPE = TrainingRecipe(batch_size=16, held_out=5, validation_positions=50)


@pytest.mark.parametrize("blocks", [6, 7, 9, 12])
def test_the_shipped_network_with_more_blocks_gives_the_same(blocks: int) -> None:
    net = load_weights(net_file("miai-zero"))
    form = replace(net.config, name="deeper", blocks=blocks)
    network = build_network(form)
    network.load_state_dict(deepened(net.module.state_dict(), net.config, form, network.state_dict()))
    planes = torch.rand(4, net.arrays["conv.weight"].shape[1], 9, 9)
    with torch.no_grad():
        before, after = net.module(planes), network.eval()(planes)
    for one, other in zip(before, after, strict=True):
        assert one is other is None or torch.allclose(one, other, atol=1e-4)


@pytest.mark.parametrize(
    ("changed", "named"),
    [
        ({"filters": 12}, "only blocks of the kind miai"),
        ({"pooling_blocks": 1, "blocks": 6}, "only blocks of the kind miai"),
        ({"blocks": 6}, "do not fit between those that pool; they do with 7"),
        ({"blocks": 8}, "do not fit between those that pool; they do with 9"),
    ],
)
def test_what_cannot_become_another_form_is_told(changed: dict[str, int], named: str) -> None:
    before = replace(SMALL, blocks=7, pooling_blocks=4)
    form = replace(before, name="other", **changed)
    weights, fresh = build_network(before).state_dict(), build_network(form).state_dict()
    with pytest.raises(ConfigError, match=named):
        deepened(weights, before, form, fresh)


def test_training_begins_with_a_shallower_network_and_moves_its_new_blocks(tmp_path: Path) -> None:
    files = write_files(tmp_path / "games")
    shallow = tmp_path / "shallow.safetensors"
    save_weights(shallow, build_network(SMALL), SMALL, {})
    deep = replace(SMALL, name="deep", blocks=6)
    with Trainer(deep, tmp_path / "run", RECIPE, "cpu", start_from=shallow) as trainer:
        trainer.train(files, 3)
        learned = load_weights(trainer.publish())
    assert learned.config == deep
    assert (learned.arrays["blocks.1.conv2.weight"] != 0).any()
    with pytest.raises(TrainingError, match="shallow.safetensors: .* cannot become"):
        Trainer(replace(deep, filters=12), tmp_path / "other", RECIPE, "cpu", start_from=shallow)
