"""Answers: a search's report as KataGo's fields, from the view that the query wants.

What this search does not compute – utilities, the spread of scores, what self-play would score – is left out.
"""

import hashlib
from dataclasses import dataclass
from typing import Any

import numpy as np

from miai.analysis.queries import Query
from miai.engine.go.game import Game
from miai.engine.go.points import BLACK, PASS, WHITE, all_points, vertex_of
from miai.engine.search.report import MoveReport, SearchReport


@dataclass
class RootFacts:
    """What is known of a root before its moves are searched, for the player to move."""

    priors: dict[int, float]
    """Move to probability."""
    win_rate: float | None = None
    """The network's, if nothing else evaluated the root."""
    score: float | None = None
    """The network's, in points."""


def describe_no_result(query: Query, turn: int) -> dict[str, Any]:
    """Return the answer for a position whose search was ended before it began."""
    return {"id": query.id, "turnNumber": turn, "isDuringSearch": False, "noResults": True}


def describe(
    query: Query, turn: int, game: Game, report: SearchReport, facts: RootFacts, has_score: bool, is_during_search: bool
) -> dict[str, Any]:
    """Return the answer for a position.

    Args:
        report: from the view of the player to move, as all of the engine's.
        has_score: whether scores mean anything: not from a network that has none.
    """
    mover = "BLACK" if report.color == BLACK else "WHITE"
    sign = 1 if query.perspective in (mover, "SIDETOMOVE") else -1
    allowed = query.allowed.get(report.color)
    moves = [move for move in report.moves if move.visits > 0 and (allowed is None or move.move in allowed)]
    answer: dict[str, Any] = {
        "id": query.id,
        "turnNumber": turn,
        "isDuringSearch": is_during_search,
        "moveInfos": [_describe_move(query, move, order, sign, has_score) for order, move in enumerate(moves)],
        "rootInfo": {
            "currentPlayer": "B" if report.color == BLACK else "W",
            "visits": report.visits,
            "winrate": _fraction(report.value, sign),
            **({"scoreLead": round(sign * report.score, 6)} if has_score else {}),
            **hashes_of(game, report.color),
        },
    }
    if facts.win_rate is not None:
        answer["rootInfo"]["rawWinrate"] = _fraction(facts.win_rate, sign)
        if facts.score is not None:
            answer["rootInfo"]["rawLead"] = round(sign * facts.score, 6)
    if query.has_ownership:
        answer["ownership"] = [round(sign * float(owner), 6) for owner in report.ownership]
    if query.has_policy and facts.priors:
        answer["policy"] = policy_of(game, report.color, facts.priors)
    return answer


def policy_of(game: Game, color: int, priors: dict[int, float]) -> list[float]:
    """Return the probability of every point, row-major from the top left, and of the pass; -1 for illegal moves.

    Legal moves that the search never considers, such as filling an own eye, have 0.
    """
    legal = {PASS, *game.legal_points(color)}
    total = sum(priors.values()) or 1.0
    return [
        round(priors.get(move, 0.0) / total, 9) if move in legal else -1.0 for move in (*all_points(game.size), PASS)
    ]


def hashes_of(game: Game, color: int) -> dict[str, str]:
    """Return hashes of stones, player to move and ko: of this position, and of all that are symmetric to it."""
    stones = np.zeros((game.size, game.size), dtype=np.uint8)
    colors, ko = game.board["color"], int(game.board["ko_point"])
    for index, point in enumerate(all_points(game.size)):
        is_banned = point == ko and color == game.to_play
        stones.flat[index] = 3 if is_banned else colors[point] if colors[point] in (BLACK, WHITE) else 0
    turned = [np.rot90(one, turns) for one in (stones, stones.T) for turns in range(4)]
    names = [hashlib.blake2b(bytes([color, game.size]) + one.tobytes(), digest_size=16).hexdigest() for one in turned]
    return {"thisHash": names[0].upper(), "symHash": min(names).upper()}


def _fraction(value: float, sign: int) -> float:
    return round(value if sign > 0 else 1.0 - value, 6)


def _describe_move(query: Query, move: MoveReport, order: int, sign: int, has_score: bool) -> dict[str, Any]:
    longest = 1 + query.longest_variation
    variation = move.variation[:longest] or (move.move,)
    described: dict[str, Any] = {
        "move": vertex_of(move.move, query.size),
        "order": order,
        "visits": move.visits,
        "edgeVisits": move.visits,
        "winrate": _fraction(move.value, sign),
        "lcb": _fraction(move.lower_bound, sign),
        "prior": round(move.prior, 9),
        "pv": [vertex_of(one, query.size) for one in variation],
    }
    if has_score:
        described["scoreLead"] = described["scoreMean"] = round(sign * move.score, 6)
    if query.has_variation_visits:
        described["pvVisits"] = described["pvEdgeVisits"] = list(move.variation_visits[:longest])
    return described
