"""Event files for TensorBoard, if that is installed."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any


class EventLog:
    """Writes numbers by step; what cannot be written is reported once, and then no more is."""

    def __init__(self, folder: Path, step: int, report: Callable[[str], None]) -> None:
        """Begin a file in `folder`; what earlier ones say of `step` and later no longer counts."""
        self._report = report
        try:
            from torch.utils.tensorboard import SummaryWriter
        except ImportError:
            self._writer: Any = None
            return
        self._writer = self._try(lambda: SummaryWriter(str(folder), purge_step=step))

    def add(self, step: int, group: str, values: Mapping[str, float]) -> None:
        """Write values under `group/name`."""
        writer = self._writer
        if writer is not None:
            self._try(lambda: [writer.add_scalar(f"{group}/{name}", value, step) for name, value in values.items()])

    def close(self) -> None:
        """Write what is left."""
        if self._writer is not None:
            self._try(self._writer.close)

    def _try(self, write: Callable[[], Any]) -> Any:
        try:
            return write()
        except OSError as error:
            self._report(f"no more event files for TensorBoard: {error.strerror or error}")
            self._writer = None
            return None
