"""What a tree must hold after simulations whose leaves and results are known."""

from collections import defaultdict
from collections.abc import Iterable

import pytest

from miai.engine.search.tree import Tree


def visits_and_sums(leaves: Iterable[tuple[list[int], float]]) -> tuple[dict[int, int], dict[int, float]]:
    """Return each node's visits, and its results summed for the player who moves at its parent.

    Args:
        leaves: the path to each, and its result for the player to move there.
    """
    visits: dict[int, int] = defaultdict(int)
    sums: dict[int, float] = defaultdict(float)
    for path, result in leaves:
        for depth, node in enumerate(path):
            visits[node] += 1
            sums[node] += 1.0 - result if (len(path) - 1 - depth) % 2 == 0 else result
    return visits, sums


def assert_tree_holds(tree: Tree, leaves: Iterable[tuple[list[int], float]]) -> None:
    """Assert that visits and values are those of the leaves, as `visits_and_sums` takes them."""
    visits, sums = visits_and_sums(leaves)
    for node in range(tree.num_nodes):
        assert tree["visits"][node] == visits[node]
        if visits[node]:
            assert tree["value"][node] == pytest.approx(sums[node] / visits[node], abs=1e-9)
            assert len(tree.children(node)) > 0  # these games never end
