"""A search's root as a report."""

import itertools

import numpy as np

from miai.engine.domains.go import GoWorkspace, mean_ownership
from miai.engine.go.game import Game
from miai.engine.go.points import BLACK
from miai.engine.search.report import MoveReport, SearchReport
from miai.engine.search.search import Search
from miai.engine.search.tree import ROOT
from miai.engine.wilson import wilson_interval

_CONFIDENCE = 1.96
"""Standard errors between a move's value and its lower bound."""


def report_root(
    search: Search, workspaces: list[GoWorkspace], game: Game, color: int, simulations: int, seconds: float
) -> SearchReport:
    """Return what a search, which did so many simulations, found for `color` at its root."""
    tree = search.tree
    order = search.root_order()
    lines = search.variations(order)
    columns = (tree[name][order].tolist() for name in ("move", "visits", "prior", "score"))
    nodes = np.fromiter(itertools.chain.from_iterable(lines), dtype=np.int64)
    line_moves, line_visits = iter(tree["move"][nodes].tolist()), iter(tree["visits"][nodes].tolist())
    moves = [
        MoveReport(
            move=move,
            visits=visits,
            value=rate,
            prior=prior,
            lower_bound=_lower_bound(rate, visits),
            score=score,
            variation=tuple(itertools.islice(line_moves, len(line))),
            variation_visits=tuple(itertools.islice(line_visits, len(line))),
        )
        for move, visits, prior, score, rate, line in zip(
            *columns, search.win_rates(order).tolist(), lines, strict=True
        )
    ]
    ownership = mean_ownership(workspaces, game.size)
    return SearchReport(
        color=color,
        moves=tuple(moves),
        value=1.0 - float(search.win_rates([ROOT])[0]),
        score=-float(tree["score"][ROOT]),
        visits=int(tree["visits"][ROOT]),
        simulations=simulations,
        seconds=seconds,
        ownership=ownership if color == BLACK else -ownership,
    )


def _lower_bound(value: float, visits: int) -> float:
    """Return the lower end of a value's 95 % interval, 0 without visits."""
    return wilson_interval(value, visits, _CONFIDENCE)[0] if visits else 0.0
