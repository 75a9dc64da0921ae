"""Ctrl-C and SIGTERM."""

import contextlib
import signal
from collections.abc import Callable, Iterator


@contextlib.contextmanager
def answer_interrupts(answer: Callable[[], object]) -> Iterator[None]:
    """Let a function answer Ctrl-C and SIGTERM, in the main thread."""

    def handle(*_: object) -> None:
        answer()

    before = {number: signal.signal(number, handle) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
