"""The fit finds the strengths that drew the winners, for single members and for teams."""

from itertools import pairwise

import numpy as np
import pytest

from miai.fitting.bradley_terry import (
    Competitions,
    fit,
    join_competitions,
    log_likelihood,
    team_strengths,
    winner_ranks,
)

SINGLES = np.array([1.0, 0.1, 0.5, 1.0, 2.0, 8.0])
TEAMS = np.array([1.0, 0.2, 1.0, 5.0, 0.5, 1.0, 3.0])
"""Members 1 to 3 are one group, 4 to 6 the other."""


def _draw(strengths: np.ndarray, groups: list[range], number: int) -> Competitions:
    """Return competitions of two to five teams whose winners are drawn by the given strengths."""
    generator = np.random.default_rng(7)
    found = []
    for _ in range(number):
        size = generator.integers(2, 6)
        teams = np.column_stack([generator.integers(group.start, group.stop, size=size) for group in groups])
        chances = team_strengths(strengths, teams)
        found.append((teams, int(generator.choice(size, p=chances / chances.sum()))))
    return join_competitions(found, len(groups))


def test_the_fit_finds_the_strengths_that_drew_the_winners() -> None:
    games = _draw(SINGLES, [range(1, 6)], 20000)
    found, rounds = fit(games, 5, prior=0.01, tolerance=1e-6, limit=1000)
    assert rounds < 1000
    assert found[1:] / found[3] == pytest.approx(SINGLES[1:], rel=0.12)
    assert log_likelihood(found, games) >= log_likelihood(SINGLES, games)


def test_the_fit_divides_the_strength_of_teams_among_their_members() -> None:
    games = _draw(TEAMS, [range(4), range(4, 7)], 20000)
    found, _ = fit(games, 6, prior=0.01, tolerance=1e-6, limit=1000)
    assert found[1:4] == pytest.approx(TEAMS[1:4], rel=0.12), "nobody, who may take part here, fixes the scale"
    assert found[4:] / found[5] == pytest.approx(TEAMS[4:], rel=0.12)


def test_each_round_makes_the_games_more_probable() -> None:
    games = _draw(TEAMS, [range(4), range(4, 7)], 500)
    values = [log_likelihood(fit(games, 6, 1e-9, 0.0, rounds)[0], games) for rounds in range(1, 12)]
    assert all(later >= earlier - 1e-12 for earlier, later in pairwise(values))


def test_a_member_never_seen_keeps_strength_one() -> None:
    games = join_competitions([(np.array([[1], [2]]), 0)] * 5, 1)
    found, _ = fit(games, 3, prior=1.0, tolerance=1e-9, limit=500)
    assert found[[0, 3]] == pytest.approx(1.0)
    assert found[1] > 1.0 > found[2]


def test_ranks_count_the_candidates_stronger_than_the_winner() -> None:
    games = join_competitions([(np.array([[1], [5], [4]]), 2), (np.array([[5], [1]]), 0)], 1)
    assert winner_ranks(SINGLES, games).tolist() == [1, 0]
