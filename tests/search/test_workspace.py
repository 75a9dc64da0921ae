"""What rules ask for in the workspace is theirs alone, and no more than there is."""

import numpy as np
import pytest

from miai.engine.search.rule_declaration import backup_rule, selection_rule
from miai.engine.search.workspace import field, field_numbers
from tests.search.random_trees import new_workspace

NAMES = ("one", "two", "three", "four")


def test_fields_hold_what_is_written_whatever_else_is() -> None:
    workspace = new_workspace(7)
    numbers = field_numbers("selection", NAMES) + field_numbers("backup", NAMES)
    kinds = [np.float64, np.int8, np.int16, np.float32, np.int64, np.uint8, np.int32, np.float64]
    for value, (number, kind) in enumerate(zip(numbers, kinds, strict=True), start=1):
        field(workspace, number, kind)[:] = value
    for value, (number, kind) in enumerate(zip(numbers, kinds, strict=True), start=1):
        written = field(workspace, number, kind)
        assert written.dtype == kind and written.tolist() == [value] * 7
    assert field_numbers("backup", ("two",)) == field_numbers("backup", NAMES)[:1]


@pytest.mark.parametrize("names", [("one", "one"), (*NAMES, "five")], ids=["twice", "five"])
@pytest.mark.parametrize("declare", [selection_rule, backup_rule])
def test_wrong_fields_are_refused_with_what_is_allowed(declare: object, names: tuple[str, ...]) -> None:
    assert callable(declare)
    with pytest.raises(
        ValueError, match=rf"workspace fields .*{names[-1]} are not allowed \(allowed: 4 different names\)"
    ):
        declare(fields=names)
