"""`mean`: the average of all results."""

from miai.engine.jit import compiled
from miai.engine.search.rule_declaration import backup_rule
from miai.engine.search.tree import results, values


@compiled
def mean_after(tree, node, result):
    """Return the average of all results at or below a node whose value is that average."""
    value = values(tree)[node]
    return value + (result - value) / results(tree)[node]


@backup_rule(name="mean", source="Coulom 2006; Kocsis & Szepesvári 2006")
def mean(tree, node, workspace, params):
    """Return the average of all results at or below the node."""
    return mean_after(tree, node, workspace.result)
