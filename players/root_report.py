"""A search's root as a report."""

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
    moves = []
    order = search.root_order()
    for child, rate in zip(order, search.win_rates(order), strict=True):
        line = search.variation(child)
        moves.append(
            MoveReport(
                move=int(tree["move"][child]),
                visits=int(tree["visits"][child]),
                value=float(rate),
                prior=float(tree["prior"][child]),
                lower_bound=_lower_bound(float(rate), int(tree["visits"][child])),
                score=float(tree["score"][child]),
                variation=tuple(int(tree["move"][node]) for node in line),
                variation_visits=tuple(int(tree["visits"][node]) for node in line),
            )
        )
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
