"""What there is to label: the games given, cut into pieces of some minutes at most, each position asked once.

A piece is named after what its games are, so it is found again wherever its source lies and in whatever order the
sources are given.
"""

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from types import MappingProxyType
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


def find_pieces(
    paths: Sequence[Path],
    komi: float,
    share: float,
    report: Callable[[str], None],
    labelled: Mapping[str, np.ndarray] = MappingProxyType({}),
) -> list[Piece]:
    """Return what is left to be labelled.

    Of positions that look the same to a network only the first is taken, and none that is labelled.

    Args:
        paths: files of game data or SGF, or folders; a folder is searched for SGF if it holds no game data.
        komi: of SGF files that name none.
        share: fraction of the positions, 0 to 1, chosen by a hash of each.
        report: told of each file that is left out.
        labelled: keys of labelled positions, uint64 [positions], by the name of their piece.

    Raises:
        DataError: if there is no position, or none is drawn or labelled.
    """
    seen = {key for keys in labelled.values() for key in keys.tolist()}
    pieces: dict[str, Piece] = {}
    num_rows = 0
    for source in game_sources(paths, komi, report):
        try:
            file = source.load()
        except DataError as error:
            report(f"left out: {error}")
            continue
        if (fault := find_fault(file)) is not None:
            report(f"left out: {source.name}: {fault}")
            continue
        num_rows += file.num_rows
        keys = position_keys(file)
        for first, last in _cuts(file):
            name = _name(file, first, last)
            if name in labelled or name in pieces:
                continue
            begin, end = int(file.games["first"][first]), _end(file, last - 1)
            if len(rows := np.flatnonzero(_first_ones(keys[begin:end], share, seen))):
                pieces[name] = Piece(name, partial(_load_part, source.load, first, last), rows)
    if not num_rows:
        raise DataError(f"there are no positions in {', '.join(map(str, paths))}")
    if not pieces and not labelled:
        raise DataError(f"none of the {num_rows:,} positions is among the fraction {share:g} that is to be labelled")
    return list(pieces.values())


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
