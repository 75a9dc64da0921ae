"""The journal of a loop: a line of JSON for each network, told when it was published and rated."""

import json
import os
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import IO

from tqdm import tqdm


@dataclass
class JournalEntry:
    """How a network came about."""

    version: int
    """Its number, from 1."""
    games: int = 0
    """Played for it in the start that published it."""
    positions: int = 0
    """In all games up to now."""
    simulations: int = 0
    """Of those games."""
    evaluations: int = 0
    """Of the network in those games."""
    network_share: float = 0.0
    """Share of the players' time that it took."""
    step: int = 0
    """Of the training."""
    playing_seconds: float = 0.0
    training_seconds: float = 0.0
    rating_seconds: float = 0.0
    losses: dict[str, float] = field(default_factory=dict)
    """Means over the last steps."""
    validation: dict[str, float] = field(default_factory=dict)
    """On games that are held out; what could not be measured is not there."""

    @property
    def seconds(self) -> float:
        """What all of it took."""
        return self.playing_seconds + self.training_seconds + self.rating_seconds

    def line(self) -> str:
        """Return it for people."""
        rate = f", {3600.0 * self.games / self.playing_seconds:,.0f}/h" if self.games and self.playing_seconds else ""
        network = f", {self.network_share:.0%} of it in the network" if self.evaluations else ""
        wanted = ("policy", "policy_accuracy", "value", "value_error", "score_error")
        shown = [f"{name} {self.validation[name]:.3g}" if name in self.validation else f"{name} –" for name in wanted]
        return (
            f"net {self.version}: {self.games} games{rate}{network}; "
            f"{self.positions:,} positions, step {self.step:,}; "
            f"{self.playing_seconds:.0f} s playing, {self.training_seconds:.0f} s training, "
            f"{self.rating_seconds:.0f} s rating; " + ", ".join(shown)
        )


class Journal:
    """The journal of a folder."""

    def __init__(self, path: Path) -> None:
        """Read what is there; a line cut short by a kill is dropped, and of two for one network the last holds."""
        self._path = path
        found: dict[int, JournalEntry] = {}
        lines = path.read_bytes().split(b"\n")[:-1] if path.exists() else []
        for line in lines:
            try:
                entry = JournalEntry(**json.loads(line))
                entry.line()  # fails on values of the wrong kind
                found[entry.version] = entry
            except (ValueError, TypeError):
                tqdm.write(f"miai: a damaged line of {path} was left out")
        self.entries = list(found.values())

    @property
    def seconds(self) -> float:
        """What all networks took."""
        return sum(entry.seconds for entry in self.entries)

    def add(self, entry: JournalEntry) -> None:
        """Write a line; it is on the disk when this returns.

        Raises:
            OSError: if it cannot be written.
        """
        self.entries.append(entry)
        with open(self._path, "ab") as file:
            _end_line(file)
            file.write(json.dumps(asdict(entry)).encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())


def _end_line(file: IO[bytes]) -> None:
    """End a line that was cut short."""
    if file.tell() > 0:
        with open(file.name, "rb") as reader:
            reader.seek(-1, os.SEEK_END)
            if reader.read(1) != b"\n":
                file.write(b"\n")
