"""What all tests of the search share: a small tree's memory holds nonsense until it is written."""

from typing import Any

import numpy as np
import pytest

from miai.engine.search.tree import TERMINAL, Tree

MOST_NODES = 1 << 12
"""Writing to all of a greater tree would take its memory."""


@pytest.fixture(autouse=True)
def fill_new_trees_with_nonsense(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a rule, or a test, that reads what nobody wrote fail always, not now and then."""
    reserve = Tree.__init__

    def reserve_and_fill(tree: Tree, *arguments: Any) -> None:
        reserve(tree, *arguments)
        if tree.record["capacity"] > MOST_NODES:
            return
        for array in (*tree._arrays.values(), *tree._floats.values()):
            array[1:] = np.nan if array.dtype.kind == "f" else 77
        tree["first_child"][1:] = TERMINAL

    monkeypatch.setattr(Tree, "__init__", reserve_and_fill)
