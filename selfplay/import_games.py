"""SGF games as data to learn from.

The policy target of a position is the move that was played there. Result and score are those of the file. Who owned
what at the end is known where a game was counted: by territory marked in its last position, or, after two passes, if
the area of the board gives the score that the file tells.
"""

import hashlib
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from miai.engine.go.actions import action_of_move
from miai.engine.go.game import Game
from miai.engine.go.game_files import sgf_files
from miai.engine.go.points import BLACK
from miai.engine.go.sgf import GameInfo, SgfError, load_game
from miai.engine.log import log
from miai.engine.progress import progress_bar
from miai.selfplay.data.format import GameRecord, PolicyTarget
from miai.selfplay.data.settled_area import settled_area
from miai.selfplay.data.sgf import setup_of
from miai.selfplay.data.store import GameStore

GAMES_A_FILE = 256
_RESULT = re.compile(r"([BW])\+(.*)")
_UNKNOWN = float("nan")
_MAX_MARGIN = 2000.0
"""More than any board and komi give."""


def read_result(text: str) -> tuple[float, float]:
    """Return what SGF's RE says: 1 if Black won, 0.5 for a draw, 0 if White won; and the score, Black's minus White's.

    NaN stands for what is unknown, as the score of a game that was resigned.
    """
    text = text.strip().upper()
    if text in ("0", "DRAW", "JIGO"):
        return 0.5, 0.0
    match = _RESULT.match(text)
    if not match:
        return _UNKNOWN, _UNKNOWN
    sign = 1.0 if match[1] == "B" else -1.0
    try:
        margin = float(match[2])
    except ValueError:
        margin = _UNKNOWN
    return 0.5 + 0.5 * sign, sign * margin if 0.0 < margin <= _MAX_MARGIN else _UNKNOWN


def marked_area(game: Game, territory: dict[int, int]) -> np.ndarray:
    """Return the owner of every point, int8 [size·size], from the stones and the territory marked on the last position.

    Stones on the other colour's territory are dead; +1 is Black's, -1 White's, 0 nobody's.
    """
    owners = np.zeros(game.size**2, dtype=np.int8)
    for point, color in (game.stones() | territory).items():
        owners[action_of_move(point, game.size)] = 1 if color == BLACK else -1
    return owners


def record_of_game(game: Game, info: GameInfo) -> GameRecord:
    """Return the record of a game from a file, with a seed that is the same for the same game."""
    record = GameRecord(game.size, game.komi, has_superko=game.rules.has_superko, suicide=game.rules.suicide)
    record.setup = setup_of(game.setup_stones, game.size)
    for color, move in game.moves:
        index = action_of_move(move, game.size)
        record.add_move(color, index, PolicyTarget(np.array([index], np.int16), np.ones(1, np.float32)))
    record.result, record.score = read_result(info.result)
    _add_ownership(record, game, info)
    content = repr((game.size, game.komi, info.result, sorted(game.setup_stones.items()), game.moves))
    record.seed = int.from_bytes(hashlib.sha256(content.encode()).digest()[:8], "little") >> 1
    return record


def _add_ownership(record: GameRecord, game: Game, info: GameInfo) -> None:
    """Tell who owned what at the end, and the area score, if the game was counted."""
    if info.territory:
        owners = marked_area(game, info.territory)
        score = float(owners.sum()) - game.komi
        is_counted = record.result == 0.5 + 0.5 * np.sign(score)  # by territory, the margin may differ
    else:
        owners = settled_area(game)
        score = float(owners.sum()) - game.komi
        is_counted = game.is_over and abs(score - record.score) < 0.01
    if is_counted:
        record.ownership, record.score, record.is_scored = owners, score, True


@dataclass
class ImportCounts:
    """What became of the files."""

    games: int = 0
    positions: int = 0
    counted: int = 0
    broken: int = 0
    other_size: int = 0
    repeated: int = 0

    def lines(self, size: int, output: Path) -> list[str]:
        """Return the counts in words."""
        left_out = self.left_out(size)
        return [
            f"imported {_number(self.games, 'game')} with {_number(self.positions, 'position')} to {output}; "
            f"{self.counted:,} {'was' if self.counted == 1 else 'were'} counted",
            *([f"left out: {left_out}"] if left_out else []),
        ]

    def left_out(self, size: int) -> str:
        """Return why games were left out, and how many each, in words."""
        numbers = {
            "broken": self.broken,
            f"not {size}x{size} or without moves": self.other_size,
            "there already": self.repeated,
        }
        return ", ".join(f"{number:,} {reason}" for reason, number in numbers.items() if number)


def _number(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


class NoGamesError(Exception):
    """Nothing to import: the text tells what was looked for and what was found."""


def find_sgf_files(sources: Sequence[Path]) -> list[Path]:
    """Return `sgf_files`.

    Raises:
        NoGamesError: if there are none.
    """
    files = sgf_files(sources)
    if not files:
        raise NoGamesError(f"there is no file *.sgf in {', '.join(map(str, sources))}")
    return files


def read_sgf_games(files: Sequence[Path], komi: float, report: Callable[[str], None]) -> Iterator[GameRecord]:
    """Yield the games of SGF files that have moves; `komi` is that of files that name none, `report` told of faults."""
    for path in files:
        try:
            game, info = load_game(path, default_komi=komi)
        except SgfError as error:
            report(f"left out: {path}: {error}")
            continue
        if game.moves:
            yield record_of_game(game, info)


def _records(
    files: Sequence[Path], size: int, komi: float, store: GameStore, counts: ImportCounts
) -> Iterator[GameRecord]:
    """Yield the games to keep; name the files that are broken."""
    seen = set(store.seeds)
    for path in progress_bar(files, unit="game"):
        try:
            game, info = load_game(path, default_komi=komi)
        except SgfError as error:
            log(f"{path}: {error}")
            counts.broken += 1
            continue
        if game.size != size or not game.moves:
            counts.other_size += 1
            continue
        record = record_of_game(game, info)
        if record.seed in seen:
            counts.repeated += 1
            continue
        seen.add(record.seed)
        counts.games += 1
        counts.positions += len(record.moves)
        counts.counted += record.is_scored
        yield record


def import_games(files: Sequence[Path], store: GameStore, size: int, komi: float) -> ImportCounts:
    """Keep the games of SGF files; `komi` is that of files that name none.

    Raises:
        NoGamesError: if none of them is a game that can be kept or that the folder holds already.
        StoreError: if they cannot be kept.
    """
    counts = ImportCounts()
    games: list[GameRecord] = []
    for record in _records(files, size, komi, store, counts):
        games.append(record)
        if len(games) == GAMES_A_FILE:
            store.add_file(games)
            games = []
    if games:
        store.add_file(games)
    if not counts.games and not counts.repeated:
        raise NoGamesError(f"no game to import among {len(files):,} files: {counts.left_out(size)}")
    return counts
