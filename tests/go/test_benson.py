"""Pass-alive stones and territory: by diagrams, against a plain Benson, and against what an attacker can really do."""

import functools
import random

import numpy as np
import pytest

from miai.engine.go.benson import area_without_dead, pass_alive, pointless_points
from miai.engine.go.diagram import read_diagram
from miai.engine.go.eyes import is_own_eye
from miai.engine.go.game import Game
from miai.engine.go.points import BLACK, EMPTY, PASS, WHITE, all_points, vertex_of
from tests.go.naive import NaiveBoard

OWNERS = {0: ".", 1: "X", -1: "O"}


def marked(game: Game, suicide: bool = False) -> list[int]:
    out = np.empty(game.size * game.size, dtype=np.int8)
    pass_alive(game.board, out, suicide)
    return [int(owner) for owner in out]


def picture(text: str, suicide: bool = False) -> str:
    diagram = read_diagram(text)
    game = Game(diagram.size)
    game.set_up(diagram.stones, BLACK)
    owners = marked(game, suicide)
    rows = [owners[row * game.size : (row + 1) * game.size] for row in range(game.size)]
    return "\n".join("".join(OWNERS[owner] for owner in row) for row in rows)


@pytest.mark.parametrize(
    ("situation", "text", "expected"),
    [
        (
            "two eyes in the corner live, one eye does not",
            """
            . X . X . O
            X X X X O O
            . . . . O .
            . . . . O O
            . . . . . .
            . . . . . .
            """,
            "XXXX..\nXXXX..\n......\n......\n......\n......",
        ),
        (
            "a false eye is none",
            """
            . X . X O .
            X O X X O .
            O O . O O .
            . . . . . .
            . . . . . .
            . . . . . .
            """,
            "......\n......\n......\n......\n......\n......",
        ),
        (
            "two blocks share two eyes and live together",
            """
            . X X O .
            X . X O .
            X X O O .
            O O O . .
            . . . . .
            """,
            "XXX..\nXXX..\nXX...\n.....\n.....",
        ),
        (
            "in a seki no stone is pass-alive, nor the shared liberty anybody's",
            """
            . X . O .
            X X X O O
            O O O X X
            . . . . .
            . . . . .
            """,
            ".....\n.....\n.....\n.....\n.....",
        ),
        (
            "a region too large to hold against an intruder is left open, its wall lives by two other eyes",
            """
            . X . X . . .
            X X X X . . .
            . . . X . . .
            . . . X . . .
            . . . X . . .
            . . . X . . .
            . . . X . . .
            """,
            "XXXX...\nXXXX...\n...X...\n...X...\n...X...\n...X...\n...X...",
        ),
        (
            "a dead stone in territory is the owner's",
            """
            . X O X .
            X X . X .
            . X X X .
            X . X . .
            . X . . .
            """,
            "XXXX.\nXXXX.\nXXXX.\nXXX..\nXX...",
        ),
        (
            "both colours live",
            """
            . X . X O
            X X X X O
            O O O O O
            . O . O .
            O O O O O
            """,
            "XXXXO\nXXXXO\nOOOOO\nOOOOO\nOOOOO",
        ),
        ("an empty board is nobody's", ". . .\n. . .\n. . .", "...\n...\n..."),
        ("a lone stone is not alive", ". . .\n. X .\n. . .", "...\n...\n..."),
    ],
)
def test_situation(situation: str, text: str, expected: str) -> None:
    assert picture(text) == expected, situation


def test_suicide_lets_an_attacker_clear_a_large_eye() -> None:
    text = """
        O . X . X .
        . . X X X .
        X X X . . .
        . . . . . .
        . . . . . .
        . . . . . .
    """
    assert picture(text) == "XXXXX.\nXXXXX.\nXXX...\n......\n......\n......"
    assert "X" not in picture(text, suicide=True)


# ---- a plain Benson


def plain_benson(naive: NaiveBoard, color: int, suicide: bool) -> tuple[set[int], set[int]]:
    """Return the pass-alive stones of a colour and its territory, by sets."""
    size = len(naive.colors)
    others = bytes(1 if naive.colors[place] != color else 0 for place in range(size))
    regions = []
    seen: set[int] = set()
    for place in range(size):
        if others[place] and place not in seen:
            inside, _ = naive.region(others, place)
            seen |= inside
            regions.append(frozenset(inside))
    blocks = [frozenset(stones) for stones, _ in naive.blocks() if naive.colors[min(stones)] == color]

    def touches(place: int, stones: set[int] | frozenset[int]) -> bool:
        return any(neighbor in stones for neighbor in naive.neighbors[place])

    def is_vital(region: frozenset[int], block: frozenset[int]) -> bool:
        return all(touches(place, block) for place in region if suicide or naive.colors[place] == EMPTY)

    alive, sound = set(blocks), set(regions)
    while True:
        kept = {block for block in alive if sum(is_vital(region, block) for region in sound) >= 2}
        struck = [block for block in blocks if block not in kept]
        still = {region for region in sound if not any(touches(place, block) for place in region for block in struck)}
        if (kept, still) == (alive, sound):
            break
        alive, sound = kept, still
    stones = {stone for block in alive for stone in block}
    territory: set[int] = set()
    for region in sound:
        if stones and sum(not touches(place, stones) for place in region) <= 1:
            territory |= region
    return stones, territory


def settled_game(rng: random.Random, size: int, share: float) -> Game:
    """Return a game of random moves that fill no eyes, broken off after a share of the moves that it would take."""
    game = Game(size)
    for _ in range(int(share * 2.5 * size * size)):
        moves = [p for p in game.legal_points(game.to_play) if not is_own_eye(game.board, p, np.uint8(game.to_play))]
        if not moves:
            break
        game.play(game.to_play, rng.choice(moves))
    return game


def naive_of(game: Game) -> NaiveBoard:
    naive = NaiveBoard(game.size, False, False)
    naive.colors = bytes(int(game.board["color"][point]) for point in all_points(game.size))
    return naive


@pytest.mark.parametrize("size", [2, 5, 9])
def test_agrees_with_a_plain_benson_on_settled_positions(size: int) -> None:
    rng = random.Random(size)
    num_marked = 0
    for _ in range(40):
        game = settled_game(rng, size, rng.random())
        naive = naive_of(game)
        for suicide in (False, True):
            expected = [0] * size * size
            for color, owner in ((BLACK, 1), (WHITE, -1)):
                stones, territory = plain_benson(naive, color, suicide)
                for place in stones | territory:
                    assert expected[place] == 0
                    expected[place] = owner
            assert marked(game, suicide) == expected
            num_marked += sum(map(abs, expected))
    assert num_marked > 100 or size == 2


# ---- what an attacker can do who moves alone


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


@pytest.mark.parametrize(
    ("corner", "expected"),
    [(".", ["A6", "C6", "D6"]), ("O", ["A6"])],
    ids=["settled territory is pointless for both", "territory with stones still to be taken is not"],
)
def test_where_nobody_needs_to_play(corner, expected):
    diagram = read_diagram(f"""
        . X . {corner} X O
        X X X X X O
        . . . . . O
        . . . . . O
        . . . . . O
        . . . . . O
        """)
    game = Game(diagram.size)
    game.set_up(diagram.stones, BLACK)
    pointless = np.flatnonzero(pointless_points(game.board))
    assert sorted(vertex_of(int(point), game.size) for point in pointless) == expected


def test_stones_in_pass_alive_territory_are_dead_and_all_else_is_area() -> None:
    text = """
        . X . X O . X .
        X X X X X X X X
        . . . . . . . .
        . . . X . . . .
        O O O . . . . .
        . . O . . O O O
        O O O . . O . .
        . . O . . O X .
        """
    diagram = read_diagram(text)
    game = Game(diagram.size)
    game.set_up(diagram.stones, BLACK)
    out = np.empty(game.size**2, dtype=np.int8)
    area_without_dead(game.board, out)
    rows = ["".join(OWNERS[owner] for owner in out[8 * row : 8 * row + 8]) for row in range(8)]
    assert rows == [
        "XXXXXXXX",  # White's stone is dead: the two eyes beside it are enough
        "XXXXXXXX",
        "........",
        "...X....",
        "OOO.....",
        "OOO..OOO",
        "OOO..O..",
        "OOO..OX.",  # Black's stone lives as long as White's wall has but one eye
    ]


def test_area_without_dead_is_the_area_but_for_what_is_pass_alive() -> None:
    rng = random.Random(3)
    num_dead = 0
    for size in (5, 7, 9):
        for _ in range(30):
            game = Game(size)
            for _ in range(rng.randrange(4 * size * size)):
                color = game.to_play
                moves = [point for point in game.legal_points(color) if not is_own_eye(game.board, point, color)]
                game.play(color, rng.choice(moves) if moves else PASS)
            out = np.empty(size * size, dtype=np.int8)
            area_without_dead(game.board, out)
            alive = np.array(marked(game), dtype=np.int8)
            assert (out[alive != 0] == alive[alive != 0]).all()
            stands = game.area().ravel()
            # a region that touches one colour only is that colour's, unless the stones around it are dead
            assert (out[(alive == 0) & (stands != 0)] == stands[(alive == 0) & (stands != 0)]).all()
            assert (out[(alive == 0) & (stands == 0)] == 0).all()
            num_dead += int(((alive != 0) & (stands == -alive)).sum())
    assert num_dead > 10
