"""Names of rules: one of ours, or `FILE.py:NAME` for one in a user's file (no numba)."""


def is_own(name: str) -> bool:
    """Tell whether the name of a rule is one in a user's file."""
    return ".py:" in name
