"""The rules of the game as KataGo's clients read and set them, as JSON or by name.

https://github.com/lightvector/KataGo/blob/master/docs/GTP_Extensions.md describes the fields. Rules that a client sets
hold from then on, in the game that is played and in later ones.
"""

import json
from typing import Any

from miai.engine.go.rules import POSITIONAL, RULES, SIMPLE, Rules
from miai.gtp.commands import gtp_command
from miai.gtp.protocol import CommandError, Exchange
from miai.gtp.session import Session

_SUPERKO = {"POSITIONAL": POSITIONAL, "SIMPLE": SIMPLE}
_ALLOWED: dict[str, tuple[object, ...]] = {
    "ko": tuple(_SUPERKO),
    "scoring": ("AREA",),
    "tax": ("NONE",),
    "suicide": (False, True),
    "hasButton": (False,),
    "whiteHandicapBonus": ("0",),
    "friendlyPassOk": (False, True),
}
"""KataGo's fields of rules, and the values of them that this engine has."""
_SERVER_CHINESE = Rules(POSITIONAL, removes_dead=True)
_NAMES = RULES | {"chinese-ogs": _SERVER_CHINESE, "chinese-kgs": _SERVER_CHINESE}
"""What servers call Chinese rules has positional superko."""


@gtp_command("kata-get-rules")
def show_rules(session: Session, exchange: Exchange) -> str:
    """Tell the rules as a line of JSON."""
    return json.dumps(_fields_of(session.game.rules), separators=(",", ":"))


@gtp_command("kata-set-rules")
def set_rules(session: Session, exchange: Exchange) -> str:
    """Take rules from now on, a name or JSON as `kata-get-rules` gives it; fields not named are Tromp-Taylor's."""
    exchange.argument(0)
    text = exchange.text
    if not text.startswith("{"):
        name = text.lower().replace("_", "-")
        if name not in _NAMES:
            raise CommandError(
                f"there are no rules {text[:40]!r} (allowed: {', '.join(_NAMES)}, or JSON of {_allowed()})"
            )
        session.set_rules(_NAMES[name])
        return ""
    try:
        given = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise CommandError(f"this is no JSON: {str(error)[:80]}") from None
    session.set_rules(_rules_from(_fields_of(RULES["tromp-taylor"]), given))
    return ""


@gtp_command("kata-set-rule")
def set_rule(session: Session, exchange: Exchange) -> str:
    """Change one field of the rules from now on (`kata-set-rule FIELD VALUE`)."""
    field, text = exchange.argument(0), exchange.argument(1)
    value = {"true": True, "false": False}.get(text.lower(), text)
    session.set_rules(_rules_from(_fields_of(session.game.rules), {field: value}))
    return ""


def _fields_of(rules: Rules) -> dict[str, object]:
    ko = "POSITIONAL" if rules.has_superko else "SIMPLE"
    changing = {"ko": ko, "suicide": rules.suicide, "friendlyPassOk": rules.removes_dead}
    return {field: values[0] for field, values in _ALLOWED.items()} | changing


def _rules_from(fields: dict[str, Any], changes: dict[str, Any]) -> Rules:
    for field, value in changes.items():
        if field not in _ALLOWED:
            raise CommandError(f"rules have no {field[:40]!r} (allowed: {', '.join(_ALLOWED)})")
        value = value.upper() if isinstance(value, str) else value
        if not any(value is allowed or (isinstance(value, str) and value == allowed) for allowed in _ALLOWED[field]):
            raise CommandError(f"{field}: {json.dumps(value)[:40]} is not allowed (allowed: {_values_of(field)})")
        fields[field] = value
    return Rules(_SUPERKO[fields["ko"]], fields["suicide"], removes_dead=fields["friendlyPassOk"])


def _values_of(field: str) -> str:
    return " or ".join(value if isinstance(value, str) else json.dumps(value) for value in _ALLOWED[field])


def _allowed() -> str:
    return ", ".join(f"{field} {_values_of(field)}" for field in _ALLOWED)
