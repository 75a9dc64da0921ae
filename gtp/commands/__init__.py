"""GTP commands by topic.

Each module of this package defines `HANDLERS`: command name to a function that gets the session and the exchange, and
returns the text of the reply. The table here says which module has which command, so that a command imports only what
it needs: `name` must not wait for compiled code. To add a command, write its function, enter it in its module's
`HANDLERS`, and name it here.
"""

import importlib
from collections.abc import Callable, Mapping

from miai.gtp.protocol import CommandError, Exchange
from miai.gtp.session import Session

Handler = Callable[[Session, Exchange], str | None]

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
    "gogui": (
        *("gogui-analyze_commands", "gogui-play_sequence", "gogui-setup", "gogui-setup_player", "gogui-interrupt"),
        *("miai-priors", "miai-visits", "miai-winrates", "miai-ownership", "miai-policy", "miai-variation"),
    ),
    "inspect": (
        *("miai-policy_moves", "miai-param", "level", "set_random_seed"),
        *("gomill-describe_engine", "gomill-explain_last_move"),
    ),
}
"""Which module of this package has which commands."""

_TOPIC_OF: Mapping[str, str] = {name: topic for topic, names in TOPICS.items() for name in names}


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
    handlers: Mapping[str, Handler] = importlib.import_module(f"miai.gtp.commands.{_TOPIC_OF[name]}").HANDLERS
    return handlers[name]
