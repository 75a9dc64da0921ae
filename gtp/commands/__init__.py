"""GTP commands by topic.

To add a command, decorate its function with `gtp_command` in the module that fits, and name it in `TOPICS`. A module
is imported when one of its commands is first used: `name` must not wait for compiled code. `core` alone needs none.
"""

import importlib
from collections.abc import Callable, Mapping
from typing import NamedTuple

from miai.gtp.protocol import CommandError, Exchange
from miai.gtp.session import Session

Handler = Callable[[Session, Exchange], str | None]
"""Carries out a command and returns the text of its reply."""

TOPICS: dict[str, tuple[str, ...]] = {
    "core": ("protocol_version", "name", "version", "known_command", "list_commands", "quit"),
    "play": (
        *("boardsize", "clear_board", "komi", "play", "genmove", "reg_genmove", "undo", "gg-undo"),
        *("kgs-genmove_cleanup", "showboard"),
    ),
    "handicap": ("fixed_handicap", "place_free_handicap", "set_free_handicap"),
    "game_rules": ("kata-get-rules", "kata-set-rules", "kata-set-rule"),
    "time": (
        *("time_settings", "time_left", "kgs-time_settings", "kata-time_settings", "kata-list_time_settings"),
        "cputime",
    ),
    "score": ("final_score", "final_status_list"),
    "files": ("loadsgf", "printsgf"),
    "analysis": (
        *("lz-analyze", "lz-genmove_analyze", "kata-analyze", "kata-genmove_analyze"),
        *("cgos-genmove_analyze", "stop"),
    ),
    "raw_outputs": ("kata-raw-nn",),
    "gogui": (
        *("gogui-analyze_commands", "gogui-play_sequence", "gogui-setup", "gogui-setup_player", "gogui-interrupt"),
        *("miai-priors", "miai-visits", "miai-winrates", "miai-ownership", "miai-policy", "miai-variation"),
    ),
    "inspect": (
        *("miai-policy_moves", "miai-param", "level", "set_random_seed"),
        *("gomill-describe_engine", "gomill-explain_last_move"),
    ),
}
"""Which module of this package has which commands, in the order of `list_commands`."""

_TOPIC_OF: Mapping[str, str] = {name: topic for topic, names in TOPICS.items() for name in names}


class Command(NamedTuple):
    """A command as its module declares it."""

    topic: str
    name: str
    handler: Handler
    gogui: tuple[str, ...]


_DECLARED: dict[str, Command] = {}


def gtp_command(name: str, *gogui: str) -> Callable[[Handler], Handler]:
    """Declare the decorated function as the handler of a command.

    `gogui` are the lines that offer it in GoGui's analyze window: type/title/command.
    """

    def declare(handler: Handler) -> Handler:
        _DECLARED[name] = Command(handler.__module__.rpartition(".")[2], name, handler, gogui)
        return handler

    return declare


def commands_of(topic: str) -> list[Command]:
    """Return the commands that a module of this package declares, importing it."""
    importlib.import_module(f"{__name__}.{topic}")
    return [command for command in _DECLARED.values() if command.topic == topic]


def command_names() -> list[str]:
    """Return the names of all commands in the order of their topics."""
    return list(_TOPIC_OF)


def needs_engine(name: str) -> bool:
    """Tell whether a command works on the game or the player, and so imports compiled code."""
    return _TOPIC_OF.get(name, "core") != "core"


def handler_of(name: str) -> Handler:
    """Return the function behind a command, importing its module.

    Raises:
        CommandError: if there is no such command.
    """
    if name not in _TOPIC_OF:
        raise CommandError("unknown command")
    importlib.import_module(f"{__name__}.{_TOPIC_OF[name]}")
    return _DECLARED[name].handler
