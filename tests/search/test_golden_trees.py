"""Searches do what they did; see `golden_trees` for how to change what that is."""

import pytest

from miai.engine.search.selection import SELECTION_RULES
from tests.search.golden_trees import SIMULATIONS, parameters_of, read, searched_tree


@pytest.mark.parametrize("rule", SELECTION_RULES)
def test_the_tree_is_the_golden_one(rule: str) -> None:
    found, expected = searched_tree(rule), read(rule)
    assert expected[0][1] == SIMULATIONS
    assert [row[:2] + row[3:] for row in found] == [row[:2] + row[3:] for row in expected]
    assert [row[2] for row in found] == pytest.approx([row[2] for row in expected], abs=1e-6)


@pytest.mark.parametrize("rule", SELECTION_RULES)
def test_a_golden_tree_names_every_parameter(rule: str) -> None:
    assert set(parameters_of(rule)) == {entry.name for entry in SELECTION_RULES[rule].parameters}
