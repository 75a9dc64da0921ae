"""Signals that end a training after its step, with a checkpoint."""

import contextlib
import signal
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from miai.selfplay.training.trainer import Trainer


@contextlib.contextmanager
def stop_at_signals(trainer: "Trainer") -> Iterator[list[int]]:
    """Let Ctrl-C and SIGTERM stop the trainer after the step that it is at; yield a list that the signals join."""
    received: list[int] = []

    def stop(number: int, _: object) -> None:
        received.append(number)
        trainer.stop()

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield received
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
