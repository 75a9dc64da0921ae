"""Dead stones after both players have passed, for rules that remove them before counting.

What Benson's theorem proves is taken as it is. Of all other stones a search expects an owner. Those that are not
clearly their player's are put to the test, because playouts do not understand seki: the opponent may move first and has
to win on komi for which it must take them. Whose turn it is does not matter, since both have passed.
"""

import math
from collections.abc import Callable, Container, Iterable, Iterator, Mapping

import numpy as np

from miai.engine.go.game import Game
from miai.engine.go.points import BLACK, EMPTY, WHITE, all_points, opponent
from miai.engine.search.report import SearchReport
from miai.players.status import (
    Status,
    StoneBlock,
    expect_owners,
    find_blocks,
    name_statuses,
    neighbors_of,
    proved_owners,
)

SearchPoints = Callable[[Game, int, Container[int] | None], SearchReport]
"""Searches a position for the player to move among moves on these points, or on all. The game stays as it is."""
LocalSearch = Callable[[Game, int], SearchReport]

_STEPS = (-0.5, 0.0, 0.5)
"""Expected ownership, -1 to +1, below which the blocks of a group are tested, together with those that still live."""
_SURE = _STEPS[-1]
"""From this on stones are alive without a test."""
_SHARE_TO_TAKE = 0.75
"""Share of what dead stones are worth that their opponent has to get."""
_LOST = 0.9
"""Their opponent's mean ownership from which on stones are lost for sure; it is less in a seki."""


def remove_stones(game: Game, dead: Iterable[int], to_play: int | None = None) -> Game:
    """Return a new game from the position without these stones."""
    gone = set(dead)
    result = Game(game.size, game.komi, game.rules)
    result.set_up(
        {point: color for point, color in game.stones().items() if point not in gone}, to_play or game.to_play
    )
    return result


def score_without(game: Game, dead: Iterable[int]) -> float:
    """Return the area score with these stones taken off: Black's minus White's minus komi."""
    return remove_stones(game, dead).score()


def dead_of(statuses: Mapping[StoneBlock, Status]) -> set[int]:
    """Return the points of the dead blocks."""
    return {point for block, status in statuses.items() if status == "dead" for point in block.points}


def judge_stones(game: Game, search: SearchPoints) -> dict[StoneBlock, Status]:
    """Return the status of every block, by their first point in row-major order.

    Args:
        game: the position; passes at its end and whose turn it is make no difference.
        search: a short search.
    """
    blocks = find_blocks(game)
    if not blocks:
        return {}
    base = remove_stones(game, ())
    ownership = np.zeros(game.size**2, dtype=np.float32)
    for color in (BLACK, WHITE):
        found = search(base, color, None).ownership
        ownership += (found if color == BLACK else -found) / 2
    expected = expect_owners(game, ownership)
    proved = proved_owners(game)
    doubtful = {block: owned for block in blocks if (owned := block.owned_fraction(expected)) < _SURE}
    dead = {block for block in doubtful if block.owned_fraction(proved) == -1.0}
    unproved = [block for block in blocks if block.owned_fraction(proved) == 0.0]
    for group in _split_by_region(game, [block for block in doubtful if block not in dead]):
        region = _room_of(game, group, unproved)

        def search_here(trial: Game, color: int, here: set[int] = region) -> SearchReport:
            return search(trial, color, here)

        dead |= _find_dead(game, group, doubtful, dead, search_here)
    return name_statuses(blocks, expected, dead)


def _split_by_region(game: Game, blocks: list[StoneBlock]) -> Iterator[list[StoneBlock]]:
    """Yield blocks in groups: those that empty points or others of them join."""
    left = dict.fromkeys(blocks)
    while left:
        reached = _flood(game, next(iter(left)).points, _points_of(blocks))
        group = [block for block in left if block.points <= reached]
        for block in group:
            del left[block]
        yield group


def _room_of(game: Game, group: list[StoneBlock], unproved: list[StoneBlock]) -> set[int]:
    """Return where to play about a group: around it, and around those beside it that are not proved to live."""
    stones = _points_of(group)
    room = _flood(game, stones, stones)
    beside = {neighbor for point in room for neighbor in neighbors_of(point, game.size)}
    liberties = {liberty for block in unproved if block.points & beside for liberty in block.liberties}
    return _flood(game, room | liberties, stones)


def _flood(game: Game, start: Iterable[int], passable: Container[int]) -> set[int]:
    """Return the points that are reached from some over empty and passable ones."""
    colors = game.board["color"]
    reached = set(start)
    frontier = list(reached)
    while frontier:
        for point in neighbors_of(frontier.pop(), game.size):
            if point not in reached and (colors[point] == EMPTY or point in passable):
                reached.add(point)
                frontier.append(point)
    return reached


def _find_dead(
    game: Game,
    group: list[StoneBlock],
    owned_by_block: dict[StoneBlock, float],
    known: set[StoneBlock],
    search: LocalSearch,
) -> set[StoneBlock]:
    """Return which blocks of a group are dead, tested from the one expected to be most so."""
    # What is expected to be lost elsewhere is taken off, so that nothing but this group is at stake.
    elsewhere = {
        block for block, owned in owned_by_block.items() if block not in group and (owned < 0.0 or block in known)
    }
    dead: set[StoneBlock] = set()
    by_color = [[block for block in group if block.color == color] for color in (BLACK, WHITE)]
    for blocks in sorted(filter(None, by_color), key=lambda blocks: min(owned_by_block[block] for block in blocks)):
        tested: set[StoneBlock] = set()
        for bound in _STEPS:
            more = {block for block in blocks if owned_by_block[block] < bound} - tested - dead
            position = remove_stones(game, _points_of(elsewhere | dead))
            if more and _can_be_taken(position, _points_of(tested | more), opponent(blocks[0].color), search):
                dead |= tested | more
                tested = set()
            else:
                tested |= more
    return dead


def _can_be_taken(position: Game, stones: set[int], attacker: int, search: LocalSearch) -> bool:
    """Tell whether the attacker, to move, wins on a komi that takes most of what these stones are worth.

    A few stones may be lost for sure and the komi too, over something else: then what becomes of them counts.
    """
    sign = 1 if attacker == BLACK else -1
    trial = remove_stones(position, (), attacker)
    trial.komi = 0.0
    now, then = sign * trial.score(), sign * score_without(trial, stones)
    trial.komi = sign * (math.ceil(now + _SHARE_TO_TAKE * (then - now)) - 0.5)
    found = search(trial, attacker)
    if found.value >= 0.5:
        return True
    owners = dict(zip(all_points(trial.size), found.ownership.tolist(), strict=True))
    return sum(owners[point] for point in stones) >= _LOST * len(stones)


def _points_of(blocks: Iterable[StoneBlock]) -> set[int]:
    return {point for block in blocks for point in block.points}
