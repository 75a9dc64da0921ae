"""A Swiss tournament: each round is paired by the games of the rounds before, so that a killed one goes on alike."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from miai.match.forms import Pairing, pair_swiss_round
from miai.match.openings import OpeningError
from miai.match.results import GameResult
from miai.match.tournament import Tournament


def play_swiss(
    tournament: Tournament,
    num_rounds: int,
    games: int,
    seeds: Sequence[int],
    meet: Callable[[Pairing, int], None],
    on_pairing: Callable[[], object],
) -> tuple[list[str], bool]:
    """Play what is left, round after round; return why pairings were given up, and whether all was interrupted.

    Args:
        tournament: its matches are added as they are paired; the folders of all of them must be open after `meet`.
        num_rounds: to play.
        games: of two who meet.
        seeds: decide between equal points, the lowest first.
        meet: sees that a pair is to play so many games in all.
        on_pairing: called after each pairing.
    """
    meetings: Counter[Pairing] = Counter()
    num_byes = [0] * len(tournament.contestants)
    for number in range(1, num_rounds + 1):
        points = _count_points(tournament, num_byes, games)
        pairs, bye = pair_swiss_round(points, seeds, meetings, num_byes)
        if bye is not None:
            num_byes[bye] += 1
        for pair in pairs:
            meetings[pair] += 1
            try:
                meet(pair, games * meetings[pair])
            except OpeningError as error:
                first, second = (tournament.contestants[place].label for place in pair)
                return [f"{first} and {second} meet again in round {number}: {error}"], False
        if tournament.remaining:
            given_up, interrupted = tournament.play(on_pairing)
            if given_up or interrupted:
                return given_up, interrupted
    return [], False


def _count_points(tournament: Tournament, num_byes: Sequence[int], games: int) -> list[float]:
    """Return each one's wins plus half of the draws; void games are draws here, and a bye is won games."""
    points = [float(games * byes) for byes in num_byes]
    for (first, second), match in tournament.matches.items():
        results = match.scheduled(tournament.folders[first, second].results)
        score = score_of_a(results)
        points[first] += score
        points[second] += len(results) - score
    return points


def score_of_a(results: Iterable[GameResult]) -> float:
    """Return the points of side A in a tournament, where a forfeit loses and a void game is a draw."""
    return sum(0.5 if result.winner is None else result.score_of_a for result in results)
