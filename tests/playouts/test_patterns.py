"""The table of 3x3 patterns against the shapes as text, and the compiled match against the table."""

import itertools

import numpy as np
import pytest

from miai.engine.go.board import new_board, play
from miai.engine.go.eyes import is_own_eye
from miai.engine.go.points import BLACK, EMPTY, WHITE, all_points
from miai.playouts import patterns
from miai.playouts.patterns import SHAPES, Shape, canonical_codes, code_text, exchange_colors, make_table, matched_codes
from miai.playouts.policy import make_policy
from miai.playouts.workspace import new_playout_workspace

_PICTURE = {EMPTY: ".", BLACK: "X", WHITE: "O", 3: "#"}
_ALLOWED = {"X": "X", "O": "O", ".": ".", "#": "#", "x": ".O#", "o": ".X#", "?": ".XO#", "*": "."}


def _picture(board: np.void, point: int) -> list[str]:
    """Return the neighbourhood as three rows of text, X for the player to move."""
    width = len(board["width_marker"])
    rows = []
    for start in (point - width - 1, point - 1, point + width - 1):
        rows.append("".join(_PICTURE[int(color)] for color in board["color"][start : start + 3]))
    if board["to_play"] == WHITE:
        rows = [row.translate(str.maketrans("XO", "OX")) for row in rows]
    return rows


def _forms(rows: list[str]) -> list[str]:
    """Return the eight turned and mirrored forms, nine letters each."""
    forms = []
    for _ in range(4):
        forms += ["".join(rows), "".join(row[::-1] for row in rows)]
        rows = ["".join(row[column] for row in reversed(rows)) for column in range(3)]
    return forms


def _matches(picture: list[str], shape: Shape) -> bool:
    """Match by comparing letters: the slow reference."""
    wanted = shape.rows.replace(" ", "")
    seen = _forms(picture)
    if shape.side == "either":
        seen += [form.translate(str.maketrans("XO", "OX")) for form in seen]
    return any(all(sign in _ALLOWED[letter] for sign, letter in zip(form, wanted, strict=True)) for form in seen)


@pytest.mark.parametrize("size", [2, 7, 9])
def test_the_compiled_match_agrees_with_comparing_letters(size: int) -> None:
    choose = make_policy("random").choose
    workspace = new_playout_workspace(size, 8)
    levels = workspace[0]["pattern_levels"]
    num_matches = 0
    for _ in range(3):
        board = new_board(size)
        while board[0]["num_passes"] < 2:
            for point in all_points(size):
                if board[0]["color"][point] == EMPTY:
                    picture = _picture(board[0], point)
                    expected = any(_matches(picture, shape) for shape in SHAPES)
                    expected &= not is_own_eye(board[0], point, board[0]["to_play"])
                    assert (levels[patterns.pattern_code(board[0], point)] > 0) == expected, picture
                    num_matches += int(expected)
                else:
                    assert not levels[patterns.pattern_code(board[0], point)]
            play(board[0], choose(board[0], workspace[0]))
    assert num_matches > (0 if size == 2 else 300)


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.name)
def test_every_shape_adds_something_that_the_others_do_not_match(shape: Shape) -> None:
    codes = patterns.shape_codes()
    others = np.unique(np.concatenate([codes[other.name] for other in SHAPES if other != shape]))
    assert len(np.setdiff1d(codes[shape.name], others)) > 0


def test_matches_do_not_depend_on_how_a_shape_lies() -> None:
    matched = set(matched_codes().tolist())
    for code in list(matched)[::50]:
        rows = code_text(code).split()
        forms = {_code(form) for form in _forms(rows)}
        assert forms <= matched
        assert len(set(canonical_codes(np.array(sorted(forms))).tolist())) == 1


def _code(form: str) -> int:
    cells = form.replace("*", ".")
    return sum(
        ".XO#".index(cells[3 * row + column]) << 2 * (3 * column + row) for row in range(3) for column in range(3)
    )


def test_exchanging_colours_twice_changes_nothing() -> None:
    codes = matched_codes()
    assert (exchange_colors(exchange_colors(codes)) == codes).all()
    assert code_text(int(exchange_colors(np.array([_code("XO..*..?.".replace("?", "."))]))[0])) == "OX. .*. ..."


def test_strengths_reach_the_compiled_code_within_the_width_of_a_level() -> None:
    forms = sorted({int(form) for form in canonical_codes(matched_codes())})
    strengths = {form: 0.05 * 1.005**index for index, form in enumerate(forms)}
    table = make_table(strengths, matched_codes())
    for code in itertools.islice(matched_codes().tolist(), 0, None, 97):
        expected = strengths[int(canonical_codes(np.array([code]))[0])]
        assert table.strengths[table.levels[code]] == pytest.approx(expected, rel=0.02)
    assert (table.levels > 0).sum() == len(matched_codes())


def test_without_strengths_all_shapes_are_worth_the_same() -> None:
    table = make_table({}, matched_codes())
    assert set(table.strengths[table.levels[matched_codes()]].tolist()) == {1.0}


def test_the_shipped_strengths_name_known_shapes_only() -> None:
    forms = set(canonical_codes(matched_codes()).tolist())
    shipped = patterns.read_strengths(patterns.STRENGTHS_FILE)
    assert shipped
    assert set(shipped) <= forms
    assert all(strength > 0 for strength in shipped.values())
