"""A search tree as a page shows it: the children of the root and of the nodes that are opened, bounded in number."""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from miai.engine.search.search import Search
from miai.engine.search.tree import ROOT

MAX_ROOT = 90
"""Children of the root that are told."""
MAX_CHILDREN = 20
"""Children of other nodes that are told, those with most visits first."""
MAX_OPEN = 40
"""Nodes that may be open at once."""


def describe_children(
    search: Search,
    node: int,
    name_move: Callable[[int], str],
    most: int,
    worth: Callable[[range], np.ndarray] | None = None,
) -> list[list[Any]]:
    """Return children with most visits first: move, visits, value, prior, whether they have children, true worth.

    Values are expected results, 0 to 1, for the player who moves at `node`, as are true ones; a child never visited has
    None for a value, and true worth is None where `worth` is.
    """
    tree = search.tree
    children = tree.children(node)
    if not children:
        return []
    rows = slice(children.start, children.stop)
    visits = tree["visits"][rows]
    chosen = np.lexsort((-tree["prior"][rows], -visits))[:most]
    numbers = chosen + children.start
    rates = search.win_rates(numbers.tolist())
    true = worth(children)[chosen].tolist() if worth is not None else [None] * len(chosen)
    columns = (
        tree["move"][numbers].tolist(),
        visits[chosen].tolist(),
        rates.tolist(),
        tree["prior"][numbers].tolist(),
        (tree["first_child"][numbers] > 0).tolist(),
        true,
    )
    return [
        [name_move(move), count, round(rate, 4) if count else None, round(prior, 4), has_children, _round(one)]
        for move, count, rate, prior, has_children, one in zip(*columns, strict=True)
    ]


def _round(value: float | None) -> float | None:
    return None if value is None else round(value, 4)


def find_node(search: Search, path: Iterable[str], name_move: Callable[[int], str]) -> int | None:
    """Return the node that moves lead to from the root, None if the tree has it not."""
    node = ROOT
    tree = search.tree
    for step in path:
        found = [child for child in tree.children(node) if name_move(int(tree["move"][child])) == step]
        if not found:
            return None
        node = found[0]
    return node
