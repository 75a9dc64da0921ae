"""Deeper networks that start out equal to a shallower one.

Blocks whose last convolution is 0 pass their input on unchanged, so a network to which such blocks are added gives the
same outputs, and learns on from there (Chen, Goodfellow & Shlens 2016, "Net2Net: accelerating learning via knowledge
transfer", section 3.3).
"""

import torch
from torch import Tensor

from miai.nets.config import ConfigError, NetConfig


def deepened(
    weights: dict[str, Tensor], config: NetConfig, deeper: NetConfig, fresh: dict[str, Tensor]
) -> dict[str, Tensor]:
    """Return the weights of a deeper network with the outputs of a shallower one.

    The blocks of the latter are spread evenly; those between them are new.

    Args:
        weights: of the shallower network, as its `state_dict`.
        config: its form.
        deeper: the form of the result: the same but for its name and the number of its blocks.
        fresh: random weights of the form `deeper`, for the new blocks.

    Raises:
        ConfigError: if `deeper` differs by more than blocks, or if blocks that pool would not come to lie on such.
    """
    fixed = [(form.kind, form.filters, form.pooling_blocks) for form in (config, deeper)]
    if config.kind != "miai" or fixed[0] != fixed[1]:
        raise ConfigError(f"{config.name} cannot become {deeper.name}: only blocks of the kind miai can be added")
    places = {number: number * deeper.blocks // config.blocks for number in range(config.blocks)}
    if deeper.blocks < config.blocks or any(config.pools(old) != deeper.pools(new) for old, new in places.items()):
        raise ConfigError(
            f"{config.name} of {config.blocks} blocks cannot become one of {deeper.blocks}: allowed are multiples, "
            f"such as {2 * config.blocks}, and what else keeps its pooling blocks at their place"
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
