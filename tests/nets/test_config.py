"""Configurations: as text and back, what is refused, and that looking at them loads nothing heavy."""

import json
import subprocess
import sys
from dataclasses import replace

import pytest

from miai.nets.config import CONFIGS, ConfigError, NetConfig
from miai.nets.planes import num_planes


@pytest.mark.parametrize("name", CONFIGS)
def test_a_configuration_comes_back_from_its_text(name: str) -> None:
    config = replace(CONFIGS[name], name="mine", blocks=3)
    assert NetConfig.from_json(config.to_json()) == config


def test_the_papers_network_has_ten_planes_and_four_blocks_of_32() -> None:
    config = CONFIGS["li-lim"]
    assert (num_planes(config.planes), config.blocks, config.filters, config.size) == (10, 4, 32, 9)


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"kind": "other"}, "unknown kind of network 'other': allowed are li-lim and miai"),
        ({"planes": "li-lim"}, "unknown planes 'li-lim' of a network of the kind miai: allowed are miai and tactics"),
        ({"blocks": 0}, "blocks 0 of a network: allowed are 1 to 64"),
        ({"blocks": True}, "blocks True of a network"),
        ({"filters": 10**9}, "filters 1000000000 of a network: allowed are 4 to 1024"),
        ({"size": 9}, "leave out its size"),
        ({"pooling_blocks": 7}, "pooling_blocks 7 of a network: allowed are 0 to 6"),
        ({"kind": "li-lim"}, "unknown planes 'miai' of a network of the kind li-lim: allowed are li-lim"),
        ({"kind": "li-lim", "planes": "li-lim", "pooling_blocks": 0}, "size None of a network: allowed are 2 to 19"),
        ({"kind": "li-lim", "planes": "li-lim", "size": 9}, "pooling_blocks 2 of a network"),
    ],
)
def test_what_no_network_can_be_is_refused(changes: dict, problem: str) -> None:
    with pytest.raises(ConfigError, match=problem):
        replace(CONFIGS["miai"], **changes)
    values = json.loads(CONFIGS["miai"].to_json()) | changes
    with pytest.raises(ConfigError, match=problem):
        NetConfig.from_json(json.dumps(values))


@pytest.mark.parametrize("name", CONFIGS)
def test_a_file_written_before_planes_were_named_has_those_of_its_kind(name: str) -> None:
    values = json.loads(CONFIGS[name].to_json())
    del values["planes"]
    assert NetConfig.from_json(json.dumps(values)).planes == name


@pytest.mark.parametrize("text", ["", "{", "[]", "7", "{}", '{"name": "miai"}'])
def test_a_text_that_is_no_configuration_is_refused(text: str) -> None:
    with pytest.raises(ConfigError):
        NetConfig.from_json(text)


@pytest.mark.parametrize(("blocks", "pooling", "expected"), [(6, 2, [2, 4]), (6, 1, [3]), (2, 2, [0, 1]), (10, 0, [])])
def test_pooling_blocks_are_spread(blocks: int, pooling: int, expected: list[int]) -> None:
    config = replace(CONFIGS["miai"], blocks=blocks, pooling_blocks=pooling)
    assert [block for block in range(blocks) if config.pools(block)] == expected


def test_a_network_with_fully_connected_heads_refuses_other_sizes() -> None:
    CONFIGS["li-lim"].check_size(9)
    CONFIGS["miai"].check_size(13)
    with pytest.raises(ConfigError, match="network li-lim plays on 9x9 boards only, not 13x13"):
        CONFIGS["li-lim"].check_size(13)


@pytest.mark.parametrize(
    ("module", "unwanted"),
    [
        ("miai.nets.config", ("numpy", "numba", "torch")),
        ("miai.nets.planes", ("torch",)),
        ("miai.nets.symmetry", ("torch", "numba")),
        ("miai.nets.net_files", ("torch", "numba", "safetensors")),
        ("miai.nets.inference", ("torch", "numba", "openvino")),
    ],
)
def test_importing_loads_no_more_than_needed(module: str, unwanted: tuple[str, ...]) -> None:
    code = f"import sys, {module}; print([name for name in {unwanted} if name in sys.modules])"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
