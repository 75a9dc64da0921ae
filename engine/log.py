"""Messages for people who look at stderr."""

import sys


def log(text: str) -> None:
    """Write to stderr; if nobody reads that any more, nothing happens."""
    try:
        print(text, file=sys.stderr, flush=True)
    except (OSError, ValueError):
        pass
