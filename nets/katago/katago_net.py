"""KataGo's networks as networks of ours: what the rest of miai asks of one."""

from dataclasses import dataclass
from typing import Any, ClassVar

from miai.nets.katago.layers import KatagoModel


@dataclass(frozen=True)
class KatagoConfig:
    """What is to be known of one of KataGo's networks before it runs; see `miai.nets.config.NetConfig`."""

    name: str
    pass_alive_with_suicide: bool = False
    """See `miai.nets.katago.layers.KatagoModel`."""
    kind: ClassVar[str] = "katago"
    size: ClassVar[None] = None

    @property
    def planes(self) -> str:
        """The kind of its input planes, a key of `miai.nets.planes.PLANES`."""
        return "katago-suicide" if self.pass_alive_with_suicide else "katago"

    def check_size(self, size: int) -> None:
        """Accept every board size."""


@dataclass(frozen=True)
class KatagoNet:
    """One of KataGo's networks, from a file."""

    model: KatagoModel
    licence: str = "unknown"
    """Its file names none; docs/how-to/katago-networks.md tells of those that are published."""

    @property
    def config(self) -> KatagoConfig:
        """What it is called and what it sees."""
        return KatagoConfig(self.model.name, self.model.pass_alive_with_suicide)

    @property
    def summary(self) -> dict[str, Any]:
        """Nothing: its file does not tell how it was trained."""
        return {}
