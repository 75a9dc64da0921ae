"""The arrays that a network is made of: their names, which are those of the torch module, and their shapes."""

from miai.nets.config import NetConfig

HEAD_FILTERS = 32
"""Channels of each of the three parts of `miai`'s heads."""
VALUE_UNITS = 64
"""Of the layer before its values."""
LI_LIM_VALUE_UNITS = 256
"""The same of `li-lim`."""
POINTS = 20.0
"""Points for which the score head's last layer gives 1."""

Shapes = dict[str, tuple[int, ...]]


def array_shapes(config: NetConfig) -> Shapes:
    """Return the shape of each array of a network by name; `num_batches_tracked` are int64, all others float32."""
    from miai.nets.planes import num_planes  # loads compiled code

    shapes = _conv("conv", num_planes(config.planes), config.filters)
    return shapes | (_li_lim_shapes(config) if config.kind == "li-lim" else _miai_shapes(config))


def _conv(name: str, inputs: int, outputs: int, width: int = 3) -> Shapes:
    return {f"{name}.weight": (outputs, inputs, width, width)}


def _linear(name: str, inputs: int, outputs: int) -> Shapes:
    return {f"{name}.weight": (outputs, inputs), f"{name}.bias": (outputs,)}


def _shift_norm(name: str, channels: int) -> Shapes:
    learned = {f"{name}.{part}": (channels,) for part in ("bias", "running_mean", "running_var")}
    return learned | {f"{name}.num_batches_tracked": ()}


def _norm(name: str, channels: int) -> Shapes:
    return {f"{name}.weight": (channels,)} | _shift_norm(name, channels)


def _li_lim_shapes(config: NetConfig) -> Shapes:
    assert config.size is not None
    filters, points = config.filters, config.size**2
    shapes = _norm("norm", filters)
    for block in range(config.blocks):
        for number in (1, 2):
            shapes |= _conv(f"blocks.{block}.conv{number}", filters, filters)
            shapes |= _norm(f"blocks.{block}.norm{number}", filters)
    shapes |= _conv("policy_conv", filters, 2, width=1) | _norm("policy_norm", 2)
    shapes |= _linear("policy_linear", 2 * points, points + 1)
    shapes |= _conv("value_conv", filters, 1, width=1) | _norm("value_norm", 1)
    return (
        shapes | _linear("value_linear1", points, LI_LIM_VALUE_UNITS) | _linear("value_linear2", LI_LIM_VALUE_UNITS, 1)
    )


def _miai_shapes(config: NetConfig) -> Shapes:
    filters = config.filters
    shapes = _shift_norm("norm", filters) | _conv("head_conv", filters, 3 * HEAD_FILTERS, width=1)
    for number in range(config.blocks):
        block = f"blocks.{number}"
        pooled = config.pooled_filters(number)
        kept = filters - pooled
        shapes |= _shift_norm(f"{block}.norm1", filters) | _conv(f"{block}.conv1", filters, filters)
        shapes |= _shift_norm(f"{block}.norm2", kept) | _conv(f"{block}.conv2", kept, filters)
        if pooled:
            shapes |= _shift_norm(f"{block}.pool_norm", pooled)
            shapes |= {f"{block}.pool_linear.weight": (kept, 3 * pooled)}
    for norm in ("policy_norm", "pool_norm", "value_norm"):
        shapes |= _shift_norm(norm, HEAD_FILTERS)
    shapes |= {"policy_pool_linear.weight": (HEAD_FILTERS, 3 * HEAD_FILTERS)}
    shapes |= _conv("policy_conv", HEAD_FILTERS, 2, width=1) | _linear("pass_linear", 3 * HEAD_FILTERS, 2)
    shapes |= _linear("value_linear1", 3 * HEAD_FILTERS, VALUE_UNITS) | _linear("value_linear2", VALUE_UNITS, 4)
    return shapes | _conv("ownership_conv", HEAD_FILTERS, 1, width=1) | {"ownership_conv.bias": (1,)}
