"""A query: what to analyse, from the fields of a line, and the positions that it names.

https://github.com/lightvector/KataGo/blob/master/docs/Analysis_Engine.md describes the fields.
"""

import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from miai.analysis.fields import (
    QueryError,
    read_color,
    read_integer,
    read_integers,
    read_list,
    read_move,
    read_moves,
    read_number,
    read_switch,
    shorten,
)
from miai.analysis.rules import read_rule, read_rules
from miai.engine.go.game import Game, IllegalMove
from miai.engine.go.points import BLACK, MAX_SIZE, MIN_SIZE, PASS, WHITE, all_points, opponent, vertex_of
from miai.engine.go.rules import SIMPLE, Rules

MOST_MOVES = 10_000
"""Moves, and turns to analyse, that a query may name."""
MOST_VISITS = 1_000_000_000
"""The most visits of a search; a query that asks for more gets so many."""
MOST_KOMI = 400.0
PERSPECTIVES = ("BLACK", "WHITE", "SIDETOMOVE")
"""From whose view an analysis may be told."""
_HIGHEST_PRIORITY = 1 << 62
_TOLERANT = Rules(SIMPLE, suicide=True)
"""Moves of a record are taken as they were played; only the stone just taken in a ko may not be retaken."""

_NOT_COMPUTED = (
    "includeOwnershipStdev",
    "includeMovesOwnership",
    "includeMovesOwnershipStdev",
    "includeNoResultValue",
)
_IGNORED = {"rootPolicyTemperature": (0.01, 100.0), "rootFpuReductionMax": (0.0, 2.0)}
"""Settings of KataGo's search that this one has not, and their range."""
_KNOWN = frozenset(
    {
        "id",
        "boardXSize",
        "boardYSize",
        "initialStones",
        "moves",
        "initialPlayer",
        "analyzeTurns",
        "priorities",
        "priority",
        "rules",
        "komi",
        "whiteHandicapBonus",
        "overrideSettings",
        "maxVisits",
        "analysisPVLen",
        "includeOwnership",
        "includePolicy",
        "includePVVisits",
        "reportDuringSearchEvery",
        "firstReportDuringSearchAfter",
        "allowMoves",
        "avoidMoves",
        *_NOT_COMPUTED,
        *_IGNORED,
    }
)


@dataclass(frozen=True)
class Defaults:
    """What holds for queries that do not say."""

    visits: int
    seconds: float | None = None
    """Most seconds of a search; None = no limit."""
    perspective: str = "BLACK"
    """One of `PERSPECTIVES`."""


@dataclass(frozen=True)
class Query:
    """Positions of one game, and how to analyse them."""

    id: str
    size: int
    rules: Rules
    komi: float
    handicap_bonus: str
    stones: dict[int, int]
    """Point to colour, before the first move."""
    moves: tuple[tuple[int, int], ...]
    """(colour, move)."""
    first_player: int | None
    """Who moves at turn 0, if the query says so."""
    turns: tuple[tuple[int, int], ...]
    """(turn, priority), turns ascending."""
    visits: int
    seconds: float | None
    perspective: str
    longest_variation: int
    """Moves that may follow the first of a variation."""
    report_every: float | None
    first_report: float | None
    has_ownership: bool
    has_policy: bool
    has_variation_visits: bool
    allowed: dict[int, frozenset[int]]
    """Colour to the only moves that it may consider at the root; a colour that is not there may consider all."""


def read_query(content: Mapping[str, Any], defaults: Defaults) -> tuple[Query, list[tuple[str, str]]]:
    """Return the query of a line with a text `id`, and warnings as (field, text).

    Raises:
        QueryError: for the first field that is wrong.
    """
    warnings: list[tuple[str, str]] = []
    size = read_integer(content, "boardXSize", MIN_SIZE, MAX_SIZE)
    if read_integer(content, "boardYSize", MIN_SIZE, MAX_SIZE) != size:
        raise QueryError("boardYSize", "must equal boardXSize: boards are square")
    stones: dict[int, int] = {}
    if "initialStones" in content:
        for color, point in read_moves(content, "initialStones", size, size * size):
            if point == PASS or point in stones:
                raise QueryError("initialStones", f"{vertex_of(point, size)} cannot be set up, or is set up twice")
            stones[point] = color
    moves = tuple(read_moves(content, "moves", size, MOST_MOVES))
    first_player = None
    if "initialPlayer" in content:
        first_player = read_color(content["initialPlayer"], "initialPlayer")
    turns = _read_turns(content, len(moves))
    rules = read_rules(content.get("rules"))
    if rules.warning:
        warnings.append(("rules", rules.warning))
    bonus = rules.handicap_bonus
    if "whiteHandicapBonus" in content:
        try:
            bonus = read_rule("whiteHandicapBonus", content["whiteHandicapBonus"])
        except QueryError as error:
            raise QueryError("whiteHandicapBonus", str(error)) from None
    settings, unknown = _read_settings(content, defaults)
    if unknown:
        warnings.append(("overrideSettings", f"this search has no such settings, which change nothing: {unknown}"))
    for field, (least, most) in _IGNORED.items():
        if field in content:
            read_number(content, field, least, most)
            warnings.append((field, "this search has no such setting; the field changes nothing"))
    for field in _NOT_COMPUTED:
        if read_switch(content, field):
            warnings.append((field, "this is not computed, and left out"))
    if "maxVisits" in content:
        settings["visits"] = read_integer(content, "maxVisits", 1, 1 << 50)
    every = first = None
    if "reportDuringSearchEvery" in content:
        every = first = read_number(content, "reportDuringSearchEvery", 0.001, 1e6)
    if "firstReportDuringSearchAfter" in content:
        first = read_number(content, "firstReportDuringSearchAfter", 0.001, 1e6)
    allowed, depth_warning = _read_restrictions(content, size)
    warnings += depth_warning
    longest = read_integer(content, "analysisPVLen", 1, 1000) if "analysisPVLen" in content else 15
    query = Query(
        id=content["id"],
        size=size,
        rules=rules.rules,
        komi=_read_komi(content) if "komi" in content else rules.usual_komi,
        handicap_bonus=bonus,
        stones=stones,
        moves=moves,
        first_player=first_player,
        turns=turns,
        visits=min(settings["visits"], MOST_VISITS),
        seconds=settings["seconds"],
        perspective=settings["perspective"],
        longest_variation=longest,
        report_every=every,
        first_report=first,
        has_ownership=read_switch(content, "includeOwnership"),
        has_policy=read_switch(content, "includePolicy"),
        has_variation_visits=read_switch(content, "includePVVisits"),
        allowed=allowed,
    )
    position_at(query, len(moves))
    warnings += [(str(field), "unknown field, which changes nothing") for field in content if field not in _KNOWN]
    return query, warnings


def position_at(query: Query, turn: int) -> tuple[Game, int]:
    """Return the game after so many of the query's moves, and the player to move.

    Raises:
        QueryError: if a move is illegal, or stones cannot lie as they are set up.
    """
    game = Game(query.size, 0.0, _TOLERANT)
    moves = query.moves[:turn]
    handicap = _num_handicap_stones(query.stones, moves)
    color = query.first_player or (query.moves[0][0] if query.moves else WHITE if handicap else BLACK)
    if query.stones:
        try:
            game.set_up(query.stones, color)
        except ValueError as error:
            raise QueryError("initialStones", str(error)) from None
    for number, (mover, move) in enumerate(moves):
        try:
            game.play(mover, move)
        except IllegalMove:
            raise QueryError("moves", f"Illegal move {number}: {vertex_of(move, query.size)}") from None
        color = opponent(mover)
    game.rules = query.rules
    try:
        game.komi = query.komi + {"0": 0, "N": handicap, "N-1": max(0, handicap - 1)}[query.handicap_bonus]
    except ValueError as error:
        raise QueryError("komi", f"with the handicap's bonus: {error}") from None
    if query.rules.removes_dead:
        # A second pass ends nothing here before the players agree on the dead stones, and may be followed by play.
        game.board["num_passes"] = 0
    return game, color


def _num_handicap_stones(stones: Mapping[int, int], moves: tuple[tuple[int, int], ...]) -> int:
    """Return how many stones Black has before White's first; a single one is no handicap.

    Moves of White's one after the other say that a problem is set up by moves: there is no handicap.
    """
    number = len(stones)
    if WHITE in stones.values() or (WHITE, WHITE) in itertools.pairwise(color for color, _ in moves):
        return 0
    for color, move in moves:
        if (color == WHITE) == (move != PASS):
            break
        number += color == BLACK
    return number if number > 1 else 0


def _read_turns(content: Mapping[str, Any], num_moves: int) -> tuple[tuple[int, int], ...]:
    """Return (turn, priority) of each turn to analyse, ascending."""
    turns = [num_moves]
    if "analyzeTurns" in content:
        turns = read_integers(content, "analyzeTurns", MOST_MOVES + 1, 0, num_moves)
        if not turns:
            raise QueryError("analyzeTurns", "must name a turn at least")
    if "priorities" not in content:
        priority = 0
        if "priority" in content:
            priority = read_integer(content, "priority", -_HIGHEST_PRIORITY, _HIGHEST_PRIORITY)
        return tuple((turn, priority) for turn in sorted(set(turns)))
    if "priority" in content:
        raise QueryError("priority", "cannot stand beside priorities")
    if "analyzeTurns" not in content:
        raise QueryError("priorities", "can only stand beside analyzeTurns")
    longest = MOST_MOVES + 1
    priorities = read_integers(content, "priorities", longest, -_HIGHEST_PRIORITY, _HIGHEST_PRIORITY)
    if len(priorities) != len(turns):
        raise QueryError("priorities", f"must be as long as analyzeTurns: {len(turns)}, not {len(priorities)}")
    return tuple(sorted(dict(zip(turns, priorities, strict=True)).items()))


def _read_komi(content: Mapping[str, Any]) -> float:
    komi = read_number(content, "komi", -MOST_KOMI, MOST_KOMI)
    if not (2 * komi).is_integer():
        raise QueryError("komi", f"must be a whole or half number, not {shorten(content['komi'])}")
    return komi


_OFF: dict[str, object] = {"wideRootNoise": 0, "playoutDoublingAdvantage": 0, "antiMirror": False}
"""Settings that this search has not, as far as they are switched off."""


def _read_settings(content: Mapping[str, Any], defaults: Defaults) -> tuple[dict[str, Any], str]:
    """Return the settings of the search, and the names of those that are unknown as a text."""
    settings = {"visits": defaults.visits, "seconds": defaults.seconds, "perspective": defaults.perspective}
    given = content.get("overrideSettings", {})
    if not isinstance(given, dict):
        raise QueryError("overrideSettings", f"must be an object, not {shorten(given)}")
    unknown = []
    for name, value in given.items():
        try:
            if name == "maxVisits":
                settings["visits"] = read_integer(given, name, 1, 1 << 50)
            elif name == "maxTime":
                settings["seconds"] = read_number(given, name, 0.0, 1e20)
            elif name == "reportAnalysisWinratesAs":
                settings["perspective"] = _read_perspective(value)
            elif not (name in _OFF and value == _OFF[name]):
                unknown.append(name[:40])
        except QueryError as error:
            raise QueryError("overrideSettings", f"{name} {error}") from None
    return settings, ", ".join(unknown[:20])


def _read_perspective(value: object) -> str:
    if not isinstance(value, str) or value.upper() not in PERSPECTIVES:
        raise QueryError("overrideSettings", f"must be {', '.join(PERSPECTIVES)}, not {shorten(value)}")
    return value.upper()


def _read_restrictions(
    content: Mapping[str, Any], size: int
) -> tuple[dict[int, frozenset[int]], list[tuple[str, str]]]:
    """Return which moves each colour may consider at the root, and warnings."""
    if "allowMoves" in content and "avoidMoves" in content:
        raise QueryError("allowMoves", "cannot stand beside avoidMoves")
    field = "allowMoves" if "allowMoves" in content else "avoidMoves"
    if field not in content:
        return {}, []
    allowed: dict[int, frozenset[int]] = {}
    everything = frozenset({PASS, *all_points(size)})
    is_deep = False
    for entry in read_list(content, field, 2 if field == "allowMoves" else 1000):
        if not isinstance(entry, dict):
            raise QueryError(
                field, f"must be a list of objects with player, moves and untilDepth, not {shorten(entry)}"
            )
        color = read_color(entry.get("player"), field)
        values = entry.get("moves")
        if not isinstance(values, list) or len(values) > MOST_MOVES:
            raise QueryError(field, f"moves must be a list of points, not {shorten(values)}")
        moves = frozenset(read_move(value, field, size) for value in values)
        try:
            is_deep |= read_integer(entry, "untilDepth", 1, 1_000_000_000) > 1
        except QueryError as error:
            raise QueryError(field, f"untilDepth {error}") from None
        if field == "avoidMoves":
            allowed[color] = allowed.get(color, everything) - moves
        elif color in allowed:
            raise QueryError(field, "may name each player once")
        else:
            allowed[color] = moves
    return allowed, [(field, "restricts the first move only, whatever untilDepth says")] if is_deep else []
