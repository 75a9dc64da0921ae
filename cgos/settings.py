"""What a player on CGOS is: the server, the account, who plays and where the games are kept."""

import os
import re
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from miai.players.option_fields import check_fields, fields_of, read_option_file
from miai.players.option_kinds import Integer, OptionError, Real, Switch, read_toml
from miai.players.options import BoardSize, RulesName

PASSWORD_VARIABLE = "MIAI_CGOS_PASSWORD"
_REQUIRED = ("server", "port", "name")
_MAX_PASSWORD_BYTES = 1024


@dataclass(frozen=True)
class _SettingKind:
    """A text that a pattern matches whole."""

    pattern: str
    allowed: str
    metavar: str = "TEXT"

    def read(self, value: Any) -> str:
        if isinstance(value, str) and re.fullmatch(self.pattern, value, re.ASCII):
            return value
        raise OptionError(f"{str(value)[:40]!r} is not allowed (allowed: {self.allowed})")


@dataclass(frozen=True)
class CgosSettings:
    """A player on CGOS; paths count from the working directory.

    Raises:
        OptionError: if a value is not allowed.
    """

    server: Annotated[str, _SettingKind(r"[A-Za-z0-9.:_-]{1,253}", "a host name or an address"), "The server's host."]
    port: Annotated[int, Integer(1, 65535), "Its port; CGOS has one for each board size."]
    name: Annotated[
        str,
        _SettingKind(r"[A-Za-z][A-Za-z0-9_.-]{2,17}", "3 to 18 letters, digits and _ . -, the first a letter"),
        "The account; the server makes a new one for a name that it does not know.",
    ]
    password_file: Annotated[
        str, _SettingKind(r"[^\0]*", "a file name"), f"File that holds the password; empty = `${PASSWORD_VARIABLE}`."
    ] = ""
    player: Annotated[
        str,
        _SettingKind(r"[^\0\n]+", "a player as for miai match"),
        "Who plays: whatever `miai match` takes as a player.",
    ] = "net"
    folder: Annotated[str, _SettingKind(r"[^\0]+", "a folder"), "Folder of the games and the log."] = "cgos"
    size: BoardSize = 9
    rules: RulesName = "cgos"
    lag: Annotated[
        float, Real(0.0, 60.0), "Seconds of the time left that the engine is not told of: the way to the server."
    ] = 1.0
    analysis: Annotated[bool, Switch(), "Show the server's visitors what the search found."] = True

    def __post_init__(self) -> None:
        check_fields(self)


def read_settings(path: Path) -> CgosSettings:
    """Read a TOML file of settings.

    Raises:
        OptionError: if it cannot be read, lacks something, or names something that is not allowed.
    """
    fields = fields_of(CgosSettings)
    if "password" in read_toml(path):
        raise OptionError(
            f"{path}: a password does not stand in the settings (allowed: password_file, or the environment variable "
            f"{PASSWORD_VARIABLE})"
        )
    values = read_option_file(path, fields, "setting")
    if missing := [name for name in _REQUIRED if name not in values]:
        raise OptionError(f"{path} names no {missing[0]} (needed: {', '.join(_REQUIRED)})")
    return CgosSettings(**values)


def read_password(settings: CgosSettings) -> str:
    """Return the password, from the file or the environment; the variable is gone afterwards, for engines inherit it.

    Raises:
        OptionError: if there is none, it can be none, or others may read its file.
    """
    from_environment = os.environ.pop(PASSWORD_VARIABLE, "")
    if settings.password_file:
        password, origin = _read_password_file(Path(settings.password_file)), settings.password_file
    elif from_environment:
        password, origin = from_environment, PASSWORD_VARIABLE
    else:
        raise OptionError(f"there is no password (allowed: password_file, or {PASSWORD_VARIABLE})")
    if not re.fullmatch(r"[!-~]{3,}", password):
        raise OptionError(f"the password in {origin} is not allowed (allowed: 3 or more ASCII signs without blanks)")
    return password


def _read_password_file(path: Path) -> str:
    try:
        with path.open("rb") as file:
            mode = os.fstat(file.fileno()).st_mode
            content = file.read(_MAX_PASSWORD_BYTES)
    except OSError as error:
        raise OptionError(f"cannot read the password in {path}: {error.strerror}") from None
    if os.name == "posix" and mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise OptionError(f"{path} can be read by other users: chmod 600 {path}")
    return content.decode("utf-8", "replace").strip()
