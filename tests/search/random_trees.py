"""Trees and workspaces filled with random numbers, to hold compiled code against slow transcriptions."""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from miai.engine.search.tree import ROOT, TERMINAL, UNEXPANDED, Column, Tree
from miai.engine.search.workspace import workspace_fields

MAX_MOVE = 40
MAX_TRACE = 60
MAX_DEPTH = 12

COLUMNS = ("move", "visits", "value", "score", "prior")
"""What a copy of a node keeps, beside its children and the rules' own columns."""


def fill_nodes(tree: Tree, rng: np.random.Generator, nodes: range) -> None:
    """Write random numbers to nodes, without children; moves are 0 to `MAX_MOVE - 1`, different among the nodes."""
    count = len(nodes)
    rows = slice(nodes.start, nodes.stop)
    tree["move"][rows] = rng.permutation(max(count, MAX_MOVE))[:count]
    tree["visits"][rows] = np.where(rng.random(count) < 0.3, 0, rng.integers(0, 1000, count))
    tree["value"][rows] = rng.random(count)
    tree["score"][rows] = rng.normal(0, 20, count)
    tree["prior"][rows] = rng.random(count)
    tree["num_children"][rows] = 0
    tree["first_child"][rows] = UNEXPANDED
    for name, _ in tree.columns:
        tree[name][rows] = rng.random(count) * 100


def random_tree(rng: np.random.Generator, capacity: int, columns: Iterable[Column] = (), max_children: int = 6) -> Tree:
    """Return a tree filled to its capacity or nearly so; some nodes without children are TERMINAL."""
    tree = Tree(capacity, columns)
    fill_nodes(tree, rng, range(1))
    node, num_nodes = ROOT, 1
    while node < num_nodes:
        count = max_children if node == ROOT else int(rng.integers(1, max_children + 1))
        kind = rng.random()
        if node != ROOT and kind < 0.2:
            tree["first_child"][node] = TERMINAL
        elif num_nodes + count <= capacity and (node == ROOT or kind > 0.4):
            fill_nodes(tree, rng, range(num_nodes, num_nodes + count))
            tree["first_child"][node], tree["num_children"][node] = num_nodes, count
            num_nodes += count
        node += 1
    tree.record["num_nodes"][0] = num_nodes
    return tree


def new_workspace(max_candidates: int = 400) -> Any:
    """Return the record of a workspace with only what every domain has."""
    return np.zeros(1, dtype=np.dtype(workspace_fields(max_candidates, MAX_DEPTH, MAX_TRACE), align=True))[0]


def random_simulation(rng: np.random.Generator, tree: Tree, workspace: Any) -> int:
    """Write a path through the tree and a trace that follows it and goes on with a playout; return the depth."""
    node, depth = ROOT, 0
    workspace["path"][0] = ROOT
    max_depth = int(rng.integers(0, MAX_DEPTH))
    while depth < max_depth and tree.children(node):
        node = int(rng.choice(tree.children(node)))
        workspace["trace"][depth] = tree["move"][node]
        depth += 1
        workspace["path"][depth] = node
    length = int(rng.integers(depth, MAX_TRACE + 1))
    # few different moves make repetitions, zeros are passes
    workspace["trace"][depth:length] = rng.integers(0, rng.choice([2, 10, MAX_MOVE]), length - depth)
    workspace["trace_length"] = length
    return depth


def amaf_simulations(
    rng: np.random.Generator, columns: Iterable[Column], workspace: Any
) -> Iterator[tuple[Tree, int, float]]:
    """Write simulations into the workspace, 20 for each of 60 trees with AMAF values; yield tree, depth and result."""
    for _ in range(60):
        tree = random_tree(rng, 400, columns, max_children=12)
        tree["amaf_visits"][:] = rng.integers(0, 50, 400)
        tree["amaf_value"][:] = rng.random(400) * (tree["amaf_visits"] > 0)
        for _ in range(20):
            depth = random_simulation(rng, tree, workspace)
            yield tree, depth, float(rng.choice([0.0, 0.5, 1.0]))
