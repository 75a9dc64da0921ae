"""What results are called."""

import pytest

from miai.engine.go.points import format_score


@pytest.mark.parametrize(
    ("score", "text"), [(2.5, "B+2.5"), (-1.0, "W+1"), (0.0, "0"), (1e-12, "0"), (73.876543, "B+73.876543")]
)
def test_a_score_is_written_as_gtp_and_sgf_write_it(score: float, text: str) -> None:
    assert format_score(score) == text
