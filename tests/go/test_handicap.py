"""Where handicap stones go."""

import pytest

from miai.engine.go.game import BoardNotEmpty, Game
from miai.engine.go.handicap import fixed_handicap_points, free_handicap_points
from miai.engine.go.points import BLACK, PASS, WHITE, all_points, location_of, move_at, vertex_of


def vertices(size: int, stones: int) -> str:
    return " ".join(sorted(vertex_of(point, size) for point in fixed_handicap_points(size, stones)))


@pytest.mark.parametrize(
    ("size", "stones", "expected"),
    [
        (9, 2, "C3 G7"),
        (9, 3, "C3 C7 G7"),
        (9, 4, "C3 C7 G3 G7"),
        (9, 5, "C3 C7 E5 G3 G7"),
        (9, 6, "C3 C5 C7 G3 G5 G7"),
        (9, 7, "C3 C5 C7 E5 G3 G5 G7"),
        (9, 8, "C3 C5 C7 E3 E7 G3 G5 G7"),
        (9, 9, "C3 C5 C7 E3 E5 E7 G3 G5 G7"),
        (7, 4, "C3 C5 E3 E5"),
        (8, 4, "C3 C6 F3 F6"),
        (11, 2, "C3 J9"),
        (12, 2, "C3 K10"),
        (13, 2, "D4 K10"),
        (19, 9, "D10 D16 D4 K10 K16 K4 Q10 Q16 Q4"),
    ],
)
def test_fixed_points_of_gtp(size: int, stones: int, expected: str) -> None:
    assert vertices(size, stones) == expected


@pytest.mark.parametrize(
    ("size", "stones", "complaint"),
    [
        (9, 1, "allowed are 2 to 9"),
        (9, 10, "allowed are 2 to 9"),
        (7, 5, "allowed are 2 to 4"),
        (10, 5, "allowed are 2 to 4"),
        (6, 2, "no fixed handicap on size 6"),
    ],
)
def test_impossible_fixed_handicap_names_the_allowed(size: int, stones: int, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        fixed_handicap_points(size, stones)


@pytest.mark.parametrize("size", range(2, 20))
def test_free_points_are_distinct_points_of_the_board_for_every_number(size: int) -> None:
    on_board = set(all_points(size))
    for stones in range(2, min(size * size - 1, 30) + 1):
        points = free_handicap_points(size, stones)
        assert len(points) == len(set(points)) == stones and set(points) <= on_board
    for stones in (1, size * size):
        with pytest.raises(ValueError, match=f"allowed are 2 to {size * size - 1}"):
            free_handicap_points(size, stones)


def test_free_points_avoid_the_first_line_while_there_is_room() -> None:
    for size in range(5, 20):
        for point in free_handicap_points(size, 5):
            row, column = location_of(point, size)
            assert 0 < row < size - 1 and 0 < column < size - 1


def test_handicap_is_placed_on_an_empty_board_and_white_moves() -> None:
    game = Game(9)
    game.play(BLACK, PASS)
    game.place_handicap(fixed_handicap_points(9, 3))
    assert game.handicap == 3 and game.to_play == WHITE and game.moves == []
    assert game.setup_stones == dict.fromkeys(fixed_handicap_points(9, 3), BLACK) == game.stones()
    with pytest.raises(BoardNotEmpty):
        game.place_handicap([move_at("A1", 9)])


def test_wrong_handicap_points_leave_the_game_unchanged() -> None:
    game = Game(2)
    point = move_at("A1", 2)
    for points, complaint in (
        ([], "no handicap points"),
        ([point, point], "repeated vertex"),
        ([point, 0], "no point of a 2x2 board"),
        ([point, 999], "no point of a 2x2 board"),
        (all_points(2), "without a liberty"),
    ):
        with pytest.raises(ValueError, match=complaint):
            game.place_handicap(points)
        assert game.stones() == {} and game.handicap == 0 and game.to_play == BLACK
