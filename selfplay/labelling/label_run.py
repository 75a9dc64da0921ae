"""A run of labelling: which pieces are left, who labels them, and where they are kept."""

import json
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Protocol

import numpy as np

from miai.engine.files import sync_folder, write_file
from miai.engine.locking import take_lock
from miai.selfplay.data.format import DataError, file_content, game_files, read_games
from miai.selfplay.data.labels import Labels, with_labels
from miai.selfplay.data.store import StoreError
from miai.selfplay.labelling.pieces import Piece
from miai.selfplay.labelling.positions import position_keys

_WHOSE = "teacher.json"


class Labelled(NamedTuple):
    """A piece and its labels."""

    piece: Piece
    labels: Labels


class Labellers(Protocol):
    """Labels pieces, wherever."""

    def label(self, pieces: Iterable[Piece]) -> Iterator[Labelled]:
        """Yield each piece as it is finished, in any order."""


@dataclass
class LabelSummary:
    """What a run has labelled so far."""

    positions: int = 0
    seconds: float = 0.0

    def line(self) -> str:
        """Return it for people."""
        speed = self.positions / max(self.seconds, 1e-9)
        return f"labelled {self.positions:,} positions in {self.seconds:,.0f} s, {speed:,.0f}/s"


class LabelStore:
    """A folder of labelled games of one teacher, locked while it is open."""

    def __init__(self, folder: Path, identity: dict[str, str], share: float = 1.0) -> None:
        """Open a folder, which is made if it is missing.

        Args:
            identity: what decides on the labels; see `TeacherOptions.identity`.
            share: of the positions that is labelled, the same in every run.

        Raises:
            StoreError: if it is in use, cannot be written, or holds labels of another teacher or share.
        """
        self.folder = folder
        try:
            folder.mkdir(parents=True, exist_ok=True)
            lock = take_lock(folder / ".lock")
        except OSError as error:
            raise StoreError(f"cannot write to {folder}: {error.strerror}") from error
        if lock is None:
            raise StoreError(f"{folder} is in use by another miai")
        self._lock = lock
        try:
            self._check_teacher(identity | ({} if share == 1.0 else {"positions": str(share)}))
        except BaseException:
            self._lock.release()
            raise

    def __enter__(self) -> "LabelStore":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._lock.release()

    def labelled_positions(self) -> dict[str, np.ndarray]:
        """Return the keys of the positions that are labelled, uint64 [positions], by the name of their piece.

        Raises:
            DataError: if a file of the folder is damaged.
        """
        found = {}
        for path in game_files(self.folder):
            try:
                file = read_games(path)
            except DataError as error:
                raise DataError(f"{error}; without that file, the same command labels its games anew") from None
            found[path.name] = position_keys(file)[file.label >= 0]
        return found

    def keep(self, labelled: Labelled) -> None:
        """Write a piece; it is on the disk when this returns.

        Raises:
            StoreError: if it cannot be written.
        """
        piece = labelled.piece
        file = with_labels(piece.load(), piece.rows, labelled.labels)
        try:
            write_file(self.folder / piece.name, file_content(file))
        except OSError as error:
            raise StoreError(f"cannot write to {self.folder}: {error.strerror}; the same command goes on") from error

    def _check_teacher(self, identity: dict[str, str]) -> None:
        path = self.folder / _WHOSE
        try:
            if not path.exists():
                write_file(path, json.dumps(identity, indent=1) + "\n")
                sync_folder(self.folder)
            there: Any = json.loads(path.read_text())
        except OSError as error:
            raise StoreError(f"cannot read or write {path}: {error.strerror}") from error
        except ValueError:
            raise StoreError(f"{path} is damaged: it does not name the teacher of the labels beside it") from None
        if there != identity:
            asked = ", ".join(f"{name} {value[:40]}" for name, value in identity.items())
            raise StoreError(f"{self.folder} holds labels of another teacher or share than {asked}: see {path}")


def label_pieces(
    store: LabelStore, labellers: Labellers, pieces: list[Piece], on_piece: Callable[[int], None]
) -> LabelSummary:
    """Have pieces labelled, and keep each as it is finished.

    Args:
        pieces: those that the folder does not hold.
        on_piece: told after each how many positions it had.

    Raises:
        StoreError: if one cannot be kept.
        WorkersFailed: if nobody can label them.
    """
    summary = LabelSummary()
    started = time.monotonic()
    for labelled in labellers.label(pieces):
        store.keep(labelled)
        summary.positions += len(labelled.piece.rows)
        summary.seconds = time.monotonic() - started
        on_piece(len(labelled.piece.rows))
    return summary
