"""Schedule and openings: every opening once with each colour, and no two openings alike."""

from collections import Counter

import pytest

from miai.engine.go.points import all_points, location_of, move_at, point_at
from miai.match.openings import OpeningError, canonical_position, generate_openings
from miai.match.schedule import build_schedule, other_side


def read(text: str, size: int = 9) -> tuple[int, ...]:
    return tuple(move_at(vertex, size) for vertex in text.split())


def test_every_opening_is_played_once_with_each_colour() -> None:
    openings = generate_openings(50, 9, (2, 4), seed=1)
    games = build_schedule(100, openings)
    assert Counter((game.opening, game.black) for game in games) == Counter(
        (opening, side) for opening in openings for side in "AB"
    )
    assert [game.number for game in games] == list(range(1, 101))
    assert all(game.white == other_side(game.black) for game in games)
    assert all(openings[game.pair - 1] == game.opening for game in games)


def test_without_openings_colours_still_alternate() -> None:
    assert [(game.black, game.opening) for game in build_schedule(4, [])] == [
        ("A", ()),
        ("B", ()),
        ("A", ()),
        ("B", ()),
    ]


@pytest.mark.parametrize("num_games", [0, 1, 7, -2])
def test_an_odd_number_of_games_is_refused(num_games: int) -> None:
    with pytest.raises(ValueError, match=rf"must be even.*: {num_games} is not allowed .* from 2 on"):
        build_schedule(num_games, [])


def test_too_few_openings_are_refused() -> None:
    with pytest.raises(ValueError, match="6 games need 3 openings, and there are 2"):
        build_schedule(6, generate_openings(2, 9, (2, 4), seed=1))


def test_every_game_and_side_has_a_seed_of_its_own() -> None:
    seeds = [game.seed_of(side, 1) for game in build_schedule(200, []) for side in "AB"]
    assert len(set(seeds)) == 400
    assert build_schedule(2, [])[0].seed_of("A", 1) == seeds[0]
    assert build_schedule(2, [])[0].seed_of("A", 2) != seeds[0]


@pytest.mark.parametrize("size", [5, 7, 9, 13, 19])
def test_generated_stones_never_touch_each_other_or_the_edge(size: int) -> None:
    for opening in generate_openings(8, size, (2, 3), seed=4):
        locations = [location_of(move, size) for move in opening]
        for index, (row, column) in enumerate(locations):
            assert 0 < row < size - 1
            assert 0 < column < size - 1
            assert all(abs(row - r) + abs(column - c) > 1 for r, c in locations[:index])


def test_generated_openings_have_the_plies_asked_for() -> None:
    assert {len(opening) for opening in generate_openings(60, 9, (2, 4), seed=1)} == {2, 3, 4}
    assert {len(opening) for opening in generate_openings(60, 9, (6, 6), seed=1)} == {6}


def test_no_two_openings_are_alike_up_to_symmetry() -> None:
    openings = generate_openings(400, 9, (2, 4), seed=1)
    assert len({canonical_position(opening, 9) for opening in openings}) == 400


def test_openings_depend_on_the_seed_only() -> None:
    assert generate_openings(20, 9, (2, 4), seed=5) == generate_openings(40, 9, (2, 4), seed=5)[:20]
    assert generate_openings(20, 9, (2, 4), seed=5) != generate_openings(20, 9, (2, 4), seed=6)


def test_all_openings_of_one_ply_are_found_and_no_more() -> None:
    # The points of the inner 5x5, modulo the symmetries of the square.
    assert len(generate_openings(6, 9, (1, 1), seed=1)) == 6
    with pytest.raises(OpeningError, match=r"found only 6 distinct openings of 1 ply .* at most 12 games"):
        generate_openings(7, 9, (1, 1), seed=1)


def test_symmetric_positions_are_one() -> None:
    size = 9
    opening = read("C4 G5 E7")
    for turn in (
        lambda row, column: (column, row),
        lambda row, column: (size - 1 - row, column),
        lambda row, column: (column, size - 1 - row),
    ):
        turned = tuple(point_at(*turn(*location_of(move, size)), size) for move in opening)
        assert canonical_position(turned, size) == canonical_position(opening, size)


def test_the_order_of_moves_makes_no_position_of_its_own() -> None:
    assert canonical_position(read("C4 G5 E7"), 9) == canonical_position(read("E7 G5 C4"), 9)


@pytest.mark.parametrize(("one", "other"), [("C4 G5", "G5 C4"), ("C4 G5", "C4 G6"), ("C4 G5", "C4 G5 pass")])
def test_different_positions_differ(one: str, other: str) -> None:
    assert canonical_position(read(one), 9) != canonical_position(read(other), 9)


def test_first_moves_fall_into_fifteen_classes() -> None:
    assert len({canonical_position((point,), 9) for point in all_points(9)}) == 15
