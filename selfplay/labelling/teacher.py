"""A network that says what it thinks of positions of recorded games."""

import hashlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from miai.nets.inference import make_backend
from miai.nets.loading import load_net
from miai.nets.symmetry import NUM_SYMMETRIES, inverse_symmetry_table
from miai.selfplay.data.format import GameFile
from miai.selfplay.data.labels import Opinions
from miai.selfplay.labelling.positions import position_keys, write_positions


@dataclass(frozen=True)
class TeacherOptions:
    """Which network, and how it is asked."""

    net: Path
    backend: str | None = None
    """One of `miai.nets.inference.BACKENDS`; None = the fastest."""
    batch: int = 16
    """Positions that it evaluates at once."""
    symmetry: str = "random"
    """One of `miai.selfplay.labelling.VIEWS`."""

    def identity(self) -> dict[str, str]:
        """Return what decides on the labels.

        Raises:
            OSError: if the network's file cannot be read.
        """
        digest = hashlib.sha256(self.net.read_bytes()).hexdigest()
        return {"teacher": self.net.name, "sha256": digest, "symmetry": self.symmetry}


class Teacher:
    """A network at work."""

    def __init__(self, options: TeacherOptions) -> None:
        """Load the network.

        Raises:
            WeightsError: if the file gives none.
            BackendError: for a backend that is not there.
        """
        self._options = options
        net = load_net(options.net)
        self.config = net.config
        self._backend = make_backend(net, options.backend)

    def judge(self, file: GameFile, rows: np.ndarray) -> Opinions:
        """Return what the network says of rows of a file.

        Args:
            file: games that `find_fault` finds nothing wrong with.
            rows: int64 [positions]

        Raises:
            ConfigError: if the network does not fit the board.
        """
        games = file.game_of_row
        found = []
        ways = self._symmetries(file, rows)
        for first in range(0, len(rows), self._options.batch):
            part = slice(first, first + self._options.batch)
            seen = [self._judge(file, games, rows[part], way[part]) for way in ways]
            found.append([sum(answers) / np.float32(len(ways)) for answers in zip(*seen, strict=True)])
        return Opinions(*(np.concatenate(arrays) for arrays in zip(*found, strict=True)))

    def _symmetries(self, file: GameFile, rows: np.ndarray) -> list[np.ndarray]:
        """Return in which symmetries to show the rows, int64 [positions] for every time that they are shown."""
        if self._options.symmetry == "all":
            return [np.full(len(rows), symmetry) for symmetry in range(NUM_SYMMETRIES)]
        if self._options.symmetry == "random":
            return [((position_keys(file)[rows] >> np.uint64(40)) % np.uint64(NUM_SYMMETRIES)).astype(np.int64)]
        return [np.zeros(len(rows), dtype=np.int64)]

    def _judge(self, file: GameFile, games: np.ndarray, rows: np.ndarray, symmetries: np.ndarray) -> Opinions:
        planes, is_legal = write_positions(file, games, rows, symmetries, self.config.planes)
        outputs = self._backend.evaluate(planes)
        order = inverse_symmetry_table(file.size)[symmetries].astype(np.int64)
        logits = np.where(is_legal, np.take_along_axis(outputs.policy, order, axis=1), -np.inf)
        policy = np.exp(logits - logits.max(axis=1, keepdims=True))
        return Opinions(
            policy=policy / policy.sum(axis=1, keepdims=True),
            wdl=outputs.wdl,
            score=outputs.score,
            ownership=np.take_along_axis(outputs.ownership, order[:, :-1], axis=1),
        )
