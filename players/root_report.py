"""A search's root as a report."""

import itertools

import numpy as np

from miai.engine.domains.go import GoWorkspace, mean_ownership
from miai.engine.go.game import Game
from miai.engine.go.points import BLACK
from miai.engine.search.final_move import lower_bounds
from miai.engine.search.report import MoveReport, SearchReport
from miai.engine.search.search import Search
from miai.engine.search.tree import ROOT


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
    rates = search.win_rates(order)
    moves = [
        MoveReport(
            move=move,
            visits=visits,
            value=rate,
            prior=prior,
            lower_bound=bound,
            score=score,
            variation=tuple(itertools.islice(line_moves, len(line))),
            variation_visits=tuple(itertools.islice(line_visits, len(line))),
        )
        for move, visits, prior, score, rate, bound, line in zip(
            *columns, rates.tolist(), lower_bounds(rates, tree["visits"][order]).tolist(), lines, strict=True
        )
    ]
    ownership = mean_ownership(workspaces)
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
