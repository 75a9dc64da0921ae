"""Selection and backup rules: what they consist of, how one is declared, and how it is found by name.

A rule is a function under a decorator, in this package as in a user's file:

    @selection_rule(Parameters(), name="greedy", source="Author 2030, eq. 1")
    def greedy(tree, node, params, workspace):
        ...
"""

import importlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Generic, Literal, NamedTuple, TypeVar

from miai.engine.jit import Compiled, compiled
from miai.engine.search.parameters import NoParameters, Parameter, describe_parameters
from miai.engine.search.tree import VALUE_COLUMNS, Column, make_columns
from miai.engine.search.workspace import field_numbers

ValueKind = Literal["probability", "points", "wdl"]
"""What the values of nodes are.

* probability: expected results, 0 to 1.
* points: expected final scores, kept as `0.5 + score/(2·workspace.point_scale)`, so that they lie between 0 and 1 and
  the other player's value is one minus it in either kind.
* wdl: win, draw and loss probabilities, in columns of their own; the value is that of the expected result.
"""


@compiled
def init_no_columns(tree, first, count, workspace):
    """Initialise no columns: for rules and domains without any."""


@compiled
def update_no_statistics(tree, workspace, depth, result):
    """Update no statistics beyond the backup."""


@compiled
def begin_search_unchanged(tree, workspace, params):
    """Begin a search like any other."""


_KIND_COLUMNS: dict[str, tuple[Column, ...]] = {
    "probability": (),
    "points": VALUE_COLUMNS[:1],
    "wdl": VALUE_COLUMNS[1:],
}


@dataclass(frozen=True)
class SelectionRule:
    """How to choose the child to descend into."""

    name: str
    select: Compiled
    """`select(tree, node, params, workspace) -> child`; `workspace.stream` is a random stream."""
    source: str
    """Paper and equation."""
    defaults: NamedTuple
    """Parameters with their default values, a NamedTuple of floats and ints; see `miai.engine.search.parameters`."""
    columns: tuple[Column, ...] = ()
    """What it needs of each node, its kind of values included."""
    fields: tuple[str, ...] = ()
    """Names of what it needs of the workspace; see `miai.engine.search.workspace.field`."""
    init_children: Compiled = init_no_columns
    """`init_children(tree, first, count, workspace)`: write the columns of new children from
    `workspace.candidate_…`."""
    update_statistics: Compiled = update_no_statistics
    """`update_statistics(tree, workspace, depth, result)`: called after each simulation; see
    `miai.engine.search.simulate`."""
    begin_search: Compiled = begin_search_unchanged
    """`begin_search(tree, workspace, params)`: called when a search begins, at a root that may have children
    already."""
    kind: ValueKind = "probability"
    """What it takes the values of nodes for."""
    policy: Compiled | None = None
    """`policy(tree, node, params, workspace)`: write the search policy, a probability for each child, to
    `workspace.policy`."""
    ties_by_policy: bool = False
    """Whether of two root moves with equal visits the one more probable in the search policy is played, not that of
    greater value."""
    needs_threats: bool = False
    """Whether `init_children` reads `workspace.candidate_threat`."""
    needs_lasting_moves: bool = False
    """Whether a move must mean the same later on, as in Go; in simulated trees it does not."""

    def __post_init__(self) -> None:
        describe_parameters(self.defaults)

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Return what each parameter may be and means."""
        return describe_parameters(self.defaults)


@dataclass(frozen=True)
class BackupRule:
    """How a node's value follows from below."""

    name: str
    backup: Compiled
    """`backup(tree, node, workspace, params) -> value`: the node's new value, from the view of the player who moves at
    its parent; so is `workspace.result`, the simulation's result, which a rule may change for the nodes further up."""
    source: str
    defaults: NamedTuple
    columns: tuple[Column, ...] = ()
    fields: tuple[str, ...] = ()
    init_children: Compiled = init_no_columns
    """`init_children(tree, first, count, workspace)`: write the columns of new children."""
    kinds: tuple[ValueKind, ...] = ("probability", "points")
    """What the values may be."""
    counts_results: bool = False
    """Of kind `wdl`: whether outcomes come from results alone; else the domain must list those of all new children."""

    def __post_init__(self) -> None:
        describe_parameters(self.defaults)

    @property
    def needs_outcomes(self) -> bool:
        """Whether the domain must list the outcomes of new children."""
        return "wdl" in self.kinds and not self.counts_results

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Return what each parameter may be and means."""
        return describe_parameters(self.defaults)


def _columns_of_values(kinds: Sequence[str]) -> tuple[Column, ...]:
    wrong = [kind for kind in kinds if kind not in _KIND_COLUMNS]
    if wrong:
        raise ValueError(f"kind of values {wrong[0]!r} is not allowed (allowed: {', '.join(_KIND_COLUMNS)})")
    return tuple(column for kind in kinds for column in _KIND_COLUMNS[kind])


Rule = TypeVar("Rule", SelectionRule, BackupRule)

OWN = "own rule"
"""The source of a user's rule that names none."""
_NO_PARAMETERS = NoParameters()


def selection_rule(
    parameters: NamedTuple = _NO_PARAMETERS,
    *,
    name: str = "",
    source: str = OWN,
    columns: Sequence[str] = (),
    fields: Sequence[str] = (),
    kind: ValueKind = "probability",
    **functions: Any,
) -> Callable[[Callable[..., Any]], SelectionRule]:
    """Decorate `select(tree, node, params, workspace) -> child` to compile it and make it a selection rule.

    Args:
        parameters: a NamedTuple with default values; see `miai.engine.search.parameters`.
        name: the rule's name; the function's if not given.
        source: paper and equation.
        columns: names of what the rule remembers of each node; `column_numbers("selection", names)` finds them.
        fields: names of what it needs of the workspace, an item a candidate; `field_numbers("selection", names)` finds
            them.
        kind: what the rule takes the values of nodes for.
        functions: other attributes of `SelectionRule`, such as `init_children`, `update_statistics` and `policy`.

    Raises:
        TypeError: if there is no such field, or the parameters are no NamedTuple.
        ValueError: if a default is out of range or the names of columns or fields are not allowed.
    """
    field_numbers("selection", fields)
    all_columns = make_columns("selection", columns) + _columns_of_values([kind])

    def make(function: Callable[..., Any]) -> SelectionRule:
        return SelectionRule(
            name or function.__name__,
            compiled(function),
            source,
            parameters,
            all_columns,
            tuple(fields),
            kind=kind,
            **functions,
        )

    return make


def backup_rule(
    parameters: NamedTuple = _NO_PARAMETERS,
    *,
    name: str = "",
    source: str = OWN,
    columns: Sequence[str] = (),
    fields: Sequence[str] = (),
    kinds: tuple[ValueKind, ...] = ("probability", "points"),
    init_children: Compiled = init_no_columns,
    counts_results: bool = False,
) -> Callable[[Callable[..., Any]], BackupRule]:
    """Decorate `backup(tree, node, workspace, params) -> value` to compile it and make it a backup rule.

    The arguments and errors are those of `selection_rule`, with `"backup"` for `"selection"`.
    """
    field_numbers("backup", fields)
    all_columns = make_columns("backup", columns) + _columns_of_values([kind for kind in kinds if kind != "points"])

    def make(function: Callable[..., Any]) -> BackupRule:
        return BackupRule(
            name or function.__name__,
            compiled(function),
            source,
            parameters,
            all_columns,
            tuple(fields),
            init_children,
            kinds,
            counts_results,
        )

    return make


def rules_in(module: ModuleType, kind: type[Rule]) -> dict[str, Rule]:
    """Return the rules of one kind that a module has, by name."""
    return {value.name: value for value in vars(module).values() if isinstance(value, kind)}


class RegisteredRules(Mapping[str, Rule], Generic[Rule]):
    """The built-in rules of one kind by name; a rule's module is imported on its first use."""

    def __init__(self, kind: type[Rule], package: str, modules: Mapping[str, str]) -> None:
        """Find rules by the name of their module in a package."""
        self._kind: type[Rule] = kind
        self._package = package
        self._modules = modules

    def __getitem__(self, name: str) -> Rule:
        module = importlib.import_module(f"{self._package}.{self._modules[name]}")
        return rules_in(module, self._kind)[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __len__(self) -> int:
        return len(self._modules)
