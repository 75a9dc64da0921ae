"""The status of stones: what is proved by Benson's theorem, else what a search expects.

Blocks and liberties are read from a `Game` in plain Python: this runs once a game.
"""

from collections.abc import Container
from typing import Literal, NamedTuple

import numpy as np

from miai.engine.go.benson import pass_alive
from miai.engine.go.game import Game
from miai.engine.go.points import BLACK, EMPTY, all_points, opponent

Status = Literal["alive", "dead", "seki"]
STATUSES: tuple[Status, ...] = ("alive", "dead", "seki")

_OWNED = 0.5
"""From this expectation on (-1 to +1) an empty point is a player's territory."""


class StoneBlock(NamedTuple):
    """Connected stones of one colour."""

    color: int
    points: frozenset[int]
    liberties: frozenset[int]

    def owned_fraction(self, owners: dict[int, float]) -> float:
        """Return how far its points are its player's, -1 to +1; `owners` has +1 for Black's, -1 for White's."""
        mean = sum(owners[point] for point in self.points) / len(self.points)
        return mean if self.color == BLACK else -mean


def find_blocks(game: Game) -> list[StoneBlock]:
    """Return all blocks on the board, by their first point in row-major order."""
    points = all_points(game.size)
    colors = {point: game.color_at(point) for point in points}
    blocks: list[StoneBlock] = []
    seen: set[int] = set()
    for start in points:
        if colors[start] == EMPTY or start in seen:
            continue
        members, liberties, frontier = {start}, set(), [start]
        while frontier:
            for neighbor in neighbors_of(frontier.pop(), game.size):
                if neighbor not in colors:
                    continue
                if colors[neighbor] == EMPTY:
                    liberties.add(neighbor)
                elif colors[neighbor] == colors[start] and neighbor not in members:
                    members.add(neighbor)
                    frontier.append(neighbor)
        seen |= members
        blocks.append(StoneBlock(colors[start], frozenset(members), frozenset(liberties)))
    return blocks


def proved_owners(game: Game) -> dict[int, float]:
    """Return +1 at points that are Black's by Benson's theorem, -1 at White's, 0 where nothing is proved."""
    owners = np.zeros(game.size**2, dtype=np.int8)
    pass_alive(game.board, owners, game.rules.suicide)
    return dict(zip(all_points(game.size), owners.tolist(), strict=True))


def expect_owners(game: Game, ownership: np.ndarray) -> dict[int, float]:
    """Return the expected owner of every point, +1 = Black's; what is proved is certain.

    Args:
        game: the position.
        ownership: float [size·size], row-major from the top left, as a search with Black to move gives it.
    """
    return {
        point: owner or expected
        for (point, owner), expected in zip(proved_owners(game).items(), ownership.tolist(), strict=True)
    }


def name_statuses(
    blocks: list[StoneBlock], expected: dict[int, float], dead: Container[StoneBlock]
) -> dict[StoneBlock, Status]:
    """Return the status of every block, given which are dead.

    A block is in seki if it lives next to an opponent's living block over liberties that become nobody's, and neither
    has territory beside it.
    """
    without_territory = [
        block
        for block in blocks
        if block not in dead and all(abs(expected[liberty]) < _OWNED for liberty in block.liberties)
    ]
    result: dict[StoneBlock, Status] = {}
    for block in blocks:
        has_rival = any(
            rival.color == opponent(block.color) and rival.liberties & block.liberties for rival in without_territory
        )
        if block in dead:
            result[block] = "dead"
        else:
            result[block] = "seki" if block in without_territory and has_rival else "alive"
    return result


def neighbors_of(point: int, size: int) -> tuple[int, int, int, int]:
    """Return the points beside one; some may be off the board."""
    return point - size - 1, point - 1, point + 1, point + size + 1
