"""Positions of playouts, and the same positions turned, mirrored, or with colours exchanged."""

from collections.abc import Iterator

import numpy as np

from miai.engine.go.board import board_size, new_board, place_stone, play
from miai.engine.go.points import BLACK, PASS, WHITE, location_of, opponent, point_at
from miai.playouts.policy import make_policy
from miai.playouts.workspace import new_playout_workspace

SYMMETRIES = range(8)


def playout_positions(size: int, seed: int, policy: str = "random") -> Iterator[np.ndarray]:
    """Yield the positions of a playout as arrays of one board."""
    choose = make_policy(policy).choose
    workspace = new_playout_workspace(size, seed)[0]
    board = new_board(size)
    while board[0]["num_passes"] < 2:
        yield board.copy()
        play(board[0], choose(board[0], workspace))


def turned(point: int, symmetry: int, size: int) -> int:
    """Return where a point of a board lies in one of its 8 symmetries."""
    row, column = location_of(point, size)
    row = size - 1 - row if symmetry & 1 else row
    column = size - 1 - column if symmetry & 2 else column
    return point_at(column, row, size) if symmetry & 4 else point_at(row, column, size)


def transformed(board: np.void, symmetry: int = 0, exchange: bool = False) -> np.ndarray:
    """Return an array of one board: the position in one of its 8 symmetries, with colours exchanged or not."""
    size = board_size(board)
    boards = new_board(size)
    for point in np.flatnonzero((board["color"] == BLACK) | (board["color"] == WHITE)):
        color = int(board["color"][point])
        place_stone(boards[0], turned(int(point), symmetry, size), np.uint8(opponent(color) if exchange else color))
    to_play, ko_point = int(board["to_play"]), int(board["ko_point"])
    boards[0]["to_play"] = opponent(to_play) if exchange else to_play
    boards[0]["ko_point"] = PASS if ko_point == PASS else turned(ko_point, symmetry, size)
    return boards
