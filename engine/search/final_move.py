"""Final-move rules: the order in which the root's moves are reported, and the move that is played."""

from collections.abc import Callable

import numpy as np

from miai.engine.search.rule_declaration import BackupRule, SelectionRule
from miai.engine.search.simulate import SearchParameters
from miai.engine.search.tree import Tree
from miai.engine.wilson import wilson_interval

FINAL_RULES = ("visits", "lcb", "policy", "value", "payoff")
"""Most visits; greatest lower confidence bound of the value among moves with enough visits, as in Leela Zero 0.17 and
KataGo; greatest probability in the search policy (`r` of ESPRIT); greatest value; greatest expected payoff
`W·v_W + D·v_D + L·v_L` (Holden)."""

_BOUND_DEVIATIONS = 1.96
"""Standard deviations from a value to its lower bound."""
_ENOUGH_VISITS = 0.15
"""Of the greatest number, for `lcb`."""


def check_final(final: str, selection: SelectionRule, backup: BackupRule) -> None:
    """Refuse a final-move rule whose statistics the search does not keep.

    Args:
        final: one of FINAL_RULES.
        selection: the search's selection rule.
        backup: the search's backup rule.

    Raises:
        ValueError: naming what fits.
    """
    if final == "policy" and selection.policy is None:
        raise ValueError(
            f"final rule policy needs a search policy, which {selection.name} has not (`miai rules` says who has)"
        )
    if final == "payoff" and "wdl" not in backup.kinds:
        raise ValueError("final rule payoff needs probabilities of win, draw and loss (backup: wdl-product)")


def lower_bounds(rates: np.ndarray, visits: np.ndarray) -> np.ndarray:
    """Return the lower ends of the 95 % intervals of expected results, as if each visit were a game won or lost.

    Args:
        rates: float64 [nodes], 0 to 1.
        visits: [nodes]; without any the bound is 0.
    """
    pairs = zip(rates.tolist(), visits.tolist(), strict=True)
    return np.array([wilson_interval(rate, count, _BOUND_DEVIATIONS)[0] if count else 0.0 for rate, count in pairs])


def payoffs(tree: Tree, nodes: np.ndarray, parameters: SearchParameters) -> np.ndarray:
    """Return the expected payoffs of nodes for the player who moves at their parent, float64 [nodes]."""
    not_win, loss = (np.exp(tree[name][nodes].astype(np.float64)) for name in ("log_not_win", "log_loss"))
    draw = np.maximum(0.0, not_win - loss)
    return (1.0 - not_win) * parameters.win_payoff + draw * parameters.draw_payoff + loss * parameters.loss_payoff


def order_moves(
    tree: Tree,
    nodes: range,
    final: str,
    parameters: SearchParameters,
    ties_by_policy: bool,
    policy: Callable[[], np.ndarray],
    rates: Callable[[], np.ndarray],
) -> list[int]:
    """Return sibling nodes, best first by a final-move rule; equal ones by visits, value, prior probability, as listed.

    A search that visited none of them, for want of simulations, thus ends with the most probable one. Where a rule
    divides the visits by a plan of its own (`ties_by_policy`), `lcb` is the same as `visits`.

    Args:
        tree: they belong to.
        nodes: the siblings.
        final: one of FINAL_RULES.
        parameters: the payoffs.
        ties_by_policy: see `SelectionRule`.
        policy: returns the search policy over the siblings, float64 [nodes].
        rates: returns the expected results of the siblings, 0 to 1, float64 [nodes].
    """
    rows = slice(nodes.start, nodes.stop)
    visits, values = tree["visits"][rows], tree["value"][rows]
    seconds = policy() if ties_by_policy else values
    keys: list[np.ndarray] = [visits, seconds, tree["prior"][rows]]
    if final == "lcb" and not ties_by_policy:
        is_visited_enough = visits >= _ENOUGH_VISITS * visits.max(initial=0)
        keys.insert(0, np.where(is_visited_enough, lower_bounds(rates(), visits), -np.inf))
    elif final == "policy":
        keys.insert(0, policy())
    elif final == "value":
        keys.insert(0, np.where(visits > 0, values, -np.inf))
    elif final == "payoff":
        keys.insert(0, payoffs(tree, np.arange(nodes.start, nodes.stop), parameters))
    # lexsort takes the last key first, and keeps the order of equal ones
    order = np.lexsort([-key.astype(np.float64) for key in reversed(keys)])
    return [nodes.start + int(index) for index in order]
