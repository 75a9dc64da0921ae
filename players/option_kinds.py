"""What an option's value may be: each kind reads text or TOML values and says what is allowed."""

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from miai.engine.search.rule_names import is_own

MAX_TOML_BYTES = 16 << 10
"""Larger TOML files are refused: tomllib takes a second for a key that long."""
_MAX_LEVELS = 20
_TOO_DEEP = f"tables and lists are nested too deep (allowed: {_MAX_LEVELS} levels)"
_MAX_BITS = 1000
_TOO_LONG = "a number has too many digits"


class OptionError(ValueError):
    """A wrong option: the message names what was wrong and what is allowed."""


class OptionKind(Protocol):
    """The values an option may take."""

    @property
    def metavar(self) -> str:
        """The placeholder in `--help`."""

    @property
    def allowed(self) -> str:
        """The allowed values in words."""

    def read(self, value: Any) -> Any:
        """Return the option's value from text or from a TOML value.

        Raises:
            OptionError: if the value is not allowed.
        """


def name_list(names: Collection[str]) -> str:
    """Return names as one text: `uct, rave, puct`."""
    return ", ".join(names)


def suggest(wrong: str, names: Collection[str]) -> str:
    """Return ` – did you mean 'fuego'?` if a name is close to `wrong`, else nothing."""
    import difflib

    near = difflib.get_close_matches(wrong, names, n=1)
    return f" – did you mean {near[0]!r}?" if near else ""


def unknown_name(wrong: str, names: Collection[str], what: str) -> OptionError:
    """Return the error for a `what` called `wrong`, which is not among `names`."""
    return OptionError(f"there is no {what} {wrong[:40]!r}{suggest(wrong, names)} (allowed: {name_list(names)})")


def read_toml(path: Path) -> dict[str, Any]:
    """Return the values of a TOML file.

    Raises:
        OptionError: if it cannot be read, is too large or is none.
    """
    import tomllib

    try:
        with path.open("rb") as file:
            content = file.read(MAX_TOML_BYTES + 1)
    except OSError as error:
        raise OptionError(f"cannot read {path}: {error.strerror}") from None
    if len(content) > MAX_TOML_BYTES:
        raise OptionError(f"{path} is too large (allowed: {MAX_TOML_BYTES} bytes)")
    try:
        values = tomllib.loads(content.decode())
    except UnicodeDecodeError:
        raise OptionError(f"{path} is not UTF-8 text") from None
    except tomllib.TOMLDecodeError as error:
        raise OptionError(f"{path} is not valid TOML: {error}") from None
    except RecursionError:
        raise OptionError(f"{path}: {_TOO_DEEP}") from None
    except ValueError:  # of Python's limit for the digits of a number
        raise OptionError(f"{path}: {_TOO_LONG}") from None
    _check_values(path, values)
    return values


def _check_values(path: Path, values: dict[str, Any]) -> None:
    """Refuse what cannot even be shown in an error."""
    level: list[Any] = [values]
    for _ in range(_MAX_LEVELS):
        inner = [item for one in level for item in (one.values() if isinstance(one, dict) else one)]
        if any(isinstance(item, int) and item.bit_length() > _MAX_BITS for item in inner):
            raise OptionError(f"{path}: {_TOO_LONG}")
        level = [item for item in inner if isinstance(item, (dict, list))]
    if level:
        raise OptionError(f"{path}: {_TOO_DEEP}")


@dataclass(frozen=True)
class NameChoice:
    """One of a few names; with `optional` also `none`."""

    names: tuple[str, ...]
    optional: bool = False
    metavar: str = "NAME"

    @property
    def allowed(self) -> str:
        return name_list(self.names) + (", or none" if self.optional else "")

    def read(self, value: Any) -> str | None:
        if self.optional and _is_none(value):
            return None
        if isinstance(value, str) and value in self.names:
            return value
        text = str(value)
        raise OptionError(f"{text[:40]!r} is not allowed{suggest(text, self.names)} (allowed: {self.allowed})")


@dataclass(frozen=True)
class Switch:
    """On or off, a truth value in TOML."""

    metavar: str = "on|off"
    allowed: str = "on, off"

    def read(self, value: Any) -> bool:
        words = {"on": True, "true": True, "off": False, "false": False}
        if isinstance(value, bool):
            return value
        if isinstance(value, str) and value.lower() in words:
            return words[value.lower()]
        raise OptionError(f"{str(value)[:40]!r} is not allowed (allowed: {self.allowed})")


@dataclass(frozen=True)
class FileName:
    """The name of a file, or one of a few names."""

    names: tuple[str, ...]
    metavar: str = "NAME|FILE"

    @property
    def allowed(self) -> str:
        return f"{name_list(self.names)}, or a file name"

    def read(self, value: Any) -> str:
        if isinstance(value, str) and value:
            return value
        raise OptionError(f"{str(value)[:40]!r} is not allowed (allowed: {self.allowed})")


@dataclass(frozen=True)
class FolderName:
    """The name of a folder, or nothing; whether it is there is found out when it is read."""

    metavar: str = "FOLDER"
    allowed: str = "a folder"

    def read(self, value: Any) -> str:
        if isinstance(value, str):
            return value
        raise OptionError(f"{str(value)[:40]!r} is not allowed (allowed: {self.allowed})")


@dataclass(frozen=True)
class RuleName:
    """One of a few names, or a rule in a user's file."""

    names: tuple[str, ...]
    metavar: str = "RULE"

    @property
    def allowed(self) -> str:
        return f"{name_list(self.names)}, or FILE.py:NAME"

    def read(self, value: Any) -> str:
        if isinstance(value, str) and (value in self.names or is_own(value)):
            return value
        text = str(value)
        raise OptionError(f"{text[:40]!r} is not allowed{suggest(text, self.names)} (allowed: {self.allowed})")


@dataclass(frozen=True)
class Integer:
    """A whole number in a range; with `optional` also `none`."""

    lowest: int
    highest: int
    optional: bool = False
    metavar: str = "N"

    @property
    def allowed(self) -> str:
        return f"a whole number from {self.lowest} to {self.highest}" + (", or none" if self.optional else "")

    def read(self, value: Any) -> int | None:
        if self.optional and _is_none(value):
            return None
        number = _read_integer(value)
        if number is None or not self.lowest <= number <= self.highest:
            raise OptionError(f"{str(value)[:40]!r} is not allowed (allowed: {self.allowed})")
        return number


@dataclass(frozen=True)
class Real:
    """A finite number in a range; with `optional` also `none`."""

    lowest: float = -math.inf
    highest: float = math.inf
    optional: bool = False
    metavar: str = "X"

    @property
    def allowed(self) -> str:
        words = "a number" if math.isinf(self.lowest) else f"a number from {self.lowest:g} to {self.highest:g}"
        return words + (", or none" if self.optional else "")

    def read(self, value: Any) -> float | None:
        if self.optional and _is_none(value):
            return None
        number = _read_real(value)
        if number is None or not self.lowest <= number <= self.highest:
            raise OptionError(f"{str(value)[:40]!r} is not allowed (allowed: {self.allowed})")
        return number


ParameterValue = bool | int | float | str


@dataclass(frozen=True)
class ParameterTable:
    """Search parameters by their dotted names, as `{"rave.equivalence": 1000.0}`; the search knows which there are."""

    metavar: str = "NAME=VALUE"
    allowed: str = "a table of names and values"

    def read(self, value: Any) -> dict[str, ParameterValue]:
        if not isinstance(value, Mapping):
            raise OptionError(f"{str(value)[:40]!r} is not allowed (allowed: {self.allowed})")
        return dict(_flatten(value, ""))


def _flatten(table: Mapping[str, Any], prefix: str) -> Iterator[tuple[str, ParameterValue]]:
    for name, item in table.items():
        if isinstance(item, Mapping):
            yield from _flatten(item, f"{prefix}{name}.")
        elif isinstance(item, (bool, int, float, str)):
            yield f"{prefix}{name}", item
        else:
            raise OptionError(f"{prefix}{name} is neither a number, a string nor a truth value")


@dataclass(frozen=True)
class PairOf:
    """Two values of one kind: a sequence, or a text with a space between them."""

    kind: OptionKind
    metavar: str

    @property
    def allowed(self) -> str:
        return f"{self.kind.allowed}, each"

    def read(self, value: Any) -> tuple[Any, Any]:
        items = value.split() if isinstance(value, str) else value
        if not isinstance(items, Sequence) or len(items) != 2:
            raise OptionError(f"{str(value)[:40]!r} is not allowed (allowed: {self.allowed})")
        return self.kind.read(items[0]), self.kind.read(items[1])


def _is_none(value: Any) -> bool:
    return value is None or (isinstance(value, str) and value.lower() == "none")


def _read_integer(value: Any) -> int | None:
    if isinstance(value, bool) or not isinstance(value, (int, str)):
        return None
    if isinstance(value, str) and len(value) > 30:
        return None
    try:
        return int(value)
    except ValueError:
        return None


def _read_real(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None
