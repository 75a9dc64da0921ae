"""What a value in a client's message may be: each kind reads a JSON value and says what is allowed."""

import base64
import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

_SHOWN = 40
"""Characters of a wrong value that an error repeats."""


class MessageError(ValueError):
    """A client's message that is refused; the text names what was wrong and what is allowed."""


class Kind(Protocol):
    """The values that a field may have."""

    @property
    def allowed(self) -> str:
        """The allowed values in words."""

    def read(self, value: Any) -> Any:
        """Return the value.

        Raises:
            MessageError: if it is not allowed.
        """


def _refuse(kind: Kind, value: Any) -> MessageError:
    return MessageError(f"{repr(value)[:_SHOWN]} is not allowed (allowed: {kind.allowed})")


@dataclass(frozen=True)
class Flag:
    """True or false."""

    allowed: str = "true, false"

    def read(self, value: Any) -> bool:
        if not isinstance(value, bool):
            raise _refuse(self, value)
        return value


@dataclass(frozen=True)
class Whole:
    """A whole number in a range."""

    lowest: int
    highest: int

    @property
    def allowed(self) -> str:
        return f"a whole number from {self.lowest} to {self.highest}"

    def read(self, value: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not self.lowest <= value <= self.highest:
            raise _refuse(self, value)
        return value


@dataclass(frozen=True)
class Number:
    """A finite number in a range."""

    lowest: float
    highest: float

    @property
    def allowed(self) -> str:
        return f"a number from {self.lowest:g} to {self.highest:g}"

    def read(self, value: Any) -> float:
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise _refuse(self, value)
        if not self.lowest <= value <= self.highest or not math.isfinite(value):
            raise _refuse(self, value)
        return float(value)


@dataclass(frozen=True)
class Text:
    """A text of limited length."""

    longest: int

    @property
    def allowed(self) -> str:
        return f"a text of at most {self.longest} characters"

    def read(self, value: Any) -> str:
        if not isinstance(value, str) or len(value) > self.longest:
            raise _refuse(self, value)
        try:
            value.encode()
        except UnicodeEncodeError:
            raise MessageError("a text has half a character (allowed: Unicode)") from None
        return value


@dataclass(frozen=True)
class File:
    """A file's content in base64, of limited length; it stays encoded, as messages go on as JSON."""

    longest: int

    @property
    def allowed(self) -> str:
        return f"at most {self.longest} bytes in base64"

    def read(self, value: Any) -> str:
        try:
            if isinstance(value, str) and len(base64.b64decode(value, validate=True)) <= self.longest:
                return value
        except ValueError:
            pass
        raise _refuse(self, value)


@dataclass(frozen=True)
class Choice:
    """One of a few names."""

    names: Collection[str]

    @property
    def allowed(self) -> str:
        return ", ".join(self.names)

    def read(self, value: Any) -> str:
        if not isinstance(value, str) or value not in self.names:
            raise _refuse(self, value)
        return value


@dataclass(frozen=True)
class Listing:
    """A list of limited length."""

    kind: Kind
    longest: int
    shortest: int = 0

    @property
    def allowed(self) -> str:
        return f"a list of {self.shortest} to {self.longest}: {self.kind.allowed}"

    def read(self, value: Any) -> list[Any]:
        if not isinstance(value, list) or not self.shortest <= len(value) <= self.longest:
            raise _refuse(self, value)
        return [self.kind.read(one) for one in value]


@dataclass(frozen=True)
class Optional:
    """A value or null."""

    kind: Kind

    @property
    def allowed(self) -> str:
        return f"{self.kind.allowed}, or null"

    def read(self, value: Any) -> Any:
        return None if value is None else self.kind.read(value)


@dataclass(frozen=True)
class FieldTable:
    """An object with named fields; one that has a default may be left out."""

    fields: Mapping[str, Kind]
    defaults: Mapping[str, Any]

    @property
    def allowed(self) -> str:
        return f"an object with {', '.join(self.fields) or 'no fields'}"

    def read(self, value: Any) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise _refuse(self, value)
        for name in value:
            if name not in self.fields:
                raise MessageError(f"there is no field {name[:_SHOWN]!r} (allowed: {', '.join(self.fields) or 'none'})")
        found = {}
        for name, kind in self.fields.items():
            if name in value:
                try:
                    found[name] = kind.read(value[name])
                except MessageError as error:
                    raise MessageError(f"{name}: {error}") from None
            elif name in self.defaults:
                found[name] = self.defaults[name]
            else:
                raise MessageError(f"the field {name!r} is missing (allowed: {kind.allowed})")
        return found


def table(fields: Mapping[str, Kind], **defaults: Any) -> FieldTable:
    """Return a kind of object; the fields named by keyword may be left out."""
    return FieldTable(fields, defaults)
