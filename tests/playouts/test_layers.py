"""Each layer alone: a position and the moves it must propose. See `situation.py` for the letters."""

import numpy as np
import pytest

from miai.engine.go.board import new_board, play
from miai.engine.go.eyes import is_own_eye
from miai.engine.go.points import BLACK, EMPTY, PASS, all_points
from miai.engine.go.tactics import liberties_after
from miai.playouts.fuego1585.rules import is_surrounded
from miai.playouts.layer_order import FUEGO_LAYERS
from miai.playouts.policy import LAYER_ORDER, make_policy
from miai.playouts.workspace import new_playout_workspace
from tests.playouts.situation import position, vertices

_PROPOSE = {layer.name: layer.propose for layer in LAYER_ORDER}
_AS_OFTEN_AS_FOUND = ("fuego_atari_defense", "fuego_low_lib", "fuego_capture")

NAKADE = [
    ("three in a row, its end touched by the last move", ". . . . X / X X X X X / O O l O X / . a . O X / O O O O X"),
    ("three around a corner", ". . . . . / X X X X . / O O O X . / . l O X . / a . O X ."),
    (
        "three around a corner, the last move beside the middle",
        "O O X . . / . l X . . / a O X . . / . O X . . / O O X . .",
    ),
    ("two points are no nakade", "O O X . . / . l X . . / . O X . . / O O X . . / X X X . ."),
    ("four points in a row are none", "l O X . . / . O X . . / . O X . . / . O X . . / . O X . ."),
    ("a space that an own stone touches is none", "O O X . . / . l X . . / . O X . . / . X X . . / O O X . ."),
    ("an open space is none", ". . . . . / . l . . . / . . . . . / . . . . . / . . . . ."),
]

ATARI_CAPTURE = [
    ("a stone played into atari", ". X . . / X l a . / . X . . / . . . ."),
    ("a block joined into atari at the edge", "O l a . / X X . . / . . . . / . . . ."),
    ("a stone in the corner", "l X . . / a . . . / . . . . / . . . ."),
    ("a throw-in of a snapback may be taken", "X X O . / l X O . / a X O . / X O O ."),
    ("a ko that was just taken may not be retaken", ". X O . . / X l X O . / . X O . . / . . . . . / . . . . ."),
    ("nothing is in atari", ". . . . / . l X . / . . . . / . . . ."),
]

ATARI_DEFENSE = [
    ("extend a stone in atari", ". . . . . / . O . . . / O X a . . / . l . . . / . . . . ."),
    ("extend at the edge where that helps", ". l X a . / . O O . . / . . . . . / . . . . . / . . . . ."),
    ("no extension into another atari", ". O . . . / O X . . . / l O . O . / . . . . . / . . . . ."),
    ("no extension from an atari that stays", "l X . O . / O O O . . / . . . . . / . . . . . / . . . . ."),
    ("take a neighbour instead", ". O X a . / . O l X . / . . O X . / . . . . . / . . . . ."),
    ("extend or take", ". . X . . / . X O a . / . O X l . / . . a . . / . . . . ."),
    ("two blocks put in atari at once", ". O . O . / O X l X O / . a . a . / . . . . . / . . . . ."),
    ("connect to a block with liberties", "l X a X . / O O O . . / . . . . . / . . . . . / . . . . ."),
    ("connect by filling an eye whose wall is in atari", "l X a X . / O O X X . / . O . . . / . . . . . / . . . . ."),
    ("a block in atari elsewhere is not its matter", "O X . . . / X O . . . / . X . l . / . . . . . / . . . . ."),
]

LOW_LIB = [
    ("extend an own block in the open", ". . . . . / . . a . . / . O X a . / . . l . . / . . . . ."),
    ("take the way out of the last move's block", ". . . . . / . . . . . / . . X . . / . X l a . / . X . . ."),
    ("not where it would be self-atari", ". O . . . / O . . . . / X l X . . / X a . . . / . . . . ."),
    ("not where nothing is gained", "l X . . . / O . O . . / . O . . . / . . . . . / . . . . ."),
    ("two liberties to the same own block are a link", "O X X l . / O . . O . / . X X . . / . . . . . / . . . . ."),
    ("three liberties are no matter of urgency", ". . . . . / . . . . . / . . X l . / . . . . . / . . . . ."),
]

LOW_LIB_FORMS = [
    ("low_lib", "a capture gains", "O a O X . / O X l . . / X a . . . / . . . . . / . . . . ."),
    ("fuego_low_lib", "a capture gains nothing", "O . O X . / O X l . . / X a . . . / . . . . . / . . . . ."),
    ("low_lib", "a shared liberty is one", ". X . X O / . l . X O / . . . O . / . . . . . / . . . . ."),
    ("fuego_low_lib", "a shared liberty is two", ". X a X O / . l . X O / . . . O . / . . . . . / . . . . ."),
]

PATTERN = [
    (
        "hane on both sides of a contact, and the answers to it, each once",
        ". . . . . . . / . . . . . . . / . . a a . . . / . . k l . . . / . . a a . . . / . . . . . . . / . . . . . . .",
    ),
    (
        "around the move before the last",
        ". . . . . . . / . . . . . . . / . . a a . . . / . . k O . . . / . . a a . . . / . . . . . . . / . . . . . . l",
    ),
    ("a cut at the edge, but no suicide there", ". . . . . / . . . . . / . . . . . / O O X a . / X . l a ."),
    ("a stone alone", ". . . . . / . . . . . / . . l . . / . . . . . / . . . . ."),
]

CAPTURE = [
    (
        "one block in atari far from the last move",
        "O a . . . . / X . . . . . / . . . . . . / . . . . . . / . . . . l . / . . . . . .",
    ),
    ("two blocks", "O a . . a O / X . . . . X / . . . . . . / . . . . . . / X . . . . . / O a . . . l"),
    ("one point that takes two blocks", "O a O X . / X . X . . / . . . . . / . . . . . / . . . . l"),
    ("own blocks in atari do not matter", "X . . . . / O . . . . / . . . . . / . . . . . / . . . . l"),
]


def _check(name: str, text: str) -> None:
    boards, diagram = position(text)
    workspace = new_playout_workspace(diagram.size)[0]
    before = boards.tobytes()
    count = _PROPOSE[name](boards[0], workspace)
    moves = workspace["moves"][:count].tolist()
    if name in _AS_OFTEN_AS_FOUND:
        moves = list(set(moves))
    assert vertices(moves, diagram.size) == vertices(diagram.marks.get("a", []), diagram.size)
    assert boards.tobytes() == before


@pytest.mark.parametrize(("situation", "diagram"), NAKADE)
def test_nakade(situation: str, diagram: str) -> None:
    _check("nakade", diagram)


@pytest.mark.parametrize(("situation", "diagram"), ATARI_CAPTURE)
def test_atari_capture(situation: str, diagram: str) -> None:
    _check("atari_capture", diagram)


@pytest.mark.parametrize(("situation", "diagram"), ATARI_DEFENSE)
def test_atari_defense(situation: str, diagram: str) -> None:
    _check("atari_defense", diagram)


@pytest.mark.parametrize("layer", ["low_lib", "fuego_low_lib"])
@pytest.mark.parametrize(("situation", "diagram"), LOW_LIB)
def test_low_lib(situation: str, diagram: str, layer: str) -> None:
    _check(layer, diagram)


@pytest.mark.parametrize(("layer", "situation", "diagram"), LOW_LIB_FORMS)
def test_what_gains_liberties_depends_on_the_form(layer: str, situation: str, diagram: str) -> None:
    _check(layer, diagram)


@pytest.mark.parametrize(("situation", "diagram"), CAPTURE)
def test_capture(situation: str, diagram: str) -> None:
    _check("capture", diagram)


@pytest.mark.parametrize("layer", ["pattern", "biased_pattern"])
@pytest.mark.parametrize(("situation", "diagram"), PATTERN)
def test_pattern(situation: str, diagram: str, layer: str) -> None:
    _check(layer, diagram)


_LOCAL = tuple(name for name in _PROPOSE if name not in ("capture", "random", "fuego_capture", "listed_random"))


@pytest.mark.parametrize("name", _LOCAL)
def test_what_looks_at_the_last_move_is_silent_on_an_empty_board_and_after_a_pass(name: str) -> None:
    boards = new_board(5)
    workspace = new_playout_workspace(5)[0]
    assert _PROPOSE[name](boards[0], workspace) == 0
    play(boards[0], all_points(5)[12])
    play(boards[0], PASS)
    assert _PROPOSE[name](boards[0], workspace) == 0


@pytest.mark.parametrize(
    ("situation", "diagram", "is_eye"),
    [
        ("a true eye", ". . . . . / . X X . . / X X a X . / . X X . . / . . . . .", True),
        ("a false one", ". . . . . / . O X O . / . X a X . / . O X O . / . . . . .", True),
        ("a false one beside a block in atari", ". . O . . / . O X O . / . X a X . / . O X O . / . . . . .", False),
        ("at the edge", ". . . . . / . . . . . / . . . . . / . O X O . / . X a X .", True),
        ("both colours around", ". . . . . / . . X . . / . X a O . / . . X . . / . . . . .", False),
        ("an empty neighbour", ". . . . . / . . X . . / . X a . . / . . X . . / . . . . .", False),
        ("the opponent's", ". . . . . / . . O . . / . O a O . / . . O . . / . . . . .", False),
    ],
)
def test_what_is_surrounded_is_filled_by_no_random_move_of_revision_1585(
    situation: str, diagram: str, is_eye: bool
) -> None:
    boards, read = position(diagram)
    (point,) = read.marks["a"]
    assert is_surrounded(boards[0], point, BLACK) == is_eye
    workspace = new_playout_workspace(5)[0]
    count = _PROPOSE["listed_random"](boards[0], workspace)
    assert (point in workspace["moves"][:count]) == (not is_eye and situation != "the opponent's")


_OF_1585 = tuple(layer.name for layer in FUEGO_LAYERS)


def _is_legal(board: np.void, point: int) -> bool:
    color = int(board["to_play"])
    is_free = board["color"][point] == EMPTY and point != board["ko_point"]
    return bool(is_free) and liberties_after(board, point, color) > 0


@pytest.mark.parametrize("size", [2, 5, 9])
def test_proposals_are_distinct_legal_and_fill_no_eye(size: int) -> None:
    choose = make_policy("fuego").choose
    workspace = new_playout_workspace(size, 3)
    num_proposals = dict.fromkeys(_PROPOSE, 0)
    for _ in range(6):
        board = new_board(size)
        for _ in range(2 * size * size):
            for name, propose in _PROPOSE.items():
                count = propose(board[0], workspace[0])
                moves = workspace[0]["moves"][:count].tolist()
                num_proposals[name] += count
                assert len(set(moves)) == count or name in _AS_OFTEN_AS_FOUND, name
                assert all(_is_legal(board[0], move) for move in moves), name
                if name in _OF_1585:
                    assert not any(is_surrounded(board[0], move, board[0]["to_play"]) for move in moves), name
                elif name != "atari_defense":
                    assert not any(is_own_eye(board[0], move, board[0]["to_play"]) for move in moves), name
                if name.endswith("biased_pattern"):
                    assert (workspace[0]["weights"][:count] > 0).all()
                if name == "random":
                    every = [point for point in all_points(size) if _is_legal(board[0], point)]
                    expected = [p for p in every if not is_own_eye(board[0], p, board[0]["to_play"])]
                    assert sorted(moves) == expected
            move = choose(board[0], workspace[0])
            play(board[0], move)
            if board[0]["num_passes"] == 2:
                break
    if size >= 5:
        assert all(number > 0 for number in num_proposals.values()), num_proposals
