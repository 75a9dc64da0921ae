"""KataGo's rules, by name or as JSON, and what miai has that comes nearest.

The names and fields are those of https://github.com/lightvector/KataGo/blob/master/docs/GTP_Extensions.md.
"""

from typing import Any, NamedTuple

from miai.analysis.fields import QueryError, shorten
from miai.engine.go.rules import POSITIONAL, SIMPLE, Rules

_TROMP_TAYLOR: dict[str, Any] = {
    "ko": "POSITIONAL",
    "scoring": "AREA",
    "tax": "NONE",
    "suicide": True,
    "hasButton": False,
    "whiteHandicapBonus": "0",
    "friendlyPassOk": False,
}
_CHINESE = _TROMP_TAYLOR | {"ko": "SIMPLE", "suicide": False, "whiteHandicapBonus": "N", "friendlyPassOk": True}
_JAPANESE = _CHINESE | {"scoring": "TERRITORY", "tax": "SEKI", "whiteHandicapBonus": "0"}
_AGA = _CHINESE | {"ko": "SITUATIONAL", "whiteHandicapBonus": "N-1"}
_STONES = _CHINESE | {"tax": "ALL", "whiteHandicapBonus": "0"}

NAMES: dict[str, dict[str, Any]] = {
    "tromp-taylor": _TROMP_TAYLOR,
    "cgos": _TROMP_TAYLOR | {"suicide": False},
    "chinese": _CHINESE,
    "chinese-ogs": _CHINESE | {"ko": "POSITIONAL"},
    "chinese-kgs": _CHINESE | {"ko": "POSITIONAL"},
    "japanese": _JAPANESE,
    "korean": _JAPANESE,
    "aga": _AGA,
    "bga": _AGA,
    "french": _AGA,
    "aga-button": _AGA | {"hasButton": True},
    "new-zealand": _AGA | {"suicide": True, "whiteHandicapBonus": "0"},
    "goe": _TROMP_TAYLOR | {"friendlyPassOk": True},
    "stone-scoring": _STONES,
    "ancient-area": _STONES,
    "ancient-territory": _STONES | {"scoring": "TERRITORY"},
}
"""Rules by name, as KataGo's fields; `cgos` is one of miai's own names."""

_NAMES_BY_LETTERS = {name.replace("-", ""): name for name in NAMES} | {"nz": "new-zealand", "ing": "goe"}
"""KataGo takes names with hyphens, underlines, blanks or nothing between their words."""
_USUAL_KOMI = {"new-zealand": 7.0}
"""Where it does not follow from the fields."""
_ALLOWED: dict[str, tuple[Any, ...]] = {
    "ko": ("SIMPLE", "POSITIONAL", "SITUATIONAL"),
    "scoring": ("AREA", "TERRITORY"),
    "tax": ("NONE", "SEKI", "ALL"),
    "suicide": (False, True),
    "hasButton": (False, True),
    "whiteHandicapBonus": ("0", "N", "N-1"),
    "friendlyPassOk": (False, True),
}
_NEAREST = {("ko", "SITUATIONAL"): "POSITIONAL", ("scoring", "TERRITORY"): "AREA", ("hasButton", True): False}
_NEAREST |= {("tax", "SEKI"): "NONE", ("tax", "ALL"): "NONE"}
"""Values that miai lacks, and what it takes instead."""


class QueryRules(NamedTuple):
    """The rules of a query, as far as miai has them."""

    rules: Rules
    usual_komi: float
    """Where the query names none."""
    handicap_bonus: str
    """What White gets for handicap stones: `0`, `N` for one point each, or `N-1`."""
    warning: str | None
    """What was replaced, or None."""


def read_rules(value: object) -> QueryRules:
    """Return rules from a name or an object of fields; those not named are Tromp-Taylor's.

    Raises:
        QueryError: for unknown rules.
    """
    if isinstance(value, str):
        name = _NAMES_BY_LETTERS.get(value.strip().lower().translate(dict.fromkeys(map(ord, "-_ "))), "")
        if not name:
            raise QueryError(
                "rules", f"there are no rules {shorten(value)} (allowed: {', '.join(NAMES)}, or an object)"
            )
        fields = dict(NAMES[name])
    elif isinstance(value, dict):
        name, fields = "", dict(_TROMP_TAYLOR)
        for field, given in value.items():
            field = "scoring" if field == "score" else field
            fields[field] = read_rule(field, given)
    else:
        raise QueryError("rules", f"must be a name such as chinese, or an object, not {shorten(value)}")
    usual = 6.5 if fields["scoring"] == "TERRITORY" else 7.0 if fields["hasButton"] else _USUAL_KOMI.get(name, 7.5)
    friendly = bool(fields["friendlyPassOk"])
    replaced = []
    for field, given in fields.items():
        if (field, given) in _NEAREST:
            fields[field] = _NEAREST[field, given]
            replaced.append(f"{field} {shorten(given)} is taken as {shorten(fields[field])}")
    superko = SIMPLE if fields["ko"] == "SIMPLE" else POSITIONAL
    return QueryRules(
        Rules(superko, fields["suicide"], removes_dead=friendly),
        usual,
        fields["whiteHandicapBonus"],
        "; ".join(replaced) or None,
    )


def read_rule(field: str, value: object) -> Any:
    """Return the value of one of KataGo's fields of rules.

    Raises:
        QueryError: if there is no such field or value.
    """
    if field not in _ALLOWED:
        raise QueryError("rules", f"rules have no {shorten(field)} (allowed: {', '.join(_ALLOWED)})")
    given = value.upper() if isinstance(value, str) else value
    for allowed in _ALLOWED[field]:
        if type(given) is type(allowed) and given == allowed:
            return allowed
    values = ", ".join(shorten(allowed) for allowed in _ALLOWED[field])
    raise QueryError("rules", f"{field}: {shorten(value)} is not allowed (allowed: {values})")
