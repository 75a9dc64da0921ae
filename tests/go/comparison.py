"""Hold a game of the engine against the naive board, field by field."""

import functools

import numpy as np

from miai.engine.go.board import KEYS, board_size, first_liberty
from miai.engine.go.eyes import is_own_eye
from miai.engine.go.game import Game
from miai.engine.go.legality import REASONS, has_empty_neighbor, illegality, key_after, leaves_liberty
from miai.engine.go.points import BLACK, BORDER, EMPTY, NO_MOVE, PASS, WHITE, all_points, num_indices
from miai.engine.jit import compiled
from tests.go.naive import NaiveBoard


@functools.cache
def place_points(size: int) -> list[int]:
    """Return the engine's point for every place of the naive board."""
    return all_points(size)


@compiled
def _ask_everywhere(board, history, positional_superko, suicide, reasons, keys, flags):
    """Write what the engine says about every empty point for both colours, rows 1 and 2 of each array."""
    for index in range(board.num_empty):
        point = np.int64(board.empty_points[index])
        for color in range(1, 3):
            keys[color, point] = key_after(board, point, color)
            reasons[color, point] = illegality(board, history, point, color, positional_superko, suicide)
            flags[color, point] = (
                np.int64(leaves_liberty(board, point, color))
                + 2 * np.int64(is_own_eye(board, point, color))
                + 4 * np.int64(has_empty_neighbor(board, point))
            )


def _position_key(position: bytes, points: list[int]) -> int:
    key = 0
    for place, color in enumerate(position):
        if color != EMPTY:
            key ^= int(KEYS[color, points[place]])
    return key


def _liberty_bits(board: np.record, head: int) -> set[int]:
    words = board["liberties"][head]
    return {64 * index + bit for index, word in enumerate(words.tolist()) for bit in range(64) if word >> bit & 1}


def _is_eye(naive: NaiveBoard, place: int, color: int) -> bool:
    if any(naive.colors[neighbor] != color for neighbor in naive.neighbors[place]):
        return False
    row, column = divmod(place, naive.size)
    hostile = at_edge = 0
    for r, c in ((row - 1, column - 1), (row - 1, column + 1), (row + 1, column - 1), (row + 1, column + 1)):
        if 0 <= r < naive.size and 0 <= c < naive.size:
            hostile += naive.colors[r * naive.size + c] == BLACK + WHITE - color
        else:
            at_edge = 1
    return hostile + at_edge < 2


def check_game(game: Game, naive: NaiveBoard) -> None:
    """Assert that the engine's game and the naive one agree on everything the record holds and the rules say."""
    check_stones(game, naive)
    check_blocks(game, naive)
    check_state(game, naive)
    check_legality(game, naive)
    assert game.area().tolist() == naive.area()
    assert game.score() == sum(naive.area()) - game.komi


def check_stones(game: Game, naive: NaiveBoard) -> None:
    """Compare colours, the border, the list of empty points and the position's key."""
    board, points = game.board, place_points(game.size)
    assert board_size(board) == game.size
    colors = board["color"].tolist()
    assert bytes(colors[point] for point in points) == naive.colors
    outside = set(range(num_indices(game.size))) - set(points)
    assert all(colors[index] == BORDER for index in outside)
    empty = [point for point, color in zip(points, naive.colors, strict=True) if color == EMPTY]
    listed = board["empty_points"].tolist()[: int(board["num_empty"])]
    assert sorted(listed) == empty
    if "empty_index" in board.dtype.names:
        indices = board["empty_index"].tolist()
        assert all(indices[point] == index for index, point in enumerate(listed))
    assert int(board["key"]) == _position_key(naive.colors, points)


def check_blocks(game: Game, naive: NaiveBoard) -> None:
    """Compare heads, lists of stones, liberties, their numbers and the blocks' keys."""
    board, points = game.board, place_points(game.size)
    heads = board["head"].tolist()
    counts = board["num_liberties"].tolist()
    next_stone = board["next_stone"].tolist()
    owners: dict[int, int] = {}
    for stones, liberties in naive.blocks():
        head = heads[points[min(stones)]]
        block = {points[stone] for stone in stones}
        assert head in block and head not in owners
        owners[head] = 1
        assert all(heads[point] == head for point in block)
        walked, point = {head}, next_stone[head]
        while point != head:
            assert point in block and point not in walked
            walked.add(point)
            point = next_stone[point]
        assert walked == block
        expected = {points[liberty] for liberty in liberties}
        assert _liberty_bits(board, head) == expected
        assert counts[head] == len(expected)
        assert first_liberty(board, head) == min(expected)
        key = 0
        for point in block:
            key ^= int(KEYS[board["color"][point], point])
        assert int(board["block_key"][head]) == key
        if "block_size" in board.dtype.names:
            assert int(board["block_size"][head]) == len(block)
    assert all(count == 0 for index, count in enumerate(counts) if index not in owners)
    assert all(heads[point] == 0 for point, color in zip(points, naive.colors, strict=True) if color == EMPTY)
    assert not _liberty_bits(board, 0)


def check_state(game: Game, naive: NaiveBoard) -> None:
    """Compare the last moves, passes, captures and whose turn it is."""
    board, points = game.board, place_points(game.size)
    moves = [(color, PASS if place is None else points[place]) for color, place in naive.moves]
    assert game.moves == moves
    assert int(board["last_move"]) == (moves[-1][1] if moves else NO_MOVE)
    assert int(board["second_last_move"]) == (moves[-2][1] if len(moves) > 1 else NO_MOVE)
    passes = 0
    while passes < len(moves) and moves[-1 - passes][1] == PASS:
        passes += 1
    assert int(board["num_passes"]) == passes
    assert game.is_over == (passes >= 2)
    assert board["num_captured"].tolist()[1:] == naive.captured[-1][1:]
    assert game.num_captured == {BLACK: naive.captured[-1][1], WHITE: naive.captured[-1][2]}
    if moves:
        assert game.to_play == BLACK + WHITE - moves[-1][0]
        # Exact for the player to move: the one point that simple ko forbids.
        position_before = naive.positions[-2]
        kos = []
        for place in {p for p, color in enumerate(position_before) if color and not naive.colors[p]}:
            position, taken, _ = naive.after(place, game.to_play)
            if len(taken) == 1 and position == position_before:
                kos.append(points[place])
        assert [int(board["ko_point"])] == (kos or [PASS])
    else:
        assert int(board["ko_point"]) == PASS


def check_legality(game: Game, naive: NaiveBoard) -> None:
    """Compare why each point is illegal for both colours, the key after the move, eyes and suicide."""
    board, points = game.board, place_points(game.size)
    shape = (3, num_indices(game.size))
    reasons, keys, flags = np.ones(shape, np.int8), np.zeros(shape, np.uint64), np.zeros(shape, np.int8)
    rules = game.rules
    _ask_everywhere(board, game.history, rules.has_superko, rules.suicide, reasons, keys, flags)
    earlier = set(naive.positions)
    current_key = _position_key(naive.colors, points)
    for color in (BLACK, WHITE):
        legal = []
        for place, point in enumerate(points):
            reason = REASONS[reasons[color, point]]
            if naive.colors[place] != EMPTY:
                assert reason == "occupied"
                continue
            has_empty = any(naive.colors[neighbor] == EMPTY for neighbor in naive.neighbors[place])
            position, taken, own = naive.after(place, color)
            key = current_key if not own else _key_of_change(naive.colors, position, points, current_key)
            if not own:
                key ^= int(KEYS[color, point])
                for stone in taken:
                    key ^= int(KEYS[BLACK + WHITE - color, points[stone]])
            assert int(keys[color, point]) == key
            assert int(flags[color, point]) == (not own) + 2 * _is_eye(naive, place, color) + 4 * has_empty
            expected = None
            if len(taken) == 1 and naive.moves and naive.moves[-1][0] != color and position == naive.positions[-2]:
                expected = "ko"
            elif own and not naive.suicide:
                expected = "suicide"
            elif naive.positional_superko and position in earlier:
                expected = "superko"
            assert reason == expected, (color, place)
            if expected is None:
                legal.append(point)
        assert game.legal_points(color) == legal


def _key_of_change(before: bytes, after: bytes, points: list[int], key: int) -> int:
    for place, (old, new) in enumerate(zip(before, after, strict=True)):
        if old != new:
            key ^= int(KEYS[old, points[place]]) if old else 0
            key ^= int(KEYS[new, points[place]]) if new else 0
    return key
