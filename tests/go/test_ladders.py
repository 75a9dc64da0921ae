"""Ladders: by diagrams, and against a slow reading on plain boards that tries every order of moves."""

import numpy as np
import pytest

from miai.engine.go.board import board_size, play
from miai.engine.go.ladders import mark_ladders
from miai.engine.go.points import BLACK, EMPTY, PASS, WHITE, all_points, opponent, vertex_of
from tests.board_diagram import boards_from_diagram
from tests.playouts.transform import playout_positions

_FLEEING = """
    . . . . . . . . .
    . . . . . . . . .
    . . . . . . {} . .
    . . . . . . . . .
    . . . . . . . . .
    . . {} . . . . . .
    . O X . . . . . .
    . . O O . . . . .
    . . . . . . . . .
    """


def ladders(board: np.void) -> tuple[set[str], set[str]]:
    """Return the stones caught and the moves that work."""
    size = board_size(board)
    caught, working = np.full((2, len(board["head"])), 9, dtype=np.uint8)
    mark_ladders(board, board["color"], int(board["ko_point"]), caught, working)
    stones, moves = ({vertex_of(int(point), size) for point in np.flatnonzero(marks)} for marks in (caught, working))
    return stones, moves


DIAGRAMS = [
    ("a ladder to the far corner", _FLEEING.format(".", "O"), "C3", True, set()),
    ("a stone of the fleeing side in the way", _FLEEING.format("X", "O"), "C3", False, set()),
    ("a ladder that one move begins", _FLEEING.format(".", "."), "C3", True, {"C4"}),
    ("no move begins it", _FLEEING.format("X", "."), "C3", False, set()),
    (
        "the fleeing side takes a ladder stone in atari",
        """
        . . . . . . .
        . . . O . . .
        . . X X O . .
        . . O X . . .
        . X O O . . .
        . X O X . . .
        . . X . . . .
        """,
        "D4",
        False,
        {"E3"},
    ),
    (
        "against the edge",
        """
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . . O . . .
        . . O X O . .
        . . O X . . .
        """,
        "D2",
        True,
        set(),
    ),
]


@pytest.mark.parametrize(("situation", "diagram", "target", "is_caught", "working"), DIAGRAMS)
def test_ladder(situation: str, diagram: str, target: str, is_caught: bool, working: set[str]) -> None:
    boards = boards_from_diagram(diagram, BLACK)
    before = boards.tobytes()
    stones, moves = ladders(boards[0])
    assert (target in stones) == is_caught, situation
    assert moves == working, situation
    assert boards.tobytes() == before


class Reader:
    """Reads a ladder on copies of a board: all moves of both sides, no shortcuts, until someone has what he wants."""

    def __init__(self, board: np.ndarray, target: int) -> None:
        self.target = target
        self.owner = int(board["color"][target])
        self.width = len(board["width_marker"])

    def block(self, board: np.void, point: int) -> tuple[set[int], set[int]]:
        """Return stones and liberties of a block."""
        stones, liberties, found = {point}, set(), [point]
        while found:
            stone = found.pop()
            for neighbor in (stone - self.width, stone - 1, stone + 1, stone + self.width):
                if board["color"][neighbor] == board["color"][point] and neighbor not in stones:
                    stones.add(neighbor)
                    found.append(neighbor)
                elif board["color"][neighbor] == EMPTY:
                    liberties.add(neighbor)
        return stones, liberties

    def after(self, boards: np.ndarray, move: int, color: int) -> np.ndarray | None:
        """Return the position after a move, None if it is a suicide or forbidden by ko."""
        if move == boards[0]["ko_point"]:
            return None
        played = boards.copy()
        played[0]["to_play"] = color
        play(played[0], move)
        return None if played[0]["color"][move] != color else played

    def is_stuck_in_two_kos(self, boards: np.ndarray, liberties: set[int]) -> bool:
        """Tell whether both liberties are mouths of kos that neither side's connection or capture resolves."""
        board = boards[0]
        stones, _ = self.block(board, self.target)
        for liberty in liberties:
            neighbors = [liberty + offset for offset in (-self.width, -1, 1, self.width)]
            colors = [int(board["color"][neighbor]) for neighbor in neighbors]
            in_atari = [
                self.block(board, neighbor)[0]
                for neighbor, color in zip(neighbors, colors, strict=True)
                if color == self.owner and len(self.block(board, neighbor)[1]) == 1
            ]
            if {EMPTY, opponent(self.owner)} & set(colors) or [len(block) for block in in_atari] != [1]:
                return False
            joined = boards.copy()
            joined[0]["to_play"] = self.owner
            play(joined[0], liberty)
            if joined[0]["color"][liberty] == self.owner and len(self.block(joined[0], liberty)[1]) > 2:
                return False
        return not self.captures(board, stones)

    def captures(self, board: np.void, stones: set[int]) -> set[int]:
        """Return the moves that take a block beside these stones."""
        neighbors = {stone + offset for stone in stones for offset in (-self.width, -1, 1, self.width)}
        attackers = [point for point in neighbors if board["color"][point] == opponent(self.owner)]
        blocks = [self.block(board, point)[1] for point in attackers]
        return {min(liberties) for liberties in blocks if len(liberties) == 1}

    def is_caught(self, boards: np.ndarray, owner_moves: bool, is_first: bool = True) -> bool:
        board = boards[0]
        stones, liberties = self.block(board, self.target)
        if owner_moves:
            if len(liberties) >= 2 or (board["ko_point"] != PASS and not is_first):
                return False
            start = boards.copy()
            start[0]["ko_point"] = PASS
            positions = [self.after(start, move, self.owner) for move in self.captures(board, stones) | liberties]
            return all(self.is_caught(position, False) for position in positions if position is not None)
        if len(liberties) != 2:
            return len(liberties) < 2
        if self.is_stuck_in_two_kos(boards, liberties):
            return True
        positions = [self.after(boards, move, opponent(self.owner)) for move in liberties]
        return any(self.is_caught(position, True, False) for position in positions if position is not None)


def slow_ladders(boards: np.ndarray) -> tuple[set[str], set[str]]:
    board, size = boards[0], board_size(boards[0])
    caught, working = set(), set()
    for point in all_points(size):
        if board["color"][point] in (BLACK, WHITE):
            reader = Reader(board, point)
            _, liberties = reader.block(board, point)
            if len(liberties) == 1 and reader.is_caught(boards, True):
                caught.add(vertex_of(point, size))
            if len(liberties) == 2:
                for move in liberties:
                    position = reader.after(boards, move, opponent(reader.owner))
                    if position is not None and reader.is_caught(position, True):
                        caught.add(vertex_of(point, size))
                        working.add(vertex_of(move, size))
    return caught, working


@pytest.mark.parametrize("size", [5, 7, 9])
def test_ladders_of_random_positions_are_those_of_a_slow_reading(size: int) -> None:
    num_caught, num_working = 0, 0
    for seed in range(3):
        for boards in list(playout_positions(size, seed))[10:140:5]:
            expected = slow_ladders(boards)
            assert ladders(boards[0]) == expected
            num_caught += len(expected[0])
            num_working += len(expected[1])
    assert num_caught > 30
    assert num_working > 10
