"""Bradley–Terry models of teams, fitted by minorization–maximization.

In a competition each candidate is a team with one member of each group at most. It wins with probability its strength
/ sum of all candidates' strengths; a team's strength is the product of its members'. The strengths that make the
outcomes most probable are found group by group (Coulom 2007, "Computing Elo ratings of move patterns in the game of
Go", section 2.2):

    γ_i ← W_i / Σ_j (C_ij / E_j)

W_i the wins of member i, E_j the sum of strengths in competition j, C_ij the sum, over the teams there that i is in, of
the product of the other members' strengths. As there, each member has a prior: virtual wins and as many losses
against a strength of 1.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

NOBODY = 0
"""The member that stands for none of its group; its strength is always 1."""


@dataclass(frozen=True)
class Competitions:
    """Competitions between teams, one after the other."""

    teams: np.ndarray
    """int32 [teams, groups]: the members, numbers from 1 on that are unique over all groups, or NOBODY."""
    starts: np.ndarray
    """int64 [competitions]: where each competition begins in `teams`."""
    winners: np.ndarray
    """int64 [competitions]: index in `teams` of the winner."""

    @property
    def number(self) -> int:
        """How many competitions there are."""
        return len(self.starts)


def join_competitions(found: Sequence[tuple[np.ndarray, int]], num_groups: int) -> Competitions:
    """Put competitions into arrays, each given as its teams, [teams, groups], and the index of the winner."""
    sizes = np.array([len(teams) for teams, _ in found], dtype=np.int64)
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int64) if len(found) else np.zeros(0, np.int64)
    teams = np.concatenate([teams for teams, _ in found]) if len(found) else np.zeros((0, num_groups))
    winners = starts + np.array([winner for _, winner in found], dtype=np.int64)
    return Competitions(teams.astype(np.int32).reshape(-1, num_groups), starts, winners)


def team_strengths(strengths: np.ndarray, teams: np.ndarray) -> np.ndarray:
    """Return the strength of each team."""
    return np.asarray(np.prod(strengths[teams], axis=1))


def log_likelihood(strengths: np.ndarray, games: Competitions) -> float:
    """Return the mean logarithm of the probability that the model gives to the winners."""
    return float(np.mean(np.log(winning_chances(strengths, games))))


def winning_chances(strengths: np.ndarray, games: Competitions) -> np.ndarray:
    """Return the probability that the model gives to the winner of each competition."""
    by_team = team_strengths(strengths, games.teams)
    return np.asarray(by_team[games.winners] / np.add.reduceat(by_team, games.starts))


def winner_ranks(strengths: np.ndarray, games: Competitions) -> np.ndarray:
    """Return how many candidates the model holds stronger than the winner in each competition, int64."""
    by_team = team_strengths(strengths, games.teams)
    sizes = np.diff(np.append(games.starts, len(games.teams)))
    is_stronger = by_team > np.repeat(by_team[games.winners], sizes)
    return np.asarray(np.add.reduceat(is_stronger.astype(np.int64), games.starts))


def fit(games: Competitions, num_members: int, prior: float, tolerance: float, limit: int) -> tuple[np.ndarray, int]:
    """Return the strengths, float64 [1 + members], and after how many rounds none moved by more than `tolerance`.

    Args:
        games: at least one competition.
        num_members: the greatest number of a member.
        prior: virtual wins, and losses, of each member against a strength of 1.
        tolerance: largest step of a strength's logarithm at the end.
        limit: rounds after which to stop in any case.
    """
    sizes = np.diff(np.append(games.starts, len(games.teams)))
    competition = np.repeat(np.arange(games.number), sizes)
    groups = [games.teams[:, group] for group in range(games.teams.shape[1])]
    wins = np.bincount(games.teams[games.winners].ravel(), minlength=num_members + 1)
    present = [np.setdiff1d(members, NOBODY) for members in groups]
    strengths = np.ones(num_members + 1)
    by_team = np.ones(len(games.teams))
    for rounds in range(1, limit + 1):
        before = strengths.copy()
        for members, here in zip(groups, present, strict=True):
            shares = by_team / np.add.reduceat(by_team, games.starts)[competition] / strengths[members]
            opposition = np.bincount(members, weights=shares, minlength=num_members + 1)
            change = np.ones(num_members + 1)
            change[here] = (wins[here] + prior) / (opposition[here] + 2.0 * prior / (strengths[here] + 1.0))
            change[here] /= strengths[here]
            strengths *= change
            by_team *= change[members]
        if float(np.max(np.abs(np.log(strengths / before)))) < tolerance:
            return strengths, rounds
    return strengths, limit
