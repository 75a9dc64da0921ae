"""Answers that took long, kept in a file, so that nothing is asked twice."""

import json
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

_BEGINNING = b'["'
"""Of a line."""


class AnswerFileError(Exception):
    """A file that cannot be read or written, or holds something else; the text tells why."""


class AnswerFile:
    """Answers by their questions, a line of JSON each; a line that a kill cut short is dropped."""

    def __init__(self, path: Path | None) -> None:
        """Read what an earlier run has kept.

        Args:
            path: None = keep nothing.

        Raises:
            AnswerFileError: if it cannot be read or holds something else.
        """
        self._path = path
        self._answers: dict[str, Any] = {}
        self._lock = threading.Lock()
        if path is None or not path.exists():
            return
        try:
            content = path.read_bytes()
            length = content.rfind(b"\n") + 1
            self._answers = {
                str(question): answer for question, answer in map(json.loads, content[:length].splitlines())
            }
            if not _BEGINNING.startswith(rest := content[length:]) and not rest.startswith(_BEGINNING):
                raise ValueError(f"{rest[:20]!r} begins no answer")
            if rest:
                os.truncate(path, length)
        except OSError as error:
            raise AnswerFileError(f"cannot read {path}: {error.strerror}") from None
        except (ValueError, TypeError):
            raise AnswerFileError(f"{path} holds no answers of an earlier run") from None

    def ask(self, question: str, answer: Callable[[], Any]) -> Any:
        """Return the answer to a question: the one that is kept, or a new one, which is kept then.

        Raises:
            AnswerFileError: if the file cannot be written.
        """
        if question not in self._answers:
            found = answer()
            with self._lock:
                self._answers[question] = found
                self._write(json.dumps([question, found]) + "\n")
        return self._answers[question]

    def _write(self, line: str) -> None:
        if self._path is None:
            return
        try:
            with open(self._path, "a", encoding="utf-8") as lines:
                lines.write(line)
        except OSError as error:
            raise AnswerFileError(f"cannot write to {self._path}: {error.strerror}") from None
