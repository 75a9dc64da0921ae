"""Positions of real games, one of each, sampled as Fernando & Müller 2013 do (section 3.3)."""

import hashlib
import re
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from miai.engine.go.game import Game
from miai.engine.go.game_files import sgf_files
from miai.engine.go.rules import count_all_stones
from miai.engine.go.sgf import MAX_BYTES, SgfError, load_game
from miai.engine.log import log

MARGIN = 10
"""A sampled position is at least so many moves from either end of its game."""
SHORTEST = 2 * MARGIN
"""Shorter games are left out."""
DEFAULT_KOMI = 7.0
"""Where a game names none."""
PAPERS_GAMES = ("1616349", "1616808")
"""CGOS's numbers of the games in the paper's figure 2, whose positions are those after 10 and 45 moves."""
_VALUE = re.compile(rb"\[(?:[^\]\\]|\\.)*\]", re.DOTALL)
_MOVE = re.compile(rb"(?<![A-Z])[BW]\s*\[")
_SIZE = re.compile(rb"SZ\[\s*(\d+)\s*\]")


class SampledGame(NamedTuple):
    """A game that is long enough."""

    name: str
    """Its file, below the folder."""
    label: int
    """Its number among those that are long enough, from 1."""
    num_moves: int
    sgf: bytes

    @property
    def move_number(self) -> int:
        """After how many moves its position is: 10 + (label mod (n − 19))."""
        return MARGIN + self.label % (self.num_moves - SHORTEST + 1)

    def position(self) -> Game:
        """Return the position; raises SgfError if the game cannot be read."""
        game = load_game(self.sgf, self.move_number + 1, default_komi=DEFAULT_KOMI)[0]
        game.rules = count_all_stones(game.rules)
        return game


def read_games(source: Path, size: int) -> list[SampledGame]:
    """Return the games on boards of this size that are long enough, in the order of the numbers in their names.

    Args:
        source: a folder of SGF files, with subfolders, an archive of it (`.tar`, `.tar.gz`, `.tar.bz2`, `.tar.xz`), or
            one SGF file.
        size: of the board; other games are left out.

    Raises:
        ValueError: if it cannot be read or holds no such game.
    """
    found = []
    num_files = 0
    try:
        for name, content in _sgf_files(source):
            num_files += 1
            given = _SIZE.search(content)
            if given is None or int(given.group(1)) != size:
                continue
            num_moves = _count_moves(name, content)
            if num_moves >= SHORTEST:
                found.append((_order(name), name, num_moves, content))
    except OSError as error:
        raise ValueError(f"cannot read {source}: {error.strerror or error}") from None
    except (tarfile.TarError, EOFError):
        raise ValueError(
            f"cannot read {source}: it is neither a folder of SGF files, nor an SGF file, nor a whole .tar archive"
        ) from None
    if not found:
        raise ValueError(
            f"{source} holds no game on {size}x{size} of at least {SHORTEST} moves among its {num_files} SGF "
            f"file{'' if num_files == 1 else 's'}"
        )
    found.sort(key=lambda one: one[:2])
    return [SampledGame(name, label, number, content) for label, (_, name, number, content) in enumerate(found, 1)]


def _sgf_files(source: Path) -> Iterator[tuple[str, bytes]]:
    if source.is_dir() or source.suffix == ".sgf":
        folder = source if source.is_dir() else source.parent
        for path in sgf_files([source]):
            if path.stat().st_size <= MAX_BYTES:
                yield path.relative_to(folder).as_posix(), path.read_bytes()
        return
    with tarfile.open(source) as archive:
        for member in archive:
            file = archive.extractfile(member) if member.name.endswith(".sgf") and member.size <= MAX_BYTES else None
            if file is not None:
                yield member.name, file.read()


def _order(name: str) -> int:
    """Return the number in a file's name, as CGOS gives its games; 0 if there is none."""
    digits = re.findall(r"\d+", Path(name).stem)
    return int(digits[-1]) if digits else 0


def _count_moves(name: str, content: bytes) -> int:
    """Return the moves of the main line; 0 if the file cannot be read. Files without variations are only scanned."""
    scanned = _VALUE.sub(b"[]", content)
    if scanned.count(b"(") == 1:
        return len(_MOVE.findall(scanned))
    try:
        return len(load_game(content)[0].moves)
    except SgfError as error:
        log(f"{name}: {error}")
        return 0


def digest_of(games: list[SampledGame]) -> str:
    """Return what tells lists of games apart."""
    return hashlib.sha256(repr([(game.name, game.num_moves) for game in games]).encode()).hexdigest()[:16]


def choose_games(games: list[SampledGame], number: int, seed: int) -> list[SampledGame]:
    """Return so many games, drawn without repetition, whose positions can be read; more begin with the same.

    Those of the paper's figure 2 come first where there are any.

    Raises:
        ValueError: if there are fewer.
    """
    chosen: list[SampledGame] = []
    drawn = [games[int(index)] for index in np.random.default_rng(seed).permutation(len(games))]
    for game in sorted(drawn, key=lambda game: Path(game.name).stem not in PAPERS_GAMES):
        if len(chosen) == number:
            break
        try:
            game.position()
        except SgfError as error:
            log(f"{game.name}: {error}")
            continue
        chosen.append(game)
    if len(chosen) < number:
        raise ValueError(f"--positions {number} is not allowed (allowed: 1 to {len(chosen)}, a position of each game)")
    return chosen
