"""What there is to label: the games given, cut into pieces of some minutes at most, each position asked once.

A piece is named after what its games are, so it is found again wherever its source lies and in whatever order the
sources are given.
"""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

from miai.selfplay.data.format import DataError, GameFile
from miai.selfplay.data.labels import games_of_file
from miai.selfplay.game_sources import game_sources
from miai.selfplay.labelling.positions import position_keys
from miai.selfplay.training.samples import find_fault

ROWS_A_PIECE = 2048
"""A piece ends with the game in which it has as many."""
_FRACTION_BITS = 53


class Piece(NamedTuple):
    """Games to label together."""

    name: str
    """Of its file in the folder of labels."""
    load: Callable[[], GameFile]
    """Returns its games."""
    rows: np.ndarray
    """int64 [positions]: those to label."""


class _Candidate(NamedTuple):
    """Games that may have positions to label."""

    name: str
    load: Callable[[], GameFile]
    keys: np.ndarray
    """uint64 [rows]: what a network may see of each row's position."""


def _no_rows(name: str) -> None:
    """Nothing is labelled yet."""


def find_pieces(
    paths: Sequence[Path],
    komi: float,
    share: float,
    report: Callable[[str], None],
    labelled_rows: Callable[[str], np.ndarray | None] = _no_rows,
) -> list[Piece]:
    """Return what is to be labelled, and what is labelled already.

    Of positions that look the same to a network one is taken: that which is labelled, or else the first.

    Args:
        paths: files of game data or SGF, or folders; a folder is searched for SGF if it holds no game data.
        komi: of SGF files that name none.
        share: fraction of the positions, 0 to 1, chosen by a hash of each.
        report: told of each file that is left out.
        labelled_rows: returns which rows of the piece of a name are labelled, bool [rows]; None if none was kept.

    Raises:
        DataError: if there is no position, or a piece was kept with other games than its own.
    """
    candidates = {part.name: part for part in _candidates(paths, komi, report)}
    seen: set[int] = set()
    rows: dict[str, np.ndarray] = {}
    for name, part in candidates.items():
        if (labelled := labelled_rows(name)) is not None:
            if len(labelled) != len(part.keys):
                raise DataError(f"{name} holds labels of {len(labelled)} positions, its games have {len(part.keys)}")
            rows[name] = np.flatnonzero(labelled)
            seen.update(part.keys[labelled].tolist())
    for name, part in candidates.items():
        if name not in rows:
            rows[name] = np.flatnonzero(_first_ones(part.keys, share, seen))
    pieces = [Piece(name, part.load, rows[name]) for name, part in candidates.items() if len(rows[name])]
    if not pieces:
        raise DataError("there are no positions to label")
    return pieces


def _candidates(paths: Sequence[Path], komi: float, report: Callable[[str], None]) -> Iterator[_Candidate]:
    for source in game_sources(paths, komi, report):
        try:
            file = source.load()
        except DataError as error:
            report(f"left out: {error}")
            continue
        if (fault := find_fault(file)) is not None:
            report(f"left out: {source.name}: {fault}")
            continue
        keys = position_keys(file)
        for first, last in _cuts(file):
            begin, end = int(file.games["first"][first]), _end(file, last - 1)
            yield _Candidate(_name(file, first, last), partial(_load_part, source.load, first, last), keys[begin:end])


def _load_part(load: Callable[[], GameFile], first: int, last: int) -> GameFile:
    return games_of_file(load(), first, last)


def _first_ones(keys: np.ndarray, share: float, seen: set[int]) -> np.ndarray:
    """Return which keys are drawn and were not seen before, bool [keys]; they are then."""
    is_first = np.zeros(len(keys), dtype=np.bool_)
    places = np.unique(keys, return_index=True)[1]
    drawn = (keys[places] >> np.uint64(64 - _FRACTION_BITS)).astype(np.float64) < share * 2.0**_FRACTION_BITS
    for place in places[drawn].tolist():
        key = int(keys[place])
        if key not in seen:
            seen.add(key)
            is_first[place] = True
    return is_first


def _cuts(file: GameFile) -> Iterator[tuple[int, int]]:
    """Yield the first game of each piece, and the one after its last."""
    first = 0
    for game in range(len(file.games)):
        if game + 1 == len(file.games) or _end(file, game) - int(file.games["first"][first]) >= ROWS_A_PIECE:
            yield first, game + 1
            first = game + 1


def _end(file: GameFile, game: int) -> int:
    return int(file.games["first"][game] + file.games["num_moves"][game])


def _name(file: GameFile, first: int, last: int) -> str:
    part = games_of_file(file, first, last)
    digest = hashlib.sha256()
    for array in (part.games, part.setup, part.move, part.color):
        digest.update(array.tobytes())
    return f"games-{int.from_bytes(digest.digest()[:7], 'big'):017d}.npz"
