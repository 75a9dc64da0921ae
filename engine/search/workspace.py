"""What a search needs in a thread's workspace: one record, to which the domain adds the fields of its own."""

from collections.abc import Sequence
from typing import Any

from miai.engine.jit import compiled

_NUMBERS = {"selection": range(4), "backup": range(4, 8)}
"""The numbers of the fields that the rules of a search may ask for. The record is the same whatever rules are used, so
that functions which only pass it on are compiled once for all of them."""
_NUM_NUMBERS = 8


def field_numbers(part: str, names: Sequence[str]) -> tuple[int, ...]:
    """Return the numbers of the fields of a `selection` or `backup` rule, to be constants of compiled code.

    Raises:
        ValueError: if two have the same name, or there are more than a rule may have.
    """
    numbers = _NUMBERS[part]
    if len(names) > len(numbers) or len(set(names)) < len(names):
        raise ValueError(
            f"workspace fields {', '.join(names)} are not allowed (allowed: {len(numbers)} different names)"
        )
    return tuple(numbers[: len(names)])


@compiled
def field(workspace, number, kind):
    """Return a rule's field by its number, an array of `kind`, such as `np.float64`, with an item a candidate.

    `kind` has eight bytes or fewer. What is written stays until the rule is called again.
    """
    rows = workspace.rule_fields
    return rows[number].view(kind)[: rows.shape[1]]


def workspace_fields(max_candidates: int, max_depth: int, max_trace: int) -> list[tuple[Any, ...]]:
    """Return the fields of the record that every search needs, whatever the domain."""
    return [
        ("stream", "u8", (2,)),  # random numbers
        ("result", "f8"),  # of the simulation, while it is backed up; see `BackupRule`
        ("is_leaf", "u1"),  # whether the node that is backed up to is the one where the simulation left the tree
        ("score", "f4"),  # final score of the simulation in points, from the view of the player to move at the leaf
        ("point_scale", "f4"),  # greatest score there is, see `ValueKind`
        ("num_points", "f4"),  # of the board
        ("planned", "i8"),  # simulations that this search will do; 0 = not known
        ("policy", "f8", (max_candidates,)),  # see `SelectionRule.policy`
        ("rule_fields", "f8", (_NUM_NUMBERS, max_candidates)),  # by number; see `field`
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
    ]
