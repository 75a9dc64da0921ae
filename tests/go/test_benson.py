"""Pass-alive stones and territory: by diagrams, against a plain Benson, and against what an attacker can really do."""

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
