"""Tokens and weights of KataGo's network files, read one after the other; see `miai.nets.katago.model_file`.

Nothing in a file is believed: what is read is held only as far as it was asked for, and a gzip stream that grows as
weights never do is refused.
"""

import math
import re
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import numpy as np

MAX_CHANNELS = 4096
"""The most that a count in a file may be."""
_MAX_PARAMETERS = 1_000_000_000
_MAX_TOKEN = 200
_MAX_BLANKS = 1 << 16
_CHUNK = 1 << 20
_GZIP = b"\x1f\x8b"
_MAX_GROWTH = 20
"""Times that a gzip stream may grow; weights hardly can."""
_FREE_GROWTH = 1 << 22
"""Bytes from which on that holds."""
_BINARY = b"@BIN@"
_TOKEN = re.compile(rb"[^ \t\r\n\v\f]+")
_BLANKS = re.compile(rb"[ \t\r\n\v\f]*")
_INTEGER = re.compile(r"[+-]?[0-9]+")
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")


class ModelFileError(ValueError):
    """A file that is no network of KataGo's, or one that cannot be read; the text says what is wrong, in one line."""


@contextmanager
def open_reader(path: Path) -> Iterator["FileReader"]:
    """Open a file, zipped or not.

    Raises:
        OSError: if it cannot be read.
    """
    with path.open("rb") as file:
        is_zipped = file.read(2) == _GZIP
        file.seek(0)
        yield FileReader(_unzipped(file) if is_zipped else _chunks(file))


def _chunks(file: BinaryIO) -> Iterator[bytes]:
    while chunk := file.read(_CHUNK):
        yield chunk


def _unzipped(file: BinaryIO) -> Iterator[bytes]:
    unzip = zlib.decompressobj(31)
    num_read, num_given = 0, 0
    try:
        for chunk in _chunks(file):
            num_read += len(chunk)
            while chunk:
                if unzip.eof:
                    raise ModelFileError("something follows the end of the gzip stream")
                given = unzip.decompress(chunk, _CHUNK)
                num_given += len(given)
                if num_given > max(_FREE_GROWTH, _MAX_GROWTH * num_read):
                    raise ModelFileError(f"the gzip stream grows more than {_MAX_GROWTH} times: these are no weights")
                yield given
                chunk = unzip.unconsumed_tail or unzip.unused_data
    except zlib.error:
        raise ModelFileError("the gzip stream is damaged") from None
    if not unzip.eof:
        raise ModelFileError("the gzip stream is cut short")


class FileReader:
    """Reads one file from its beginning to its end; every method but `fail` raises ModelFileError."""

    def __init__(self, chunks: Iterator[bytes]) -> None:
        self._chunks = chunks
        self._buffer = b""
        self._at = 0
        self.num_parameters = 0
        """Weights up to now."""
        self.context = "network"
        """What is being read, for messages."""

    def fail(self, problem: str) -> ModelFileError:
        """Return the error that says so."""
        return ModelFileError(f"{self.context}: {problem}")

    def _more(self) -> bool:
        chunk = next(self._chunks, None)
        if chunk is None:
            return False
        self._buffer = self._buffer[self._at :] + chunk
        self._at = 0
        return True

    def _skip_blanks(self) -> None:
        num_blanks = 0
        while True:
            found = _BLANKS.match(self._buffer, self._at)
            assert found is not None  # matches nothing, too
            num_blanks += found.end() - self._at
            self._at = found.end()
            if num_blanks > _MAX_BLANKS:
                raise self.fail(f"more than {_MAX_BLANKS} blanks in turn")
            if self._at < len(self._buffer) or not self._more():
                return

    def _starts_with(self, text: bytes) -> bool:
        while len(self._buffer) - self._at < len(text) and self._more():
            pass
        return self._buffer.startswith(text, self._at)

    def token(self, what: str) -> str:
        """Return the next token."""
        self._skip_blanks()
        while True:
            found = _TOKEN.match(self._buffer, self._at)
            if found is None:
                raise self.fail(f"the file ends before its {what}")
            length = found.end() - self._at
            if length > _MAX_TOKEN or found.end() < len(self._buffer) or not self._more():
                break
        token = self._buffer[self._at : self._at + length]
        if length > _MAX_TOKEN or not (token.isascii() and token.decode("ascii").isprintable()):
            raise self.fail(f"no text where its {what} should be")
        self._at += length
        return token.decode("ascii")

    def name(self) -> str:
        """Return the name of a layer, which messages show from here on."""
        self.context = self.token("name")
        return self.context

    def integer(self, what: str, allowed: range) -> int:
        """Return an integer of a range."""
        token = self.token(what)
        if not _INTEGER.fullmatch(token):
            raise self.fail(f"{what} is {token!r}, not an integer")
        value = int(token)
        if value not in allowed:
            raise self.fail(f"{what} is {value} (allowed: {allowed[0]} to {allowed[-1]})")
        return value

    def count(self, what: str) -> int:
        """Return a number of channels."""
        return self.integer(what, range(1, MAX_CHANNELS + 1))

    def flag(self, what: str) -> bool:
        """Return a truth value."""
        return bool(self.integer(what, range(2)))

    def unused(self, number: int) -> None:
        """Read spare fields, which no known network uses."""
        for _ in range(number):
            if (token := self.token("spare field")) != "0":
                raise self.fail(f"a spare field is {token}: of a newer KataGo than is known here")

    def positive(self, what: str, most: float = math.inf) -> float:
        """Return a positive number."""
        token = self.token(what)
        with np.errstate(over="ignore", under="ignore"):
            value = np.float32(token if _NUMBER.fullmatch(token) else 0.0)
        if not (0 < value <= most and np.isfinite(value)):
            least = "" if most == math.inf else f" of at most {most:g}"
            raise self.fail(f"{what} is {token}, not a positive number{least}")
        return float(value)

    def weights(self, *shape: int) -> np.ndarray:
        """Return weights of a shape, float32."""
        number = math.prod(shape)
        self.num_parameters += number
        if self.num_parameters > _MAX_PARAMETERS:
            raise self.fail(f"more than {_MAX_PARAMETERS} weights")
        self._skip_blanks()
        values = self._binary_weights(number) if self._starts_with(_BINARY) else self._text_weights(number)
        if not np.isfinite(values).all():
            raise self.fail("a weight is no finite number")
        return values.reshape(shape)

    def _binary_weights(self, number: int) -> np.ndarray:
        self._at += len(_BINARY)
        parts, missing = [], 4 * number
        while missing:
            part = self._buffer[self._at : self._at + missing]
            self._at += len(part)
            parts.append(part)
            missing -= len(part)
            if missing and not self._more():
                raise self.fail("the file ends within its weights")
        return np.frombuffer(b"".join(parts), dtype="<f4").astype(np.float32)

    def _text_weights(self, number: int) -> np.ndarray:
        parts, missing = [], number
        while missing:
            values = [self._text_weight() for _ in range(min(missing, _CHUNK >> 4))]
            with np.errstate(over="ignore"):
                parts.append(np.array(values, dtype=np.float32))
            missing -= len(values)
        return np.concatenate(parts)

    def _text_weight(self) -> float:
        token = self.token("weight")
        if not _NUMBER.fullmatch(token):
            raise self.fail(f"{token!r} is no weight")
        return float(token)

    def end(self) -> None:
        """Check that nothing follows."""
        self._skip_blanks()
        if self._at < len(self._buffer):
            raise ModelFileError("something follows its last weight")

    def check(self, what: str, found: int, needed: int) -> None:
        """Check a number of channels that another layer has decided."""
        if found != needed:
            raise self.fail(f"{found} {what}, where {needed} are needed")
