"""Experiments in pieces: work whose results files keep, so that a run goes on where it was stopped."""

import contextlib
import functools
import io
import json
import time
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from miai.engine.files import write_file
from miai.engine.locking import take_lock
from miai.match.contestants import complete_description

Results = dict[str, np.ndarray]
"""Arrays by name, a row for each row of a piece."""
PIECES = "pieces"
"""The subfolder of a run's pieces."""

_DAMAGES = (ValueError, KeyError, EOFError, NotImplementedError, zipfile.BadZipFile, zlib.error)
"""What reading a damaged file raises."""


class Pieces(Protocol):
    """Pieces of work that do not depend on each other."""

    def rows_of(self, piece: int) -> int:
        """Return how many rows of results a piece has; 0 = there is no such piece."""

    def run_piece(self, piece: int) -> Results:
        """Do a piece; return arrays by name with `rows_of(piece)` rows each."""


class Signed(Protocol):
    """What belongs to one folder."""

    def signature(self) -> dict[str, Any]:
        """Return what must agree for pieces to belong together, in plain values; what may grow later is not in it."""


class ExperimentPlan(Pieces, Signed, Protocol):
    """What an experiment runs."""

    @property
    def num_pieces(self) -> int:
        """How many pieces there are."""


def check_folder(plan: Signed, folder: Path) -> None:
    """Begin a folder, or make sure that one begun before belongs to the same experiment.

    It does if miai's players have learned options since: their defaults are how they played before.

    Raises:
        ValueError: if it does not, naming what differs, or cannot be written.
    """
    path = folder / "plan.json"
    wanted = json.loads(json.dumps(plan.signature()))
    try:
        if path.exists():
            if names := differences(json.loads(path.read_text()), wanted):
                raise ValueError(
                    f"{folder} holds another experiment ({', '.join(names)} differ); choose another --output"
                )
            return
        folder.mkdir(parents=True, exist_ok=True)
        write_file(path, json.dumps(wanted, indent=1) + "\n")
    except (json.JSONDecodeError, UnicodeDecodeError):
        raise ValueError(f"{path} is not readable; choose another --output") from None
    except OSError as error:
        raise ValueError(f"cannot write to {folder}: {error.strerror}") from None


def differences(found: Any, wanted: Any) -> list[str]:
    """Return in what two plans differ, by name; options that miai's players have learned since differ from nothing."""
    found, wanted = _complete(found), _complete(wanted)
    if not isinstance(found, dict) or not isinstance(wanted, dict):
        return [] if found == wanted else ["plans"]
    return [name for name in sorted({*found, *wanted}) if found.get(name) != wanted.get(name)]


def _complete(value: Any) -> Any:
    """Return what a plan says, with `complete_description` of the players in it."""
    if isinstance(value, list):
        return [_complete(part) for part in value]
    if not isinstance(value, dict):
        return value
    if set(value) == {"miai"}:
        return complete_description(value)
    return {name: _complete(part) for name, part in value.items()}


@contextlib.contextmanager
def lock_run(folder: Path) -> Iterator[None]:
    """Hold the folder of a run, which is made if it is missing.

    Raises:
        ValueError: if another process runs or keeps what it holds, or it cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = take_lock(folder / ".lock", PIECES)
    except OSError as error:
        raise ValueError(f"cannot write to {folder}: {error.strerror}") from None
    if lock is None:
        raise ValueError(f"{folder} is in use by another miai; choose another --output")
    try:
        yield
    finally:
        lock.release()


def piece_file(folder: Path, piece: int) -> Path:
    """Return where a piece's results are kept."""
    return folder / PIECES / f"{piece:06d}.npz"


def pack_file(folder: Path) -> Path:
    """Return where the pieces of a run lie together, once `pack_pieces` has packed them."""
    return folder / "pieces.npz"


def has_pieces(folder: Path) -> bool:
    """Tell whether any piece was ever kept in a folder."""
    return (folder / PIECES).exists() or pack_file(folder).exists()


def is_done(plan: Pieces, folder: Path, piece: int) -> bool:
    """Tell whether a piece is kept, is whole, and has all rows that the plan wants of it."""
    wanted = plan.rows_of(piece)
    found = load_piece(folder, piece)
    return found is not None and len(found) > 0 and all(len(rows) >= wanted for rows in found.values())


def load_piece(folder: Path, piece: int) -> Results | None:
    """Return the rows of a piece from its file, or else from the pack; None if it is in neither."""
    try:
        with np.load(piece_file(folder, piece)) as data:
            return dict(data)
    except (OSError, *_DAMAGES):
        pack = _load_pack(pack_file(folder))
        return pack.get(piece)


def _load_pack(path: Path) -> Mapping[int, Results]:
    """Return the pieces of a pack by their numbers; none if there is no pack.

    Raises:
        ValueError: if the pack cannot be read.
    """
    try:
        return _read_pack(path, path.stat().st_mtime_ns)
    except OSError:
        return {}


@functools.lru_cache(maxsize=4)
def _read_pack(path: Path, changed: int) -> Mapping[int, Results]:
    try:
        with np.load(path) as data:
            rows = dict(data)
        numbers = rows.pop("piece")
        starts = np.flatnonzero(np.diff(numbers, prepend=-1))
        parts = {name: np.split(column, starts[1:]) for name, column in rows.items()}
    except _DAMAGES:
        raise ValueError(f"{path} is not readable; choose another --output") from None
    return {int(numbers[start]): {name: parts[name][place] for name in parts} for place, start in enumerate(starts)}


def load_pieces(folder: Path) -> dict[int, Results]:
    """Return all pieces of a run that are whole, by their numbers in order.

    Raises:
        ValueError: if its pack cannot be read.
    """
    loose = {int(path.stem) for path in (folder / PIECES).glob("*.npz")}
    numbers = sorted({*loose, *_load_pack(pack_file(folder))})
    return {number: rows for number in numbers if (rows := load_piece(folder, number)) is not None}


def pack_pieces(folder: Path, target: Path) -> int:
    """Write all pieces of a run, those of its pack included, into one file, beside those that the file has already.

    The file has the arrays of the pieces, row after row, and `piece`, int32, the number of the piece of each row. A run
    goes on from `plan.json` and the file as from the pieces. Of a piece that the file has, it keeps its own rows unless
    the run has more of them.

    Returns:
        how many pieces the file has then.

    Raises:
        ValueError: if the run has none, or what is kept of them differs.
    """
    found = load_pieces(folder)
    if not found:
        raise ValueError(f"{folder} has no results of an experiment")
    for number, rows in _load_pack(target).items():
        if number not in found or _num_rows(rows) >= _num_rows(found[number]):
            found[number] = rows
    numbers = sorted(found)
    names = set(found[numbers[0]])
    if any(set(rows) != names for rows in found.values()):
        raise ValueError(f"{folder} and {target} have different results of their pieces")
    columns = {name: np.concatenate([found[number][name] for number in numbers]) for name in found[numbers[0]]}
    lengths = [_num_rows(found[number]) for number in numbers]
    write_arrays(target, piece=np.repeat(np.array(numbers, dtype=np.int32), lengths), **columns)
    return len(numbers)


def _num_rows(rows: Results) -> int:
    return len(next(iter(rows.values())))


def run_timed(plan: Pieces, piece: int) -> Results:
    """Do a piece; add `seconds`, each row's share of the processor time of this process, unless the piece tells it."""
    started = time.process_time()
    results = plan.run_piece(piece)
    rows = plan.rows_of(piece)
    return {"seconds": np.full(rows, (time.process_time() - started) / rows), **results}


def keep_piece(folder: Path, piece: int, results: Results) -> None:
    """Keep the results of a piece."""
    path = piece_file(folder, piece)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_arrays(path, **results)


def write_arrays(path: Path, **arrays: Any) -> None:
    """Write arrays by name as `.npz`; the file appears, or replaces what was there, only once it is whole."""
    content = io.BytesIO()
    np.savez_compressed(content, **arrays)
    write_file(path, content.getvalue())


def pieces_of(plan: ExperimentPlan) -> list[int]:
    """Return the numbers of the pieces that there are."""
    return [piece for piece in range(plan.num_pieces) if plan.rows_of(piece) > 0]


def load_results(plan: ExperimentPlan, folder: Path) -> Results:
    """Return the rows of all pieces, by name."""
    found: dict[str, list[np.ndarray]] = {}
    for piece in pieces_of(plan):
        for name, rows in (load_piece(folder, piece) or {}).items():
            found.setdefault(name, []).append(rows[: plan.rows_of(piece)])
    return {name: np.concatenate(parts) for name, parts in found.items()}
