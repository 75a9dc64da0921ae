"""Benson's algorithm against all that an attacker can do who moves alone, in every position of small boards."""

import functools
import random

import pytest

from miai.engine.go.game import Game
from miai.engine.go.points import BLACK, EMPTY, WHITE, all_points
from tests.go.naive import NaiveBoard
from tests.go.test_benson import marked, naive_of, plain_benson, settled_game


def moves_alone(naive: NaiveBoard, colors: bytes, attacker: int, suicide: bool) -> list[tuple[bytes, frozenset[int]]]:
    """Return the positions one move of the attacker leads to, and the stones that each takes."""
    naive.colors = colors
    reached = []
    for place, color in enumerate(colors):
        if color == EMPTY:
            position, taken, own = naive.after(place, attacker)
            if suicide or not own:
                reached.append((position, frozenset(taken)))
    return reached


def takeable(naive: NaiveBoard, colors: bytes, attacker: int) -> frozenset[int]:
    """Return the stones that the attacker can take, now or later, without suicide, if the defender always passes."""
    seen, todo, taken = {colors}, [colors], frozenset[int]()
    while todo:
        for position, stones in moves_alone(naive, todo.pop(), attacker, False):
            taken |= stones
            if position not in seen:
                seen.add(position)
                todo.append(position)
    return taken


@functools.cache
def all_positions(size: int) -> list[bytes]:
    naive = NaiveBoard(size, False, False)
    found = []
    for number in range(3 ** (size * size)):
        digits = [number // 3**place % 3 for place in range(size * size)]
        naive.colors = bytes(digits)
        if naive.is_position_possible():
            found.append(naive.colors)
    return found


def takeable_everywhere(size: int, attacker: int, suicide: bool) -> dict[bytes, int]:
    """Return, for every position, the stones that the attacker can take who moves alone, as bits by place."""
    naive = NaiveBoard(size, False, suicide)
    following = {}
    takeable_bits = {}
    for colors in all_positions(size):
        moves = moves_alone(naive, colors, attacker, suicide)
        following[colors] = [position for position, _ in moves]
        takeable_bits[colors] = sum(1 << place for place in frozenset().union(*(taken for _, taken in moves)))
    changed = True
    while changed:
        changed = False
        for colors, positions in following.items():
            bits = takeable_bits[colors]
            for position in positions:
                bits |= takeable_bits[position]
            changed |= bits != takeable_bits[colors]
            takeable_bits[colors] = bits
    return takeable_bits


def check_stones_alive(colors: bytes, size: int, suicide: bool, takeable_by: dict[int, int]) -> int:
    """Assert that exactly the stones that cannot be taken are marked; return how many are.

    `takeable_by` gives, for each attacker, the stones that can be taken, as bits by place.
    """
    game = Game(size)
    points = all_points(size)
    game.set_up({points[place]: color for place, color in enumerate(colors) if color}, BLACK)
    owners = marked(game, suicide)
    num_alive = 0
    for defender, owner in ((BLACK, 1), (WHITE, -1)):
        taken = takeable_by[BLACK + WHITE - defender]
        for place, color in enumerate(colors):
            if color == defender:
                assert (owners[place] == owner) == (not taken >> place & 1), (colors, place)
                num_alive += not taken >> place & 1
    return num_alive


@pytest.mark.parametrize("suicide", [False, True])
def test_marked_are_exactly_the_stones_no_attacker_can_take_in_every_position_of_3x3(suicide: bool) -> None:
    bits = {attacker: takeable_everywhere(3, attacker, suicide) for attacker in (BLACK, WHITE)}
    num_alive = 0
    for colors in all_positions(3):
        takeable_by = {attacker: bits[attacker][colors] for attacker in (BLACK, WHITE)}
        num_alive += check_stones_alive(colors, 3, suicide, takeable_by)
    assert num_alive > 100


@pytest.mark.slow
def test_marked_are_exactly_the_stones_no_attacker_can_take_in_settled_positions() -> None:
    rng = random.Random(4)
    num_alive = 0
    for size in (4, 5):
        for _ in range(150):
            colors = naive_of(settled_game(rng, size, 1.0)).colors
            if colors.count(0) <= 7:
                naive = NaiveBoard(size, False, False)
                takeable_by = {}
                for attacker in (BLACK, WHITE):
                    stones = takeable(naive, colors, attacker)
                    takeable_by[attacker] = sum(1 << place for place in stones)
                num_alive += check_stones_alive(colors, size, False, takeable_by)
    assert num_alive > 300


def test_an_attacker_makes_no_living_stones_in_territory() -> None:
    rng = random.Random(7)
    num_territories = 0
    for _ in range(60):
        game = settled_game(rng, 5, 1.0)
        colors = naive_of(game).colors
        if colors.count(0) > 8:
            continue
        owners = marked(game)
        naive = NaiveBoard(5, False, False)
        for defender, owner in ((BLACK, 1), (WHITE, -1)):
            territory = {p for p, mark in enumerate(owners) if mark == owner and colors[p] != defender}
            num_territories += bool(territory)
            seen, todo = {colors}, [colors]
            while todo and territory:
                position = todo.pop()
                naive.colors = position
                assert not plain_benson(naive, BLACK + WHITE - defender, False)[0] & territory
                for reached, _ in moves_alone(naive, position, BLACK + WHITE - defender, False):
                    if reached not in seen:
                        seen.add(reached)
                        todo.append(reached)
    assert num_territories > 10
