"""Files of finished games: what one holds, how it is written, and how it is read.

A folder holds `games-00000001.npz`, `games-00000002.npz`, … in the order in which they were written, each with some
dozens of games of one board size. `docs/reference/data-format.md` describes the arrays for readers in any language. A
file appears under its name only when it is whole and on the disk.
"""

import errno
import io
import os
import re
import zipfile
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from miai.engine.files import part_file, sync_folder
from miai.engine.go.points import BLACK, MAX_SIZE, MIN_SIZE, WHITE
from miai.selfplay.data.game_record import GameRecord, PolicyTarget

GAME_DTYPE = np.dtype(
    [
        ("first", "i8"),  # row of its first move
        ("num_moves", "i4"),
        ("size", "i1"),
        ("komi", "f4"),
        ("score", "f4"),  # final area, Black's minus White's minus komi; NaN unknown
        ("result", "f4"),  # 1 Black's win, 0.5 a draw, 0 White's; NaN unknown
        ("has_superko", "u1"),
        ("suicide", "u1"),
        ("is_scored", "u1"),  # whether score and ownership are those of a game played to its end
        ("net_version", "i4"),  # of the network that played; 0 = none
        ("seed", "u8"),
    ]
)
"""The head of a game."""

ROUNDING = 1e-3
"""By how much a value or a probability may leave 0 to 1."""
_NAME = re.compile(r"games-(\d{8,})\.npz")


class DataError(ValueError):
    """A file that is no whole file of games; the text names it and what is wrong."""


class GameFile(NamedTuple):
    """The games of a file. A *row* is a move, and the position before it."""

    games: np.ndarray
    """GAME_DTYPE [games]"""
    setup: np.ndarray
    """int8 [games, size*size]: 0 empty, 1 black, 2 white before the first move."""
    ownership: np.ndarray
    """int8 [games, size*size]: +1 Black's, -1 White's, 0 nobody's or unknown at the end."""
    move: np.ndarray
    """int16 [rows]: policy index played."""
    color: np.ndarray
    """uint8 [rows]: who played it, 1 black, 2 white."""
    root_value: np.ndarray
    """float32 [rows]: expected result for the player to move after the search, 0 to 1; NaN unknown."""
    root_score: np.ndarray
    """float32 [rows]: expected score in points for the player to move, komi included; NaN unknown."""
    is_target: np.ndarray
    """uint8 [rows]: whether there is a policy target."""
    target_first: np.ndarray
    """int64 [rows + 1]: where each row's target begins in the next two."""
    target_move: np.ndarray
    """int16 [entries]: policy indices."""
    target_share: np.ndarray
    """float32 [entries]: probabilities, which sum to 1 for a row."""
    label: np.ndarray
    """int32 [rows]: which of the labels is the row's; -1 none. Labels are what a teacher says, for the player to move;
    see `miai.selfplay.data.labels`."""
    label_policy: np.ndarray
    """uint16 [labels, size*size + 1]: probabilities of all moves, in units of 1/65535."""
    label_wdl: np.ndarray
    """uint16 [labels, 3]: probabilities of win, draw and loss, in units of 1/65535."""
    label_score: np.ndarray
    """float32 [labels]: expected points, komi included."""
    label_ownership: np.ndarray
    """int8 [labels, size*size]: expected owner, 127 = surely own, -127 = surely the opponent's."""

    @property
    def size(self) -> int:
        """Points on a side of the board."""
        return int(self.games["size"][0])

    @property
    def num_rows(self) -> int:
        """Moves of all games together."""
        return len(self.move)

    @property
    def game_of_row(self) -> np.ndarray:
        """The game of each row, int64 [rows]."""
        return np.repeat(np.arange(len(self.games)), self.games["num_moves"])

    @property
    def is_labelled(self) -> bool:
        """Whether a teacher has said something of any of its positions."""
        return len(self.label_policy) > 0

    def target(self, row: int) -> PolicyTarget | None:
        """Return the policy target of a row, None if it has none."""
        if not self.is_target[row]:
            return None
        entries = slice(self.target_first[row], self.target_first[row + 1])
        return PolicyTarget(self.target_move[entries], self.target_share[entries])

    def game(self, index: int) -> GameRecord:
        """Return one game by its place in the file."""
        head = self.games[index]
        rows = range(int(head["first"]), int(head["first"]) + int(head["num_moves"]))
        part = slice(rows.start, rows.stop)
        return GameRecord(
            size=int(head["size"]),
            komi=float(head["komi"]),
            moves=self.move[part].tolist(),
            colors=self.color[part].tolist(),
            root_values=self.root_value[part].tolist(),
            root_scores=self.root_score[part].tolist(),
            targets=[self.target(row) for row in rows],
            setup=self.setup[index],
            ownership=self.ownership[index],
            score=float(head["score"]),
            result=float(head["result"]),
            has_superko=bool(head["has_superko"]),
            suicide=bool(head["suicide"]),
            is_scored=bool(head["is_scored"]),
            net_version=int(head["net_version"]),
            seed=int(head["seed"]),
        )

    def records(self) -> list[GameRecord]:
        """Return all games."""
        return [self.game(index) for index in range(len(self.games))]


_ARRAYS: dict[str, tuple[np.dtype, int]] = {
    "games": (GAME_DTYPE, 1),
    "setup": (np.dtype("i1"), 2),
    "ownership": (np.dtype("i1"), 2),
    "move": (np.dtype("i2"), 1),
    "color": (np.dtype("u1"), 1),
    "root_value": (np.dtype("f4"), 1),
    "root_score": (np.dtype("f4"), 1),
    "is_target": (np.dtype("u1"), 1),
    "target_first": (np.dtype("i8"), 1),
    "target_move": (np.dtype("i2"), 1),
    "target_share": (np.dtype("f4"), 1),
}
"""Type and number of dimensions of each array."""
_LABEL_ARRAYS: dict[str, tuple[np.dtype, int]] = {
    "label": (np.dtype("i4"), 1),
    "label_policy": (np.dtype("u2"), 2),
    "label_wdl": (np.dtype("u2"), 2),
    "label_score": (np.dtype("f4"), 1),
    "label_ownership": (np.dtype("i1"), 2),
}
"""The same of those that only files with labels have."""
_VERSION = 2
"""Of files with labels, in their array `version`; files without are of version 1, and say nothing of it."""


def game_files(folder: Path) -> list[Path]:
    """Return the files of games in a folder, the oldest first; no other file there is looked at."""
    found = [(int(match[1]), path) for path in folder.glob("games-*.npz") if (match := _NAME.fullmatch(path.name))]
    return [path for _, path in sorted(found)]


def join_games(games: Sequence[GameRecord]) -> GameFile:
    """Put games of one board size into arrays.

    Raises:
        ValueError: if there are none, or of more than one size.
    """
    sizes = {game.size for game in games}
    if len(sizes) != 1:
        raise ValueError(f"a file holds games of one board size, not of {sorted(sizes) or 'none'}")
    points = sizes.pop() ** 2
    heads = np.zeros(len(games), dtype=GAME_DTYPE)
    lengths = [len(game.moves) for game in games]
    heads["first"] = np.cumsum([0, *lengths[:-1]])
    heads["num_moves"] = lengths
    for name in GAME_DTYPE.names or ():
        if name not in ("first", "num_moves"):
            heads[name] = [getattr(game, name) for game in games]
    targets = [target for game in games for target in game.targets]
    present = [target for target in targets if target is not None]
    sizes_of_targets = [0 if target is None else len(target.moves) for target in targets]
    return GameFile(
        games=heads,
        setup=_boards([game.setup for game in games], points),
        ownership=_boards([game.ownership for game in games], points),
        move=np.array([move for game in games for move in game.moves], dtype=np.int16),
        color=np.array([color for game in games for color in game.colors], dtype=np.uint8),
        root_value=np.array([value for game in games for value in game.root_values], dtype=np.float32),
        root_score=np.array([score for game in games for score in game.root_scores], dtype=np.float32),
        is_target=np.array([target is not None for target in targets], dtype=np.uint8),
        target_first=np.cumsum([0, *sizes_of_targets], dtype=np.int64),
        target_move=np.concatenate([np.zeros(0, np.int16), *(target.moves for target in present)], dtype=np.int16),
        target_share=np.concatenate(
            [np.zeros(0, "f4"), *(target.probabilities for target in present)], dtype=np.float32
        ),
        **_no_labels(len(targets), points),
    )


def _no_labels(rows: int, points: int) -> dict[str, np.ndarray]:
    shapes = {"label_policy": (0, points + 1), "label_wdl": (0, 3), "label_score": (0,), "label_ownership": (0, points)}
    arrays = {name: np.zeros(shape, dtype=_LABEL_ARRAYS[name][0]) for name, shape in shapes.items()}
    return {"label": np.full(rows, -1, dtype=np.int32), **arrays}


def _boards(boards: Sequence[np.ndarray | None], points: int) -> np.ndarray:
    return np.array([np.zeros(points) if board is None else board for board in boards], dtype=np.int8)


def to_bytes(games: Sequence[GameRecord]) -> bytes:
    """Return the content of a file of these games.

    Raises:
        ValueError: if there are no games, or of more than one board size.
    """
    return file_content(join_games(games))


def file_content(file: GameFile) -> bytes:
    """Return the content of a file with these arrays; only a file with labels has the arrays of labels."""
    arrays = file._asdict()
    if file.is_labelled:
        arrays["version"] = np.array([_VERSION], dtype=np.int32)
    else:
        arrays = {name: arrays[name] for name in _ARRAYS}
    content = io.BytesIO()
    np.savez_compressed(content, allow_pickle=False, **arrays)
    return content.getvalue()


def write_games(folder: Path, games: Sequence[GameRecord]) -> Path:
    """Write games of one board size as the newest file of a folder, in full or not at all; return its path.

    The folder is made if it is missing. When this returns the file is on the disk.

    Raises:
        OSError: if it cannot be written; there is no new file then.
        ValueError: if there are no games, or of more than one board size.
    """
    content = to_bytes(games)
    folder.mkdir(parents=True, exist_ok=True)
    with part_file(folder, content) as part:
        path = _give_name(part, folder)
    sync_folder(folder)
    return path


def _give_name(part: Path, folder: Path) -> Path:
    """Let a file appear under the next free name; two writers never take the same."""
    present = game_files(folder)
    number = int(present[-1].stem.removeprefix("games-")) if present else 0
    while True:
        number += 1
        path = folder / f"games-{number:08d}.npz"
        try:
            os.link(part, path)
        except FileExistsError:
            continue
        except OSError as error:
            if error.errno not in (errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP):
                raise
            os.rename(part, path)  # a file system without links
        return path


def read_games(path: Path) -> GameFile:
    """Read a file of games.

    Raises:
        DataError: if it cannot be read, is cut short or damaged, or is no file of games.
    """
    arrays = _load(path, _ARRAYS, _LABEL_ARRAYS)
    if "label" not in arrays:
        arrays |= _no_labels(len(arrays["move"]), arrays["setup"].shape[1])
    file = GameFile(**arrays)
    try:
        _check(file)
    except DataError as error:
        raise DataError(f"{path}: {error}") from None
    return file


def read_heads(path: Path) -> np.ndarray:
    """Return only the heads of a file's games, GAME_DTYPE [games]; the rest is not read.

    Raises:
        DataError: as `read_games`, as far as the heads show it.
    """
    return _load(path, {"games": _ARRAYS["games"]})["games"]


def _load(
    path: Path, needed: dict[str, tuple[np.dtype, int]], labels: dict[str, tuple[np.dtype, int]] | None = None
) -> dict[str, np.ndarray]:
    """Return the arrays `needed`, and those of `labels` if the file has a version."""
    arrays = {}
    form = dict(needed)
    try:
        with np.load(path, allow_pickle=False) as content:
            if not isinstance(content, np.lib.npyio.NpzFile):
                raise DataError(f"{path} is no npz file")
            if labels and "version" in content:
                version = content["version"].ravel().tolist()
                if version != [_VERSION]:
                    found = ", ".join(map(str, version))
                    raise DataError(f"{path} is of version {found}, this miai reads up to {_VERSION}")
                form |= labels
            for name in form:
                if name not in content:
                    raise DataError(f"{path} is no file of games: there is no array {name}")
                arrays[name] = content[name]
    except DataError:
        raise
    except OSError as error:
        raise DataError(f"cannot read {path}: {error.strerror or error}") from None
    except (ValueError, EOFError, KeyError, MemoryError, NotImplementedError, zipfile.BadZipFile, zlib.error) as error:
        raise DataError(f"{path} is damaged or no file of games: {str(error)[:100]}") from None
    for name, (dtype, dimensions) in form.items():
        if arrays[name].dtype != dtype or arrays[name].ndim != dimensions:
            raise DataError(
                f"{path} is no file of games: {name} is {arrays[name].dtype} of {arrays[name].ndim} dimensions, "
                f"not {dtype} of {dimensions}"
            )
    return arrays


def _check(file: GameFile) -> None:
    """Refuse arrays that do not fit together: whoever reads the file may use them as indices without a test."""
    heads, rows = file.games, file.num_rows
    if not len(heads):
        raise DataError("there are no games")
    if not np.all(heads["size"] == heads["size"][0]) or not MIN_SIZE <= file.size <= MAX_SIZE:
        raise DataError(f"the games are of sizes {sorted(set(heads['size'].tolist()))[:5]}")
    points = file.size**2
    expected = {"setup": (len(heads), points), "ownership": (len(heads), points), "target_first": (rows + 1,)}
    expected |= dict.fromkeys(("color", "root_value", "root_score", "is_target"), (rows,))
    expected["target_share"] = file.target_move.shape
    labels = len(file.label_policy)
    expected |= {"label": (rows,), "label_policy": (labels, points + 1), "label_wdl": (labels, 3)}
    expected |= {"label_score": (labels,), "label_ownership": (labels, points)}
    for name, shape in expected.items():
        if getattr(file, name).shape != shape:
            raise DataError(f"{name} has the shape {getattr(file, name).shape}, not {shape}")
    if np.any(heads["num_moves"] < 0) or np.any(heads["first"] != np.cumsum(heads["num_moves"]) - heads["num_moves"]):
        raise DataError("the games do not follow each other")
    if int(heads["num_moves"].sum()) != rows:
        raise DataError(f"the games have {int(heads['num_moves'].sum())} moves, the file {rows}")
    starts = file.target_first
    if starts[0] != 0 or starts[-1] != len(file.target_move) or np.any(np.diff(starts) < 0):
        raise DataError("the policy targets do not follow each other")
    if np.any((np.diff(starts) > 0) != (file.is_target != 0)):
        raise DataError("there are policy targets without probabilities, or probabilities of none")
    for name in ("move", "target_move"):
        moves = getattr(file, name)
        if np.any((moves < 0) | (moves > points)):
            raise DataError(f"{name} holds what is no move on a {file.size}x{file.size} board")
    if np.any((file.color != BLACK) & (file.color != WHITE)) or np.any((file.setup < 0) | (file.setup > WHITE)):
        raise DataError("there are stones that are neither black nor white")
    if np.any((file.label < -1) | (file.label >= labels)):
        raise DataError("there are rows with a label that is not there")
    if np.any(file.label_policy.max(axis=1, initial=0) == 0) or np.any(file.label_wdl.max(axis=1, initial=0) == 0):
        raise DataError("there are labels in which nothing is probable")
    _check_numbers(file)


def _check_numbers(file: GameFile) -> None:
    """Refuse numbers that mean nothing; NaN is what is not known, and some may be rounded."""
    results, values, probabilities = file.games["result"], file.root_value, file.target_share
    most = 1.0 + ROUNDING
    for name, is_wrong, allowed in (
        ("ownership", (file.ownership < -1) | (file.ownership > 1), "-1, 0 or 1"),
        ("komi", ~np.isfinite(file.games["komi"]), "a finite number"),
        ("score", np.isinf(file.games["score"]), "a finite number"),
        ("result", ~(np.isin(results, (0.0, 0.5, 1.0)) | np.isnan(results)), "0, 0.5 or 1"),
        ("root_value", (values < -ROUNDING) | (values > most), "0 to 1"),
        ("root_score", np.isinf(file.root_score), "a finite number"),
        ("label_score", ~np.isfinite(file.label_score), "a finite number"),
        ("target_share", ~((probabilities >= 0.0) & (probabilities <= most)), "0 to 1"),
    ):
        if np.any(is_wrong):
            raise DataError(f"{name} holds what is not {allowed}")
