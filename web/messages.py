"""What a page may say: every message with its fields, checked before anything acts on it (no numba).

A message is a JSON object with a `type`; see docs/reference/web.md.
"""

import json
from collections.abc import Collection
from typing import Any

from miai.engine.go.points import MAX_KOMI, MAX_SIZE, MIN_SIZE
from miai.engine.go.rules import RULES
from miai.engine.search.rule_names import BACKUP_MODULES, SELECTION_MODULES
from miai.players.presets import PRESETS, STRENGTHS
from miai.web.fields import (
    Choice,
    FieldTable,
    File,
    Flag,
    Kind,
    Listing,
    MessageError,
    Number,
    Optional,
    Text,
    Whole,
    table,
)

MAX_BYTES = 1 << 20
"""Of a message: a larger one ends the connection."""
MAX_SGF = 600_000
"""Bytes of an SGF file: in base64 it still fits a message."""
MAX_RESULT = 200
"""Characters of a result that a file names."""
MAX_NODES = 5000
"""Of a game with its variations."""
MAX_SIMULATIONS = 10_000_000
_VERTEX = Text(8)

SETTINGS = table(
    {
        "size": Whole(MIN_SIZE, MAX_SIZE),
        "komi": Number(-MAX_KOMI, MAX_KOMI),
        "rules": Choice(tuple(RULES)),
        "handicap": Whole(0, 9),
        "color": Choice(("black", "white", "random", "both")),
        "level": Optional(Whole(min(STRENGTHS), max(STRENGTHS))),
        "preset": Optional(Choice(tuple(PRESETS))),
        "clock": Optional(table({"main": Whole(0, 86_400), "byoyomi": Whole(0, 3600)})),
    },
    handicap=0,
    color="black",
    level=None,
    preset=None,
    clock=None,
)
"""Of a game. `color` is the person's; `both` = no engine plays. A level changes the server's player, a preset replaces
it."""

SAVED = table(
    {
        "settings": SETTINGS,
        "phase": Choice(("free", "playing", "agreeing", "over")),
        "result": Text(MAX_RESULT),
        "sgf": Text(MAX_BYTES),
        "order": Listing(Whole(0, MAX_NODES), MAX_NODES + 1),
        "node": Whole(0, MAX_NODES),
        "clocks": Optional(Listing(Listing(Number(0, 86_400), 2, 2), 2, 2)),
        "dead": Optional(Listing(_VERTEX, MAX_SIZE**2)),
    },
    clocks=None,
    dead=None,
)
"""What a session is restored from. `dead` are the stones marked so; null = they are still to be looked for."""


def make_messages(own_selections: Collection[str] = (), own_backups: Collection[str] = ()) -> dict[str, FieldTable]:
    """Return the fields of each message by type.

    Args:
        own_selections: rules in files that the person named on the command line, besides ours.
        own_backups: likewise.
    """
    selection: Kind = Choice((*SELECTION_MODULES, *own_selections))
    backup: Kind = Choice((*BACKUP_MODULES, *own_backups))
    contestant = table(
        {"select": selection, "backup": backup, "parameters": Listing(Text(80), 20)}, backup="mean", parameters=[]
    )
    return {
        "hello": table(
            {"session": Optional(Text(40)), "saved": Optional(SAVED)},
            session=None,
            saved=None,
        ),
        "refresh": table({}),
        "new-game": table({"settings": SETTINGS}),
        "play": table({"move": _VERTEX}),
        "resign": table({}),
        "undo": table({}),
        "hint": table({}),
        "score": table({}),
        "toggle-dead": table({"point": _VERTEX}),
        "agree": table({}),
        "play-on": table({}),
        "go-to": table({"node": Whole(0, MAX_NODES)}),
        "delete": table({"node": Whole(1, MAX_NODES)}),
        "comment": table({"node": Whole(0, MAX_NODES), "text": Text(10_000)}),
        "load-sgf": table({"sgf": File(MAX_SGF)}),
        "save-sgf": table({}),
        "analyze": table({"on": Flag()}),
        "review": table({"on": Flag(), "simulations": Whole(2, 100_000)}, simulations=400),
        "watch": table(
            {
                "domain": Choice(("go", "simulated")),
                "contestants": Listing(contestant, 2, 1),
                "preset": Choice(tuple(PRESETS)),
                "by": Choice(("simulations", "time")),
                "simulations": Whole(1, MAX_SIMULATIONS),
                "seconds": Number(0.1, 3600.0),
                "pace": Optional(Number(1.0, 1e7)),
                "test": Choice(("A", "B", "C")),
                "index": Whole(0, 1_000_000),
                "seed": Whole(0, (1 << 31) - 1),
            },
            domain="go",
            preset="fuego",
            by="simulations",
            simulations=2000,
            seconds=5.0,
            pace=None,
            test="A",
            index=0,
            seed=1,
        ),
        "watch-stop": table({}),
        "watch-pause": table({"on": Flag()}),
        "watch-open": table({"contestant": Whole(0, 1), "path": Listing(_VERTEX, 40), "open": Flag()}),
    }


def read_message(text: str | bytes, messages: dict[str, FieldTable]) -> dict[str, Any]:
    """Return a message with all its fields, defaults filled in.

    Raises:
        MessageError: if it is no JSON object, of no type in `messages`, or a field is unknown, missing or wrong.
    """
    if isinstance(text, bytes):
        raise MessageError("a message is text, not bytes")
    if len(text) > MAX_BYTES:
        raise MessageError(f"the message has more than {MAX_BYTES} characters")
    try:
        value = json.loads(text, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        raise MessageError("the message is no JSON") from None
    if not isinstance(value, dict):
        raise MessageError("the message is no JSON object")
    kind = value.pop("type", None)
    if not isinstance(kind, str) or kind not in messages:
        shown = repr(kind)[:40]
        raise MessageError(f"type: {shown} is not allowed (allowed: {', '.join(messages)})")
    try:
        return {"type": kind, **messages[kind].read(value)}
    except MessageError as error:
        raise MessageError(f"{kind}: {error}") from None


def _refuse_constant(name: str) -> float:
    raise ValueError(name)
