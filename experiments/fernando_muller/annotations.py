"""Positions with the value of every legal move, for this program and others: an SGF file each, and one file of arrays.

    FOLDER/annotations/000000.sgf …   the game up to the position; then each legal move as a variation
    FOLDER/annotations.npz            the same as arrays

In the SGF files `V` (a node's value, in points, positive for Black) is the fair komi of the position after the node's
move, `KSIXTY` and `KFORTY` are the komi at which Black's chances are 60 % and 40 %. `GN` names the game's file, `RO` is
its number, `KM` its komi. The first node of the main line with a `V` is the annotated position. The arrays, a row a
position:

    names, labels        file of the game and its number
    size, oracle         of the board; who said what Black's chances are, as JSON (one for all positions)
    move_numbers         moves made
    to_play              1 Black, 2 White
    komi                 of the game
    stones               int8 [n, size²], row-major from the top left: 0 empty, 1 Black, 2 White
    fair, sixty, forty   of the position, in points for Black
    fair_after, sixty_after, forty_after
                         [n, size² + 1] after each move, the last being the pass; NaN = not legal
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sgfmill.sgf import Node, Sgf_game

from miai.engine.files import write_file
from miai.engine.go.actions import action_of_move, move_of_action
from miai.engine.go.game import Game
from miai.engine.go.points import BLACK, EMPTY, PASS, location_of
from miai.engine.go.rules import count_all_stones
from miai.engine.go.sgf import GameInfo, SgfError, load_game, sgf_of
from miai.experiments.fernando_muller.fair_komi import FairKomi
from miai.experiments.running.pieces import write_arrays

FOLDER = "annotations"
ARRAYS = "annotations.npz"


@dataclass(frozen=True)
class AnnotatedPosition:
    """A position and what it and all its legal moves are worth, as fair komi: in points for Black."""

    name: str
    """File of the game."""
    label: int
    """Number of the game."""
    game: Game
    """Up to the position."""
    value: FairKomi
    after: np.ndarray
    """float64 [size² + 1, 3]: after each action, fair, sixty and forty as in `FairKomi`; NaN = not legal."""

    @property
    def losses(self) -> np.ndarray:
        """Points that each action loses for who plays it, float64 [size² + 1]; NaN = not legal."""
        sign = 1.0 if self.game.to_play == BLACK else -1.0
        return sign * (self.value.fair - self.after[:, 0])

    def is_blunder(self, least_points: float) -> np.ndarray:
        """Tell which actions turn a won game into a lost one and lose at least so many points, bool [size² + 1]."""
        sign = 1.0 if self.game.to_play == BLACK else -1.0
        won = sign * (self.value.fair - self.game.komi) > 0.0
        lost = sign * (self.after[:, 0] - self.game.komi) < 0.0
        return won & lost & (self.losses >= least_points)


def to_sgf(position: AnnotatedPosition) -> bytes:
    """Return the SGF file of a position."""
    info = GameInfo(round=str(position.label), comments={len(position.game.moves): _comment(position)})
    record = Sgf_game.from_bytes(sgf_of(position.game, info))
    record.get_root().set("GN", position.name)
    node = record.get_last_node()
    _write_value(node, position.value)
    size = position.game.size
    color = "b" if position.game.to_play == BLACK else "w"
    for action in np.flatnonzero(np.isfinite(position.after[:, 0])):
        child = node.new_child()
        row, column = divmod(int(action), size)
        child.set_move(color, None if action == size * size else (size - 1 - row, column))
        _write_value(child, FairKomi(*position.after[action]))
    return bytes(record.serialise())


def from_sgf(content: bytes) -> AnnotatedPosition:
    """Read what `to_sgf` wrote.

    Raises:
        SgfError: for anything else.
    """
    try:
        record = Sgf_game.from_bytes(content)
    except (ValueError, LookupError) as error:
        raise SgfError(f"this is no SGF file: {str(error)[:100]}") from None
    num_moves = 0
    for node in record.get_main_sequence():
        num_moves += node.get_move()[0] is not None
        if node.has_property("V"):
            break
    else:
        raise SgfError("no position of this file is annotated")
    game, info = load_game(content, num_moves + 1)
    game.rules = count_all_stones(game.rules)
    size = game.size
    after = np.full((size * size + 1, 3), np.nan)
    for child in node:
        place = child.get_move()[1]
        action = size * size if place is None else (size - 1 - place[0]) * size + place[1]
        after[action] = _read_value(child)
    root = record.get_root()
    name = root.get("GN") if root.has_property("GN") else ""
    return AnnotatedPosition(name, int(info.round or 0), game, _read_value(node), after)


def _comment(position: AnnotatedPosition) -> str:
    value = position.value
    return f"fair komi {value.fair:.2f} (60 % at {value.sixty:.2f}, 40 % at {value.forty:.2f})"


def _write_value(node: Node, value: FairKomi) -> None:
    for name, number in zip(("V", "KSIXTY", "KFORTY"), value, strict=True):
        node.set_raw(name, f"{number:.4f}".encode())


def _read_value(node: Node) -> FairKomi:
    try:
        return FairKomi(*(float(node.get_raw(name)) for name in ("V", "KSIXTY", "KFORTY")))
    except (KeyError, ValueError):
        raise SgfError("a move of this file has no value") from None


def write_annotations(positions: Sequence[AnnotatedPosition], oracle: dict[str, Any], folder: Path) -> None:
    """Write all positions, as SGF files and as arrays; where a run has left more, they stay as they are."""
    (folder / FOLDER).mkdir(parents=True, exist_ok=True)
    if _file_of(folder, len(positions)).exists():
        return
    for number, position in enumerate(positions):
        write_file(_file_of(folder, number), to_sgf(position))
    values = np.array([position.value for position in positions])
    after = np.stack([position.after for position in positions])
    write_arrays(
        folder / ARRAYS,
        names=[position.name for position in positions],
        labels=[position.label for position in positions],
        size=positions[0].game.size,
        oracle=json.dumps(oracle),
        move_numbers=[len(position.game.moves) for position in positions],
        to_play=[position.game.to_play for position in positions],
        komi=[position.game.komi for position in positions],
        stones=np.stack([stones_of(position.game) for position in positions]),
        **dict(zip(("fair", "sixty", "forty"), values.T, strict=True)),
        **dict(zip(("fair_after", "sixty_after", "forty_after"), np.moveaxis(after, 2, 0), strict=True)),
    )


def _file_of(folder: Path, number: int) -> Path:
    return folder / FOLDER / f"{number:06d}.sgf"


def stones_of(game: Game) -> np.ndarray:
    """Return the stones, int8 [size²], row-major from the top left: EMPTY, BLACK or WHITE."""
    stones = np.full(game.size**2, EMPTY, dtype=np.int8)
    for point, color in game.stones().items():
        row, column = location_of(point, game.size)
        stones[row * game.size + column] = color
    return stones


def read_annotations(folder: Path) -> list[AnnotatedPosition]:
    """Return the positions that a folder holds as SGF files, its own or those of its folder `annotations`.

    Raises:
        ValueError: if there are none, or one cannot be read; names it.
    """
    inner = folder / FOLDER
    paths = sorted((inner if inner.is_dir() else folder).glob("*.sgf"))
    if not paths:
        raise ValueError(f"{folder} holds no annotated positions")
    positions = []
    for path in paths:
        try:
            positions.append(from_sgf(path.read_bytes()))
        except (OSError, SgfError) as error:
            raise ValueError(f"{path}: {error}") from None
    return positions


def digest_of_positions(positions: Sequence[AnnotatedPosition]) -> str:
    """Return what tells sets of positions apart."""
    told = [(one.name, one.label, one.game.moves) for one in positions]
    return hashlib.sha256(repr(told).encode()).hexdigest()[:16]


def legal_actions(game: Game) -> list[int]:
    """Return the actions that are legal for the player to move, the pass last."""
    moves = [*game.legal_points(game.to_play), PASS]
    return sorted(int(action_of_move(move, game.size)) for move in moves)


def after_action(game: Game, action: int) -> Game:
    """Return the game after an action of the player to move."""
    following = game.copy()
    following.play(game.to_play, int(move_of_action(action, game.size)))
    return following
