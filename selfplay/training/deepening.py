"""Deeper networks that start out equal to a shallower one.

Blocks whose last convolution is 0 pass their input on unchanged, so a network to which such blocks are added gives the
same outputs, and learns on from there (Chen, Goodfellow & Shlens 2016, "Net2Net: accelerating learning via knowledge
transfer", section 3.3).
"""

from dataclasses import replace
from itertools import count

import torch
from torch import Tensor

from miai.nets.config import ConfigError, NetConfig


def deepened(
    weights: dict[str, Tensor], config: NetConfig, deeper: NetConfig, fresh: dict[str, Tensor]
) -> dict[str, Tensor]:
    """Return the weights of a deeper network with the outputs of a shallower one.

    Blocks that pool become those that pool; the others are spread evenly between them, and the rest is new.

    Args:
        weights: of the shallower network, as its `state_dict`.
        config: its form.
        deeper: the form of the result: the same but for its name and the number of its blocks.
        fresh: random weights of the form `deeper`, for the new blocks.

    Raises:
        ConfigError: if `deeper` differs by more than blocks, or has too few of them before, between or after those that
            pool.
    """
    fixed = [(form.kind, form.filters, form.pooling_blocks) for form in (config, deeper)]
    if config.kind != "miai" or fixed[0] != fixed[1]:
        raise ConfigError(f"{config.name} cannot become {deeper.name}: only blocks of the kind miai can be added")
    if (places := _places(config, deeper)) is None:
        next_depth = next(depth for depth in count(deeper.blocks) if _places(config, replace(deeper, blocks=depth)))
        raise ConfigError(
            f"{config.name} of {config.blocks} blocks cannot become one of {deeper.blocks}: "
            f"its blocks do not fit between those that pool; they do with {next_depth}"
        )
    old_numbers = {new: old for old, new in places.items()}
    grown = {}
    for name, tensor in fresh.items():
        group, _, rest = name.partition(".")
        if group != "blocks":
            grown[name] = weights[name]
            continue
        number, _, layer = rest.partition(".")
        if (old := old_numbers.get(int(number))) is not None:
            grown[name] = weights[f"blocks.{old}.{layer}"]
        else:
            grown[name] = torch.zeros_like(tensor) if layer.startswith("conv2.") else tensor
    return grown


def _places(config: NetConfig, deeper: NetConfig) -> dict[int, int] | None:
    """Return the new number of each block; None if the blocks do not fit between those that pool."""
    places: dict[int, int] = {}
    for old, new in zip(_groups(config), _groups(deeper), strict=True):
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
