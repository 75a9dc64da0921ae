"""A parameter's default, range and meaning are read where its field stands."""

import math
from typing import Annotated, Any, NamedTuple

import pytest

from miai.engine.search.parameters import NoParameters, Parameter, Range, describe_parameters, parameters_with
from miai.engine.search.rule_declaration import backup_rule, selection_rule


class Described(NamedTuple):
    rate: Annotated[float, Range(0.0, 1.0), "weight of the newest result"] = 0.5
    count: Annotated[int, "how many"] = 3
    plain: float = 0.1


def test_range_and_meaning_are_those_of_the_annotation() -> None:
    assert describe_parameters(Described()) == (
        Parameter("rate", 0.0, 1.0, "weight of the newest result"),
        Parameter("count", -math.inf, math.inf, "how many"),
        Parameter("plain", -math.inf, math.inf, ""),
    )
    assert describe_parameters(NoParameters()) == ()


def test_replaced_values_keep_their_type() -> None:
    assert parameters_with(Described(), {"count": 4.0, "rate": 1}) == Described(1.0, 4)
    assert isinstance(parameters_with(Described(), {"count": 4.0}).count, int)


@pytest.mark.parametrize("declare", [selection_rule, backup_rule])
@pytest.mark.parametrize(
    ("parameters", "kind", "words"),
    [
        (Described(rate=2.0), ValueError, r"rate: 2\.0 is not allowed \(allowed: a number from 0 to 1\)"),
        (Described(plain="much"), ValueError, "plain: 'much' is not allowed"),  # type: ignore[arg-type]
        (Described, TypeError, r"a NamedTuple with values, as in Parameters\(\)"),
    ],
)
def test_a_wrong_declaration_is_refused(declare: Any, parameters: Any, kind: type[Exception], words: str) -> None:
    def rule(tree: Any, node: Any, params: Any, workspace: Any) -> Any:
        return node

    with pytest.raises(kind, match=words):
        declare(parameters)(rule)


@pytest.mark.parametrize("arguments", [{"kind": "stones"}, {"kinds": ("stones",)}], ids=["selection", "backup"])
def test_a_wrong_kind_of_values_is_refused_with_those_there_are(arguments: Any) -> None:
    declare: Any = selection_rule if "kind" in arguments else backup_rule
    with pytest.raises(ValueError, match=r"'stones' is not allowed \(allowed: probability, points, wdl\)"):
        declare(**arguments)
