"""The positions of a window of data files: read, checked, joined, and parted into those to learn from and the rest."""

import math
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from miai.selfplay.data.format import DataError, GameFile, read_games
from miai.selfplay.training.samples import find_fault

PHASES = {"opening": (0, 20), "middle": (20, 45), "endgame": (45, 1 << 30)}
"""Phases of a game: the first number of moves made before a position, and the one after the last."""
PHASE_TERMS = ("policy", "value")
"""The terms of the loss that are told of each phase."""


class Positions(NamedTuple):
    """The games of a window, and which of their positions are for what."""

    file: GameFile
    """All games, as if they were in one file."""
    game_of_row: np.ndarray
    """int64 [rows]: the game of each row."""
    learned: np.ndarray
    """int64 [positions]: rows to learn from."""
    held_out: np.ndarray
    """int64 [positions]: rows of games kept to validate on."""
    names: tuple[str, ...]
    """Names of the files, in order."""

    @property
    def num_games_learned(self) -> int:
        """Return how many games the positions to learn from are of."""
        return len(np.unique(self.game_of_row[self.learned]))

    @property
    def komi_learned(self) -> tuple[float, float]:
        """Return the least and the greatest komi of the positions to learn from."""
        komi = self.file.games["komi"][self.game_of_row[self.learned]]
        return float(komi.min()), float(komi.max())


def by_phase(positions: Positions, rows: np.ndarray) -> dict[str, np.ndarray]:
    """Return which of these rows belong to each of `PHASES`, without those that have none."""
    played = rows - positions.file.games["first"][positions.game_of_row[rows]]
    parts = {name: rows[(first <= played) & (played < last)] for name, (first, last) in PHASES.items()}
    return {name: part for name, part in parts.items() if len(part)}


class PositionStore:
    """Reads the files of a window; what was in the window before is not read again."""

    def __init__(
        self,
        held_out: int,
        report: Callable[[str], None],
        komi_range: tuple[float, float] = (-math.inf, math.inf),
    ) -> None:
        """Say which games are taken.

        Args:
            held_out: one game in so many is kept apart.
            report: told of each file that is left out, in a line, once.
            komi_range: games with a komi outside are left out.
        """
        self._held_out = held_out
        self._komi_range = komi_range
        self._report = report
        self._files: dict[Path, GameFile | None] = {}

    def load(self, paths: Sequence[Path]) -> Positions:
        """Return the positions of some files, except broken ones and those of another board size than the first.

        Of files with a teacher's labels only the positions that have one are taken.
        Which games are held out follows from names and places only, so a game stays held out as the window moves.

        Raises:
            DataError: if there is no game to learn from.
        """
        self._files = {path: self._files[path] if path in self._files else self._read(path) for path in paths}
        read = {path: file for path, file in self._files.items() if file is not None}
        sizes = [file.size for file in read.values()]
        for path in [path for path, file in read.items() if file.size != sizes[0]]:
            self._report(f"{path} is left out: its games are of size {read[path].size}, those before of {sizes[0]}")
            self._files[path] = None
            del read[path]
        if not read:
            raise DataError("there is no whole file of games to learn from")
        file = _join(list(read.values()))
        game_of_row = file.game_of_row
        kept = np.concatenate([self._kept_games(path.name, len(part.games)) for path, part in read.items()])
        lowest, highest = self._komi_range
        komi = file.games["komi"][game_of_row]
        is_taken = np.concatenate(
            [part.label >= 0 if part.is_labelled else np.ones(part.num_rows, np.bool_) for part in read.values()]
        )
        rows = np.flatnonzero(is_taken & (lowest <= komi) & (komi <= highest))
        if not len(rows):
            raise DataError("the games have no moves to learn from" + ("" if len(komi) == 0 else " with that komi"))
        is_kept = kept[game_of_row[rows]]
        if is_kept.all():
            is_kept[:] = False
        return Positions(file, game_of_row, rows[~is_kept], rows[is_kept], tuple(path.name for path in read))

    def _kept_games(self, name: str, number: int) -> np.ndarray:
        return (np.arange(number) + zlib.crc32(name.encode())) % self._held_out == 0

    def _read(self, path: Path) -> GameFile | None:
        try:
            file = read_games(path)
        except DataError as error:
            self._report(f"left out: {error}")
            return None
        fault = find_fault(file)
        if fault is not None:
            self._report(f"left out: {path}: {fault}")
            return None
        return file


def _join(files: Sequence[GameFile]) -> GameFile:
    """Return the games of several files of one board size as one."""
    if len(files) == 1:
        return files[0]
    joined = GameFile(*(np.concatenate(arrays) for arrays in zip(*files, strict=True)))
    joined.games["first"] = np.cumsum(joined.games["num_moves"], dtype=np.int64) - joined.games["num_moves"]
    sizes = np.concatenate([np.diff(file.target_first) for file in files])
    before = np.cumsum([0, *(len(file.label_policy) for file in files)])
    labels = [np.where(file.label < 0, -1, file.label + first) for file, first in zip(files, before, strict=False)]
    return joined._replace(
        target_first=np.concatenate([[0], np.cumsum(sizes)]), label=np.concatenate(labels).astype(np.int32)
    )
