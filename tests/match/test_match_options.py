"""What the options of a match become: the settings of its games."""

import pytest

from miai.match.match_options import MatchOptions


@pytest.mark.parametrize(("size", "asked", "most"), [(9, None, 243), (5, None, 75), (5, 7, 7)])
def test_a_game_has_three_moves_a_point_at_most_unless_another_number_is_named(
    size: int, asked: int | None, most: int
) -> None:
    assert MatchOptions(game_settings={"size": size}, max_moves=asked).settings.max_moves == most
