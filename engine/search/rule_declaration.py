"""What a selection and a backup rule are, and where they are found by name."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from miai.engine.jit import compiled

Compiled = Callable[..., Any]

ValueKind = Literal["probability", "points", "wdl"]
"""What the values of nodes are.

* probability: expected results, 0 to 1.
* points: expected final scores, kept as `0.5 + score/(2·work.point_scale)`, so that they lie between 0 and 1 and the
  other player's value is one minus it in either kind.
* wdl: chances of win, draw and loss, in columns of their own; the value is that of the expected result.
"""


@compiled
def leave_children(tree, first, count, work):
    """Prepare nothing: for rules and domains without columns."""


@compiled
def learn_nothing(tree, work, depth, result):
    """Learn nothing beyond the backup."""


@compiled
def begin_plainly(tree, work, params):
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
    """`select(tree, node, params, work) -> child`; `work.stream` is a random stream."""
    defaults: NamedTuple
    """Parameters with their default values, a NamedTuple of floats and ints."""
    parameters: tuple[Parameter, ...]
    """What each field of `defaults` means and may be."""
    source: str
    """Paper and equation."""
    columns: tuple[str, ...] = ()
    """The `tree.RULE_COLUMNS` it needs."""
    prepare: Compiled = leave_children
    """`prepare(tree, first, count, work)`: write those of new children from `work.candidate_…`."""
    learn: Compiled = learn_nothing
    """`learn(tree, work, depth, result)`: called after each simulation; see `miai.engine.search.simulate`."""
    begin: Compiled = begin_plainly
    """`begin(tree, work, params)`: called when a search begins, at a root that may have children already."""
    kind: ValueKind = "probability"
    """What it takes the values of nodes for."""
    shares: Compiled | None = None
    """`shares(tree, node, params, work)`: write to `work.share` which share of the visits each child should have."""
    ties_by_share: bool = False
    """Whether of two root moves with equal visits the one of greater share is played, not that of greater value."""


@dataclass(frozen=True)
class BackupRule:
    """How a node's value follows from below."""

    name: str
    backup: Compiled
    """`backup(tree, node, work, params) -> value`: the node's new value, from the view of its parent's player, as is
    `work.result`, the result of the simulation; a rule may change that for the nodes further up."""
    defaults: NamedTuple
    parameters: tuple[Parameter, ...]
    source: str
    columns: tuple[str, ...] = ()
    """The `tree.RULE_COLUMNS` it needs."""
    prepare: Compiled = leave_children
    """`prepare(tree, first, count, work)`: write those of new children."""
    kinds: tuple[ValueKind, ...] = ("probability", "points")
    """What the values may be; those with `wdl` need a domain that lists outcomes."""


def parameters_with(defaults: Any, values: dict[str, float]) -> Any:
    """Return `defaults` with some fields replaced, each converted to the type it had."""
    return defaults._replace(**{name: type(getattr(defaults, name))(value) for name, value in values.items()})


def work_fields(max_candidates: int, max_depth: int, max_trace: int) -> list[tuple[Any, ...]]:
    """Return the fields that the search needs in a thread's working space, whatever the domain.

    The working space is one record; the domain adds the fields of its own.
    """
    return [
        ("stream", "u8", (2,)),  # random numbers
        ("result", "f8"),  # of the simulation, while it is backed up; see `BackupRule`
        ("is_leaf", "u1"),  # whether the node that is backed up to is the one where the simulation left the tree
        ("score", "f4"),  # final score of the simulation in points, from the view of the player to move at the leaf
        ("point_scale", "f4"),  # greatest score there is, see `ValueKind`
        ("num_points", "f4"),  # of the board
        ("planned", "i8"),  # simulations that this search will do; 0 = not known
        ("share", "f8", (max_candidates,)),  # see `SelectionRule.shares`
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
