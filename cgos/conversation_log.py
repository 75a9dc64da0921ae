"""What was said between server and client, kept in files of bounded size; the password is never among it."""

import logging
import logging.handlers
import time
from pathlib import Path

from miai.engine.log import log

_MAX_BYTES = 10 << 20
_NUM_OLD_FILES = 5


class _QuietHandler(logging.handlers.RotatingFileHandler):
    """A full disk does not end a game."""

    def handleError(self, record: logging.LogRecord) -> None:
        """Do without the line."""


class ConversationLog:
    """A log file, and stderr for what people want to know at once."""

    def __init__(self, path: Path, password: str) -> None:
        """Open the log.

        Raises:
            OSError: if it cannot be written.
        """
        self._password = password
        self._handler = _QuietHandler(path, maxBytes=_MAX_BYTES, backupCount=_NUM_OLD_FILES, encoding="utf-8")
        formatter = logging.Formatter("%(asctime)sZ %(message)s", "%Y-%m-%dT%H:%M:%S")
        formatter.converter = time.gmtime
        self._handler.setFormatter(formatter)

    def heard(self, line: str) -> None:
        """Keep a line of the server's."""
        self._write(f"< {line}")

    def said(self, line: str) -> None:
        """Keep a line of ours."""
        self._write(f"> {line}")

    def note(self, text: str) -> None:
        """Keep what happened."""
        self._write(f"# {text}")

    def tell(self, text: str) -> None:
        """Keep what happened, and tell people."""
        self.note(text)
        log(self._without_password(text))

    def close(self) -> None:
        """Close the file."""
        self._handler.close()

    def _write(self, text: str) -> None:
        self._handler.handle(logging.makeLogRecord({"msg": self._without_password(text)}))

    def _without_password(self, text: str) -> str:
        return text.replace(self._password, "…")
