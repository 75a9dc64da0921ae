"""Trees that were searched once and looked at, kept in `golden/`, to show any change of what a search does.

A change that is meant is written down anew by

    python -m tests.search.golden_trees --write
"""

import argparse
import json
from pathlib import Path
from typing import Any

from miai.engine.search.backup import BACKUP_RULES
from miai.engine.search.rule_compatibility import fits
from miai.engine.search.search import Budget, Parts, Search
from miai.engine.search.selection import SELECTION_RULES
from tests.search.hash_game import HASH_GAME, HashWorkspace

FOLDER = Path(__file__).with_name("golden")
ROOT_KEY = 41
SIMULATIONS = 150


def parameters_of(rule: str) -> dict[str, float]:
    """Return every parameter of a rule as its golden tree names them; the defaults for a rule that has none yet.

    So a golden tree does not depend on the defaults. Other values are written into its file by hand.
    """
    path = FOLDER / f"{rule}.json"
    if path.exists():
        return json.loads(path.read_text())["parameters"]
    selection = SELECTION_RULES[rule]
    return {entry.name: getattr(selection.defaults, entry.name) for entry in selection.parameters}


def searched_tree(rule: str) -> list[list[Any]]:
    """Search the game of hashes; return move, visits, value and parent's row of every node that was visited."""
    selection = SELECTION_RULES[rule]
    backup = next(backup for backup in BACKUP_RULES.values() if fits(selection, backup))
    search = Search(Parts(HASH_GAME, selection, backup), [HashWorkspace(ROOT_KEY, 3)], 1 << 20)
    search.settings.selection = selection.defaults._replace(**parameters_of(rule))
    search.run(Budget(SIMULATIONS), early_stop=False)
    tree, rows, todo = search.tree, list[list[Any]](), [(0, -1)]
    while todo:
        node, parent = todo.pop()
        for child in reversed(tree.children(node)):
            if tree["visits"][child] > 0:
                todo.append((child, len(rows)))
        rows.append([int(tree["move"][node]), int(tree["visits"][node]), round(float(tree["value"][node]), 9), parent])
    return rows


def read(rule: str) -> list[list[Any]]:
    """Return the tree that was written."""
    return json.loads((FOLDER / f"{rule}.json").read_text())["nodes"]


def write(rule: str) -> None:
    """Write down the tree as it is searched now."""
    nodes = ",\n  ".join(json.dumps(row) for row in searched_tree(rule))
    head = json.dumps({"parameters": parameters_of(rule), "columns": ["move", "visits", "value", "parent"]})[1:-1]
    FOLDER.mkdir(exist_ok=True)
    (FOLDER / f"{rule}.json").write_text(f'{{{head}, "nodes": [\n  {nodes}\n]}}\n')


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", required=True, help="replace the golden trees")
    parser.parse_args()
    for name in SELECTION_RULES:
        write(name)
