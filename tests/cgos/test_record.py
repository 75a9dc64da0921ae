"""What a result of the server's becomes in SGF, and who won by it."""

import pytest

from miai.cgos.record import sgf_result, won_by
from miai.engine.go.points import BLACK, WHITE


@pytest.mark.parametrize(
    ("told", "in_sgf", "winner"),
    [
        ("B+3.5", "B+3.5", BLACK),
        ("W+12.0", "W+12", WHITE),
        ("w+0.5", "W+0.5", WHITE),
        ("B+Resign", "B+R", BLACK),
        ("W+R", "W+R", WHITE),
        ("B+Time", "B+T", BLACK),
        ("B+T", "B+T", BLACK),
        ("W+Illegal", "W+F", WHITE),
        ("W+Forfeit", "W+F", WHITE),
        ("W+F", "W+F", WHITE),
        ("B+", "B+", BLACK),
        ("B+Whatever", "B+", BLACK),
        ("Draw", "0", None),
        ("0", "0", None),
        ("Jigo", "?", None),
        ("Black+3", "?", None),
        ("", "?", None),
    ],
)
def test_a_result_is_read_as_the_server_writes_it(told: str, in_sgf: str, winner: int | None) -> None:
    assert sgf_result(told) == in_sgf
    for color in (BLACK, WHITE):
        assert won_by(told, color) == (None if winner is None else winner == color)
