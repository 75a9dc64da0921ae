"""A network with added blocks or planes gives what the one before it gave, and can learn on."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("safetensors")

from miai.nets.config import CONFIGS, ConfigError  # noqa: E402
from miai.nets.net_files import load_weights, net_file, save_weights  # noqa: E402
from miai.nets.planes import num_planes  # noqa: E402
from miai.nets.torch_network import build_network  # noqa: E402
from miai.selfplay.training.growing import grown  # noqa: E402
from miai.selfplay.training.trainer import Trainer, TrainingError  # noqa: E402
from miai.selfplay.training.training_recipe import TrainingRecipe  # noqa: E402
from tests.training.made_games import write_files  # noqa: E402

SMALL = replace(CONFIGS["miai"], blocks=3, filters=8, pooling_blocks=2)
RECIPE = TrainingRecipe(batch_size=16, held_out=5, validation_positions=50)


@pytest.mark.parametrize(
    ("blocks", "planes"), [(6, "miai"), (7, "miai"), (9, "miai"), (12, "miai"), (6, "tactics"), (7, "tactics")]
)
def test_the_shipped_network_with_more_blocks_or_planes_gives_the_same(blocks: int, planes: str) -> None:
    net = load_weights(net_file("miai-zero"))
    form = replace(net.config, name="larger", blocks=blocks, planes=planes)
    network = build_network(form)
    network.load_state_dict(grown(net.module.state_dict(), net.config, form, network.state_dict()))
    values = torch.rand(4, num_planes(planes), 9, 9)
    with torch.no_grad():
        before, after = net.module(values[:, : num_planes(net.config.planes)]), network.eval()(values)
    for one, other in zip(before, after, strict=True):
        assert one is other is None or torch.allclose(one, other, atol=1e-4)


@pytest.mark.parametrize(
    ("changed", "named"),
    [
        ({"filters": 12}, "only blocks and input planes of the kind miai"),
        ({"pooling_blocks": 1, "blocks": 6}, "only blocks and input planes of the kind miai"),
        ({"planes": "miai"}, "only blocks and input planes of the kind miai"),
        ({"blocks": 6}, "do not fit between those that pool; they do with 7"),
        ({"blocks": 8}, "do not fit between those that pool; they do with 9"),
    ],
)
def test_what_cannot_become_another_form_is_told(changed: dict[str, Any], named: str) -> None:
    before = replace(SMALL, blocks=7, pooling_blocks=4, planes="tactics")
    form = replace(before, name="other", **changed)
    weights, fresh = build_network(before).state_dict(), build_network(form).state_dict()
    with pytest.raises(ConfigError, match=named):
        grown(weights, before, form, fresh)


def test_training_begins_with_a_smaller_network_and_moves_what_is_new(tmp_path: Path) -> None:
    files = write_files(tmp_path / "games")
    small = tmp_path / "small.safetensors"
    save_weights(small, build_network(SMALL), SMALL, {})
    large = replace(SMALL, name="large", blocks=6, planes="tactics")
    with Trainer(large, tmp_path / "run", RECIPE, "cpu", start_from=small) as trainer:
        trainer.train(files, 3)
        learned = load_weights(trainer.publish())
    assert learned.config == large
    assert (learned.arrays["blocks.1.conv2.weight"] != 0).any()
    assert (learned.arrays["conv.weight"][:, num_planes("miai") :] != 0).any()
    with pytest.raises(TrainingError, match="small.safetensors: .* cannot become"):
        Trainer(replace(large, filters=12), tmp_path / "other", RECIPE, "cpu", start_from=small)
