"""The configuration of a network: input planes, blocks and heads. Loads neither NumPy nor torch."""

import json
from dataclasses import asdict, dataclass, fields
from typing import Any

from miai.engine.go.points import MAX_SIZE, MIN_SIZE

KINDS = ("li-lim", "miai")
"""The kinds of networks; each has its own form of blocks and heads."""

PLANES_OF_KIND = {"li-lim": ("li-lim",), "miai": ("miai", "tactics")}
"""The input planes that each kind can have, keys of `miai.nets.planes.PLANES`; files that name none have the first."""

BACKENDS = ("torch", "torch-bfloat16", "openvino", "openvino-float32", "openvino-int8")
"""What computes a network; see `miai.nets.inference`."""

SHIPPED = ("miai", "miai-zero", "li-lim")
"""Names of the networks that come with miai; see `miai.nets.net_files.net_file`."""

_BLOCKS = range(1, 65)
_FILTERS = range(4, 1025)


class ConfigError(ValueError):
    """An invalid configuration; the text says what is allowed."""


@dataclass(frozen=True)
class NetConfig:
    """The form of a network.

    Raises:
        ConfigError: for an unknown kind or a number out of its range.
    """

    name: str
    """What it is called in messages, benches and file names."""
    kind: str
    """`li-lim`: blocks as in AlphaGo Zero, fully connected heads for policy and value. `miai`: pre-activation
    blocks, heads for policy, reply, win/draw/loss, score and ownership that fit every board size."""
    planes: str
    """Its input planes, a key of `miai.nets.planes.PLANES`."""
    blocks: int
    """The number of residual blocks, of two convolutions each."""
    filters: int
    """The number of channels between blocks."""
    size: int | None = None
    """The only board size it fits, which `li-lim` needs; None = all."""
    pooling_blocks: int = 0
    """How many of the blocks, spread evenly, also see means and maxima over the whole board; `miai` only."""

    def __post_init__(self) -> None:
        if not isinstance(self.name, str):
            raise ConfigError(f"name {self.name!r} of a network: a text is needed")
        if self.kind not in KINDS:
            raise ConfigError(f"unknown kind of network {self.kind!r}: allowed are {' and '.join(KINDS)}")
        if self.planes not in PLANES_OF_KIND[self.kind]:
            allowed = " and ".join(PLANES_OF_KIND[self.kind])
            raise ConfigError(
                f"unknown planes {self.planes!r} of a network of the kind {self.kind}: allowed are {allowed}"
            )
        _check("blocks", self.blocks, _BLOCKS)
        _check("filters", self.filters, _FILTERS)
        if self.kind == "li-lim":
            _check("size", self.size, range(MIN_SIZE, MAX_SIZE + 1))
            _check("pooling_blocks", self.pooling_blocks, range(1))
        else:
            if self.size is not None:
                raise ConfigError("a network of the kind miai fits every board: leave out its size")
            _check("pooling_blocks", self.pooling_blocks, range(self.blocks + 1))

    def pools(self, block: int) -> bool:
        """Tell whether a block, counted from 0, pools."""
        return block in {
            number * self.blocks // (self.pooling_blocks + 1) for number in range(1, self.pooling_blocks + 1)
        }

    def pooled_filters(self, block: int) -> int:
        """Return how many of a block's inner channels are pooled."""
        return self.filters // 4 if self.pools(block) else 0

    def check_size(self, size: int) -> None:
        """Raise a ConfigError if the network does not fit boards of this size."""
        if self.size not in (None, size):
            raise ConfigError(f"network {self.name} plays on {self.size}x{self.size} boards only, not {size}x{size}")

    def to_json(self) -> str:
        """Return the configuration as a JSON object."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> "NetConfig":
        """Return the configuration that `to_json` wrote.

        Raises:
            ConfigError: if it is none; the text says what is wrong.
        """
        try:
            values: Any = json.loads(text)
        except (ValueError, RecursionError):
            raise ConfigError("its configuration is no JSON") from None
        names = {field.name for field in fields(cls)}
        if isinstance(values, dict) and values.get("kind") in KINDS:
            values = {"planes": PLANES_OF_KIND[values["kind"]][0]} | values
        if not isinstance(values, dict) or set(values) != names:
            raise ConfigError(f"its configuration needs exactly the fields {', '.join(sorted(names))}")
        return cls(**values)


def _check(name: str, value: Any, allowed: range) -> None:
    if type(value) is not int or value not in allowed:
        raise ConfigError(f"{name} {value!r} of a network: allowed are {allowed[0]} to {allowed[-1]}")


CONFIGS: dict[str, NetConfig] = {
    "li-lim": NetConfig("li-lim", kind="li-lim", planes="li-lim", blocks=4, filters=32, size=9),
    "miai": NetConfig("miai", kind="miai", planes="miai", blocks=6, filters=64, pooling_blocks=2),
}
"""The configurations by name; `dataclasses.replace` makes others. `li-lim` is Li & Lim's for 9x9 (section 4)."""
