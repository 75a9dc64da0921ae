"""Options that are declared once: as fields of a frozen dataclass that say what they may be and what they mean.

    @dataclass(frozen=True)
    class BoardOptions:
        size: Annotated[int, Integer(2, 19), "Board size."] = 9

        def __post_init__(self) -> None:
            check_fields(self)

Flags with their `--help`, config files, error messages and docs/reference/options.md follow from such declarations. A
meaning is one sentence in Markdown; it names other options as flags.
"""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from miai.players.option_kinds import OptionError, OptionKind, read_toml, unknown_name


@dataclass(frozen=True)
class OptionField:
    """An option."""

    name: str
    """With underscores, as in Python and in config files."""
    kind: OptionKind
    """What it may be."""
    meaning: str
    """One sentence."""
    default: Any

    @property
    def flag(self) -> str:
        """Its flag on the command line."""
        return f"--{self.name.replace('_', '-')}"

    def read(self, value: Any) -> Any:
        """Return the option's value from text or a TOML value.

        Raises:
            OptionError: naming the option, the wrong value and the allowed ones.
        """
        try:
            return self.kind.read(value)
        except OptionError as error:
            raise OptionError(f"{self.name.replace('_', '-')}: {error}") from None


def fields_of(options: type) -> Mapping[str, OptionField]:
    """Return the fields of a dataclass by name, each annotated as `Annotated[type, kind, "Meaning."]`."""
    found = {}
    for field in dataclasses.fields(options):
        kind, meaning = getattr(field.type, "__metadata__")  # noqa: B009 – mypy knows no such attribute
        default = field.default if field.default_factory is dataclasses.MISSING else field.default_factory()
        found[field.name] = OptionField(field.name, kind, meaning, default)
    return MappingProxyType(found)


def check_fields(options: object) -> None:
    """Replace the values of a frozen dataclass's fields by those that their kinds read.

    Raises:
        OptionError: if one is not allowed.
    """
    for name, field in fields_of(type(options)).items():
        object.__setattr__(options, name, field.read(getattr(options, name)))


def read_option_file(path: Path, fields: Mapping[str, OptionField], what: str) -> dict[str, Any]:
    """Return the values in a TOML file of options, each called a `what` in errors; they are checked, but not changed.

    Raises:
        OptionError: if the file cannot be read, or a name or value is wrong; says which and what is allowed.
    """
    values = read_toml(path)
    for name, value in values.items():
        try:
            if name not in fields:
                raise unknown_name(name, fields, what)
            fields[name].read(value)
        except OptionError as error:
            raise OptionError(f"{path}: {error}") from None
    return values
