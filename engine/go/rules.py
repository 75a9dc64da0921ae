"""The rules a game is played by, apart from its size and komi. Counting is always by area (Tromp-Taylor)."""

from dataclasses import dataclass, field, replace

POSITIONAL = "positional"
"""No earlier whole-board position may recur by placing a stone; passes are always allowed."""
SIMPLE = "none"
"""Only the stone just taken in a ko may not be retaken at once: no superko."""


@dataclass(frozen=True)
class Rules:
    """What a move may not do."""

    superko: str = POSITIONAL
    """`positional` or `none` (simple ko only)."""
    suicide: bool = False
    """Whether a move may take its own block off the board."""
    removes_dead: bool = field(default=False, compare=False)
    """Whether the players agree on dead stones after two passes and take them off before counting; else all live.

    No part of what a move may not do, so rules that differ in this alone are equal.
    """

    def __post_init__(self) -> None:
        if self.superko not in (POSITIONAL, SIMPLE):
            raise ValueError(f"unknown superko {self.superko!r}: allowed are {POSITIONAL!r} and {SIMPLE!r}")

    @property
    def has_superko(self) -> bool:
        """Whether positional superko applies."""
        return self.superko == POSITIONAL


RULES: dict[str, Rules] = {
    "tromp-taylor": Rules(superko=POSITIONAL, suicide=False),
    "cgos": Rules(superko=POSITIONAL, suicide=False),
    "chinese": Rules(superko=SIMPLE, suicide=False, removes_dead=True),
}
"""The rules by name. `tromp-taylor` forbids suicide, as computer Go does (the original rules allow it)."""


def count_all_stones(rules: Rules) -> Rules:
    """Return the same rules, by which every stone on the board lives and two passes end the game."""
    return replace(rules, removes_dead=False)
