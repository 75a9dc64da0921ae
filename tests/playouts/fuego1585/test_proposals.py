"""Proposals, refusals and corrections against those of Fuego's revision 1585 itself, see `make_proposals.py`."""

import itertools
from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest

from miai.engine.go.game import Game
from miai.engine.go.points import BLACK, BORDER, EMPTY, WHITE, all_points, move_at, vertex_of
from miai.playouts.fuego1585.patterns import matched_codes
from miai.playouts.fuego1585.rules import is_playable
from miai.playouts.policy import CORRECTOR_ORDER, LAYER_ORDER
from miai.playouts.workspace import new_playout_workspace
from tests.playouts.fuego1585.make_proposals import PATTERNS, PROPOSALS

LAYERS = ("fuego_atari_capture", "fuego_atari_defense", "fuego_low_lib", "fuego_pattern", "fuego_capture")
CORRECTORS = ("fuego_false_eye_to_capture", "fuego_self_atari_correction")
WORKSPACE = new_playout_workspace(9)[0]


def positions() -> Iterator[tuple[np.void, list[list[str]]]]:
    """Yield boards and what Fuego says of them, section by section."""
    game, left = Game(9), list[str]()
    for line in PROPOSALS.read_text().splitlines():
        number, _, sections = line.partition(" ")
        if not number.isdigit():
            game, left = Game(9), line.split()
            continue
        while len(game.moves) < int(number):
            game.play(game.to_play, move_at(left.pop(0), 9))
        yield game.board, [section.split() for section in sections.split("|")[:-1]]


def vertices(points: list[int]) -> list[str]:
    return [vertex_of(point, 9) for point in points]


@pytest.mark.parametrize("layer", LAYERS)
def test_a_layer_proposes_the_same_moves_as_often(layer: str) -> None:
    (propose,) = (one.propose for one in LAYER_ORDER if one.name == layer)
    proposed = 0
    for board, sections in positions():
        count = propose(board, WORKSPACE)
        found = Counter(vertices(WORKSPACE["moves"][:count].tolist()))
        assert found == Counter(sections[LAYERS.index(layer)])
        proposed += count > 0
    assert proposed >= 40


def test_the_same_moves_are_never_played() -> None:
    refused = 0
    for board, sections in positions():
        empty = [point for point in all_points(9) if board["color"][point] == EMPTY]
        found = [point for point in empty if not is_playable(board, point, int(board["to_play"]))]
        assert set(vertices(found)) == set(sections[5])
        refused += len(sections[5])
    assert refused > 1000


@pytest.mark.parametrize(("corrector", "times"), list(zip(CORRECTORS, (8, 400), strict=True)))
def test_a_corrector_replaces_the_same_moves_by_the_same(corrector: str, times: int) -> None:
    correct, replaced = CORRECTOR_ORDER[corrector], 0
    for board, sections in positions():
        empty = [point for point in all_points(9) if board["color"][point] == EMPTY]
        playable = [point for point in empty if is_playable(board, point, int(board["to_play"]))]
        found = [(point, int(correct(board, point))) for point in playable]
        pairs = sections[6 + CORRECTORS.index(corrector)]
        assert {tuple(vertices([a, b])) for a, b in found if a != b} == set(zip(pairs[::2], pairs[1::2], strict=True))
        replaced += len(pairs) // 2
    assert replaced >= times


def test_the_same_neighbourhoods_match_a_pattern() -> None:
    color_of_digit = (BLACK, WHITE, EMPTY)
    around = ((-1, -1), (0, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (0, 1), (1, 1))
    at_edge = ((1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0))
    beyond = sum(BORDER << 2 * (3 * column + 2) for column in range(3))
    matched = set[int]()
    for order, base, told in zip((around, at_edge), (0, beyond), PATTERNS.read_text().split(), strict=True):
        for digits, matches in zip(itertools.product(range(3), repeat=len(order)), told, strict=True):
            if matches == "1":
                cells = zip(order, digits, strict=True)
                matched.add(base + sum(color_of_digit[digit] << 2 * (3 * x + y + 4) for (x, y), digit in cells))
    below = [code for code in matched_codes().tolist() if code & beyond == beyond or not touches_border(code)]
    assert set(below) == matched and len(matched) == 2757


def touches_border(code: int) -> bool:
    return any((code >> 2 * place) & 3 == BORDER for place in range(9))


def test_some_of_the_moves_refused_are_self_ataris_in_a_seki() -> None:
    in_seki = 0
    for board, sections in positions():
        for vertex in sections[5]:
            point = move_at(vertex, 9)
            width = len(board["width_marker"])
            around = board["color"][[point - width, point - 1, point + 1, point + width]]
            in_seki += bool((around == EMPTY).any())  # neither an eye nor suicide nor ko
    assert in_seki >= 5
