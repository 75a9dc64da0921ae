"""Larger networks that start out equal to a smaller one.

Blocks whose last convolution is 0 pass their input on unchanged, and input planes whose weights are 0 change nothing.
So a network to which such blocks or planes are added gives the same outputs, and learns on from there (Chen, Goodfellow
& Shlens 2016, "Net2Net: accelerating learning via knowledge transfer", section 3.3).
"""

from dataclasses import replace
from itertools import count

import torch
from torch import Tensor

from miai.nets.config import ConfigError, NetConfig
from miai.nets.planes import PLANES


def grown(
    weights: dict[str, Tensor], config: NetConfig, larger: NetConfig, fresh: dict[str, Tensor]
) -> dict[str, Tensor]:
    """Return the weights of a larger network with the outputs of a smaller one.

    Blocks that pool become those that pool; the others are spread evenly between them, and the rest is new. New input
    planes come behind the old ones.

    Args:
        weights: of the smaller network, as its `state_dict`.
        config: its form.
        larger: the form of the result: the same but for its name, more blocks, and more planes.
        fresh: random weights of the form `larger`, for the new blocks.

    Raises:
        ConfigError: if `larger` differs by more than that, or has too few blocks before, between or after those that
            pool.
    """
    fixed = [(form.kind, form.filters, form.pooling_blocks) for form in (config, larger)]
    planes, more_planes = PLANES[config.planes], PLANES[larger.planes]
    if config.kind != "miai" or fixed[0] != fixed[1] or more_planes[: len(planes)] != planes:
        raise ConfigError(
            f"{config.name} cannot become {larger.name}: only blocks and input planes of the kind miai can be added"
        )
    if (places := _places(config, larger)) is None:
        next_depth = next(depth for depth in count(larger.blocks) if _places(config, replace(larger, blocks=depth)))
        raise ConfigError(
            f"{config.name} of {config.blocks} blocks cannot become one of {larger.blocks}: "
            f"its blocks do not fit between those that pool; they do with {next_depth}"
        )
    old_numbers = {new: old for old, new in places.items()}
    result = {}
    for name, tensor in fresh.items():
        group, _, rest = name.partition(".")
        if group != "blocks":
            result[name] = weights[name]
            continue
        number, _, layer = rest.partition(".")
        if (old := old_numbers.get(int(number))) is not None:
            result[name] = weights[f"blocks.{old}.{layer}"]
        else:
            result[name] = torch.zeros_like(tensor) if layer.startswith("conv2.") else tensor
    first = result["conv.weight"]
    result["conv.weight"] = torch.zeros_like(fresh["conv.weight"])
    result["conv.weight"][:, : len(planes)] = first
    return result


def _places(config: NetConfig, larger: NetConfig) -> dict[int, int] | None:
    """Return the new number of each block; None if the blocks do not fit between those that pool."""
    places: dict[int, int] = {}
    for old, new in zip(_groups(config), _groups(larger), strict=True):
        if len(new) < len(old):
            return None
        places |= {number: new[index * len(new) // len(old)] for index, number in enumerate(old)}
    return places


def _groups(config: NetConfig) -> list[list[int]]:
    """Return the blocks in groups: those before the first that pools, then each that pools with those after it."""
    groups: list[list[int]] = [[]]
    for number in range(config.blocks):
        if config.pools(number):
            groups.append([])
        groups[-1].append(number)
    return groups
