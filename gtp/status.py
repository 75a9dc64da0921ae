"""Which stones live at the end of a game: what is proved by Benson's theorem, else what a search expects.

Blocks and liberties are read from a `Game` in plain Python: this runs once a game.
"""

from typing import Literal, NamedTuple

import numpy as np

from engine.go.benson import pass_alive
from engine.go.game import Game
from engine.go.points import BLACK, EMPTY, all_points, opponent

Status = Literal["alive", "dead", "seki"]
STATUSES: tuple[Status, ...] = ("alive", "dead", "seki")

_OWNED = 0.5
"""From this expectation on (-1 to +1) an empty point is a player's territory."""


class Block(NamedTuple):
    """Connected stones of one colour."""

    color: int
    points: frozenset[int]
    liberties: frozenset[int]


def find_blocks(game: Game) -> list[Block]:
    """Return all blocks on the board, by their first point in row-major order."""
    points = all_points(game.size)
    colors = {point: game.color_at(point) for point in points}
    blocks: list[Block] = []
    seen: set[int] = set()
    for start in points:
        if colors[start] == EMPTY or start in seen:
            continue
        members, liberties, frontier = {start}, set(), [start]
        while frontier:
            for neighbor in _neighbors(frontier.pop(), game.size):
                if neighbor not in colors:
                    continue
                if colors[neighbor] == EMPTY:
                    liberties.add(neighbor)
                elif colors[neighbor] == colors[start] and neighbor not in members:
                    members.add(neighbor)
                    frontier.append(neighbor)
        seen |= members
        blocks.append(Block(colors[start], frozenset(members), frozenset(liberties)))
    return blocks


def judge_blocks(game: Game, ownership: np.ndarray, color: int) -> dict[Block, Status]:
    """Return the status of every block.

    A block is dead if its points are expected to become the opponent's; pass-alive territory is the owner's for sure.
    A block is in seki if it lives next to an opponent's living block over liberties that become nobody's, and neither
    has territory beside it.

    Args:
        game: the position.
        ownership: float [size·size], row-major from the top left, +1 = `color`'s.
        color: whose view the ownership has.
    """
    settled = np.zeros(game.size**2, dtype=np.int8)
    pass_alive(game.board, settled, game.rules.suicide)
    sure = settled if color == BLACK else -settled
    expected = dict(zip(all_points(game.size), np.where(sure == 0, ownership, sure).tolist(), strict=True))

    def owned_by(owner: int, points: frozenset[int]) -> float:
        mean = sum(expected[point] for point in points) / len(points)
        return mean if owner == color else -mean

    blocks = find_blocks(game)
    living = [block for block in blocks if owned_by(block.color, block.points) > 0.0]
    without_territory = [
        block for block in living if all(abs(expected[liberty]) < _OWNED for liberty in block.liberties)
    ]
    result: dict[Block, Status] = {}
    for block in blocks:
        rivals = [
            rival
            for rival in without_territory
            if rival.color == opponent(block.color) and rival.liberties & block.liberties
        ]
        if block not in living:
            result[block] = "dead"
        elif block in without_territory and rivals:
            result[block] = "seki"
        else:
            result[block] = "alive"
    return result


def _neighbors(point: int, size: int) -> tuple[int, int, int, int]:
    return point - size - 1, point - 1, point + 1, point + size + 1
