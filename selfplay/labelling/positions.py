"""Positions of recorded games as a teacher sees them: compiled code that writes planes, legal moves and keys."""

import functools
from typing import Any

import numpy as np

from miai.engine.go.actions import point_of_action
from miai.engine.go.history import new_history, push_key
from miai.engine.go.legality import leaves_liberty, retakes_ko
from miai.engine.go.points import EMPTY
from miai.engine.jit import compiled
from miai.nets.leaf_encoding import position_key
from miai.nets.planes import make_write_planes, num_planes
from miai.nets.recent_positions import clear_recent, is_banned, mark_superko, push_recent
from miai.nets.symmetry import symmetry_table
from miai.selfplay.data.format import GameFile
from miai.selfplay.data.replay import begin_game, new_replay, play_row


@compiled
def _is_legal(board, recent, may_suicide, point):
    """Tell whether the player to move may play a point, where superko has been marked."""
    color = np.int64(board.to_play)
    if board.color[point] != EMPTY or is_banned(recent, point) or retakes_ko(board, point, color):
        return False
    return may_suicide or leaves_liberty(board, point, color)


@compiled
def _begin(file, game, workspace, history):
    begin_game(workspace.board, workspace.empty, file.setup[game])
    clear_recent(workspace.recent, workspace.board)
    history[:] = np.uint64(0)
    push_key(history, workspace.board.key)


@compiled
def _advance(file, row, workspace, history):
    """Make the move of a row on the position before it."""
    play_row(workspace.board, np.int64(file.move[row]), np.int64(file.color[row]))
    push_recent(workspace.recent, workspace.board)
    push_key(history, workspace.board.key)


@functools.cache
def _compose(kind: str) -> Any:
    write_planes = make_write_planes(kind)

    @compiled
    def write_positions(file, game_of_row, rows, symmetries, sources, workspace, history, upright, planes, is_legal):
        board, recent = workspace.board, workspace.recent
        num_points = file.setup.shape[1]
        num_channels = planes.shape[1]
        size = np.int64(upright.shape[1])
        flat = upright.reshape(num_channels, num_points)
        written = planes.reshape(len(rows), num_channels, num_points)
        under_way, at = np.int64(-1), np.int64(0)
        for index in range(len(rows)):
            row = rows[index]
            game = game_of_row[row]
            head = file.games[game]
            if game != under_way or row < at:
                _begin(file, game, workspace, history)
                under_way, at = game, np.int64(head.first)
            while at < row:
                _advance(file, at, workspace, history)
                at += 1
            board.to_play = file.color[row]
            if head.has_superko != 0:
                mark_superko(recent, board, history)
            write_planes(board, recent, head.komi, head.has_superko, upright)
            source = sources[symmetries[index]]
            for channel in range(num_channels):
                for point in range(num_points):
                    written[index, channel, point] = flat[channel, source[point]]
            for point in range(num_points):
                is_legal[index, point] = _is_legal(
                    board, recent, head.suicide != 0, np.int64(point_of_action(point, size))
                )
            is_legal[index, num_points] = True

    return write_positions


def write_positions(
    file: GameFile, game_of_row: np.ndarray, rows: np.ndarray, symmetries: np.ndarray, kind: str
) -> tuple[np.ndarray, np.ndarray]:
    """Return the positions of `rows`, each in one of its 8 symmetries.

    Args:
        file: games that `find_fault` finds nothing wrong with.
        game_of_row: int64 [rows of the file]: the game of each.
        rows: int64 [batch]; quickest in the order of play.
        symmetries: int64 [batch]: see `miai.nets.symmetry`.
        kind: kind of planes.

    Returns:
        Planes, float32 [batch, planes, size, size]; and which moves are legal, bool [batch, size·size + 1], as the
        positions lie.
    """
    size = file.size
    planes = np.empty((len(rows), num_planes(kind), size, size), dtype=np.float32)
    is_legal = np.empty((len(rows), size * size + 1), dtype=np.bool_)
    upright = np.zeros(planes.shape[1:], dtype=np.float32)
    workspace, history = new_replay(size)[0], new_history(int(file.games["num_moves"].max()) + 1)
    tables = symmetry_table(size)
    _compose(kind)(file, game_of_row, rows, symmetries, tables, workspace, history, upright, planes, is_legal)
    return planes, is_legal


@compiled
def _write_keys(file, workspace, keys):
    board, recent = workspace.board, workspace.recent
    for game in range(len(file.games)):
        head = file.games[game]
        begin_game(board, workspace.empty, file.setup[game])
        clear_recent(recent, board)
        for row in range(head.first, head.first + head.num_moves):
            board.to_play = file.color[row]
            keys[row] = position_key(board, recent, head.komi, head.has_superko, 1)
            play_row(board, np.int64(file.move[row]), np.int64(file.color[row]))
            push_recent(recent, board)


def position_keys(file: GameFile) -> np.ndarray:
    """Return a key of all that a network may see of each row's position, uint64 [rows]; the same for the same."""
    keys = np.zeros(file.num_rows, dtype=np.uint64)
    _write_keys(file, new_replay(file.size)[0], keys)
    return keys
