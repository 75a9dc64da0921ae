"""Virtual loss: a descent under way counts as lost, so that the next looks elsewhere (Chaslot et al. 2008)."""

import numpy as np

from miai.engine.jit import compiled
from miai.engine.search.tree import ROOT, values, visits


@compiled
def add_virtual_loss(tree, workspace, virtual_loss):
    """Count a descent as lost along its path, for the players who chose it."""
    for ply in range(workspace.leaf_depth + 1):
        node = np.int64(workspace.path[ply])
        n = np.float64(visits(tree)[node])
        workspace.saved_value[ply] = values(tree)[node]
        visits(tree)[node] += 1
        if virtual_loss > 0.0 and node != ROOT:
            values(tree)[node] *= n / (n + virtual_loss)


@compiled
def remove_virtual_loss(tree, workspace):
    """Undo `add_virtual_loss`; the last to descend must be the first to be undone."""
    for ply in range(workspace.leaf_depth, -1, -1):
        node = np.int64(workspace.path[ply])
        visits(tree)[node] -= 1
        values(tree)[node] = workspace.saved_value[ply]
