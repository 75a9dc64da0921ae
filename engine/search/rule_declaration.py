"""What a selection and a backup rule are, and where they are found by name."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from miai.engine.jit import compiled

Compiled = Callable[..., Any]

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


class Parameter(NamedTuple):
    """A number that the user may set."""

    name: str
    lowest: float
    highest: float
    meaning: str


class NoParameters(NamedTuple):
    """A rule without parameters."""

    unused: int = 0


@dataclass(frozen=True)
class SelectionRule:
    """How to choose the child to descend into."""

    name: str
    select: Compiled
    """`select(tree, node, params, workspace) -> child`; `workspace.stream` is a random stream."""
    defaults: NamedTuple
    """Parameters with their default values, a NamedTuple of floats and ints."""
    parameters: tuple[Parameter, ...]
    """What each field of `defaults` means and may be."""
    source: str
    """Paper and equation."""
    columns: tuple[str, ...] = ()
    """The `tree.RULE_COLUMNS` it needs."""
    init_children: Compiled = init_no_columns
    """`init_children(tree, first, count, workspace)`: write those of new children from `workspace.candidate_…`."""
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


@dataclass(frozen=True)
class BackupRule:
    """How a node's value follows from below."""

    name: str
    backup: Compiled
    """`backup(tree, node, workspace, params) -> value`: the node's new value, from the view of its parent's player, as
    is `workspace.result`, the result of the simulation; a rule may change that for the nodes further up."""
    defaults: NamedTuple
    parameters: tuple[Parameter, ...]
    source: str
    columns: tuple[str, ...] = ()
    """The `tree.RULE_COLUMNS` it needs."""
    init_children: Compiled = init_no_columns
    """`init_children(tree, first, count, workspace)`: write those of new children."""
    kinds: tuple[ValueKind, ...] = ("probability", "points")
    """What the values may be; those with `wdl` need a domain that lists outcomes."""


def parameters_with(defaults: Any, values: dict[str, float]) -> Any:
    """Return `defaults` with some fields replaced, each converted to the type it had."""
    return defaults._replace(**{name: type(getattr(defaults, name))(value) for name, value in values.items()})


def workspace_fields(max_candidates: int, max_depth: int, max_trace: int) -> list[tuple[Any, ...]]:
    """Return the fields that the search needs in a thread's workspace, whatever the domain.

    The workspace is one record; the domain adds the fields of its own.
    """
    return [
        ("stream", "u8", (2,)),  # random numbers
        ("result", "f8"),  # of the simulation, while it is backed up; see `BackupRule`
        ("is_leaf", "u1"),  # whether the node that is backed up to is the one where the simulation left the tree
        ("score", "f4"),  # final score of the simulation in points, from the view of the player to move at the leaf
        ("point_scale", "f4"),  # greatest score there is, see `ValueKind`
        ("num_points", "f4"),  # of the board
        ("planned", "i8"),  # simulations that this search will do; 0 = not known
        ("policy", "f8", (max_candidates,)),  # see `SelectionRule.policy`
        ("points", "f8", (max_candidates,)),  # see `crazystone`
        ("order", "i2", (max_candidates,)),
        ("num_candidates", "i8"),
        ("candidate_threat", "u1", (max_candidates,)),  # whether the move threatens something: an atari in Go
        ("candidate_win", "f4", (max_candidates,)),  # probabilities for who makes the move; for rules of kind wdl
        ("candidate_loss", "f4", (max_candidates,)),
        ("candidate_weight", "f4", (max_candidates,)),  # how many visits `candidate_value` is worth
        ("candidate_value", "f4", (max_candidates,)),  # expected result of a move before searching it, 0 to 1
        ("candidate_prior", "f4", (max_candidates,)),  # probability
        ("candidate_move", "i2", (max_candidates,)),
        ("path", "i4", (max_depth + 1,)),  # nodes of the simulation, the root first
        ("trace_length", "i8"),
        ("trace", "i2", (max_trace,)),  # moves of the simulation, in the tree and after; the root's player begins
        ("first_player", "i1", (max_candidates,)),  # by move, see `rave`
    ]
