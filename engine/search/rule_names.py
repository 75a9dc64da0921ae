"""What everybody must know of rules from users' files, named `FILE.py:NAME` (no numba)."""


def is_own(name: str) -> bool:
    """Tell whether the name of a rule is one in a user's file."""
    return ".py:" in name


class RuleFailure(Exception):
    """A rule from a user's file failed during a search: the message says where and why."""
