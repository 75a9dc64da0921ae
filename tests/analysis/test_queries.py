"""Queries: what is read, what is replaced with a warning, and what is refused by the name of its field."""

from typing import Any

import pytest

from miai.analysis.fields import QueryError
from miai.analysis.queries import Defaults, position_at, read_query
from miai.analysis.rules import read_rules
from miai.engine.go.points import BLACK, PASS, WHITE, move_at

DEFAULTS = Defaults(visits=100)
PLAIN: dict[str, Any] = {"id": "a", "moves": [], "rules": "chinese", "boardXSize": 5, "boardYSize": 5}


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("boardXSize", 1),
        ("boardXSize", True),
        ("boardYSize", 6),
        ("moves", None),
        ("moves", [["B"]]),
        ("moves", [["B", "J9"]]),
        ("moves", [["X", "A1"]]),
        ("moves", [["B", "A1"], ["W", "A1"]]),
        ("initialStones", [["B", "pass"]]),
        ("initialStones", [["B", "A1"], ["B", "A1"]]),
        ("initialStones", [["B", "A1"], ["W", "A2"], ["W", "B1"]]),
        ("initialPlayer", "red"),
        ("rules", "go"),
        ("rules", {"ko": "NONE"}),
        ("rules", None),
        ("komi", 0.25),
        ("komi", 401),
        ("komi", "7"),
        ("whiteHandicapBonus", 0),
        ("analyzeTurns", [1]),
        ("analyzeTurns", []),
        ("priorities", [1]),
        ("priority", 1 << 63),
        ("maxVisits", 0),
        ("analysisPVLen", 0),
        ("includePolicy", "yes"),
        ("reportDuringSearchEvery", 0),
        ("rootPolicyTemperature", 0),
        ("overrideSettings", []),
        ("overrideSettings", {"maxTime": "long"}),
        ("overrideSettings", {"reportAnalysisWinratesAs": "RED"}),
        ("avoidMoves", [{"player": "B", "moves": ["A1"]}]),
        ("allowMoves", [{"player": "B", "moves": ["A1"], "untilDepth": 1}] * 2),
    ],
)
def test_a_wrong_field_is_named(field: str, value: object) -> None:
    with pytest.raises(QueryError) as caught:
        read_query(PLAIN | {field: value}, DEFAULTS)
    assert caught.value.field == field


@pytest.mark.parametrize("field", ["moves", "rules", "boardXSize", "boardYSize"])
def test_a_missing_field_is_named(field: str) -> None:
    with pytest.raises(QueryError) as caught:
        read_query({name: value for name, value in PLAIN.items() if name != field}, DEFAULTS)
    assert caught.value.field == field


def test_an_illegal_move_is_told_by_its_number_as_katago_does() -> None:
    with pytest.raises(QueryError, match="Illegal move 1: A1"):
        read_query(PLAIN | {"moves": [["B", "A1"], ["W", "A1"]]}, DEFAULTS)


def test_the_position_of_a_turn_is_that_after_its_moves() -> None:
    query, _ = read_query(PLAIN | {"moves": [["B", "C3"], ["W", "(0,0)"], ["W", "pass"]]}, DEFAULTS)
    assert query.turns == ((3, 0),)
    game, color = position_at(query, 2)
    assert game.stones() == {move_at("C3", 5): BLACK, move_at("A5", 5): WHITE} and color == BLACK
    assert position_at(query, 0)[1] == BLACK
    assert position_at(query, 3)[1] == BLACK


@pytest.mark.parametrize(
    ("stones", "rules", "bonus", "player"),
    [
        (["C3", "B2"], "chinese", 2, WHITE),
        (["C3", "B2"], "aga", 1, WHITE),
        (["C3", "B2"], "japanese", 0, WHITE),
        (["C3"], "chinese", 0, BLACK),
    ],
)
def test_white_gets_points_for_handicap_stones_where_the_rules_say_so(
    stones: list[str], rules: str, bonus: int, player: int
) -> None:
    content = PLAIN | {"initialStones": [["B", point] for point in stones], "rules": rules, "komi": 0.5}
    query, _ = read_query(content, DEFAULTS)
    game, color = position_at(query, 0)
    assert (game.komi, color) == (0.5 + bonus, player)
    content |= {"initialStones": [], "moves": [["B", point] for point in stones], "initialPlayer": "b"}
    query, _ = read_query(content, DEFAULTS)
    assert position_at(query, len(stones))[0].komi == 0.5 + bonus


def test_stones_that_are_set_up_by_moves_are_no_handicap() -> None:
    moves = [["B", "C3"], ["B", "B2"], ["W", "A1"], ["W", "A2"]]
    query, _ = read_query(PLAIN | {"moves": moves, "rules": "chinese", "komi": 0.5}, DEFAULTS)
    assert position_at(query, 4)[0].komi == 0.5


def test_a_bonus_beyond_the_greatest_komi_is_an_error_of_the_query() -> None:
    moves = [["B", point] for point in ("A1", "A2", "B1", "B2")] * 250
    with pytest.raises(QueryError, match="with the handicap's bonus: komi 1007 is not allowed"):
        read_query(PLAIN | {"boardXSize": 2, "boardYSize": 2, "moves": moves, "komi": 7}, DEFAULTS)


@pytest.mark.parametrize(
    ("rules", "same"),
    [("NZ", "new-zealand"), ("Tromp Taylor", "tromp-taylor"), ("chinese_ogs", "chineseogs"), ("ing", "goe")],
)
def test_rules_have_the_names_that_katago_takes(rules: str, same: str) -> None:
    assert read_rules(rules) == read_rules(same)


def test_komi_and_fields_of_rules_are_katagos() -> None:
    assert read_rules("new-zealand").usual_komi == 7.0
    assert read_rules({"score": "TERRITORY"}) == read_rules({"scoring": "TERRITORY"})


def test_what_is_not_computed_or_unknown_is_a_warning() -> None:
    given = {"includeMovesOwnership": True, "hmm": 1, "rules": "japanese", "rootPolicyTemperature": 1.1}
    given["overrideSettings"] = {"wideRootNoise": 0.04, "antiMirror": False, "maxTime": 3, "maxVisits": 7}
    query, warnings = read_query(PLAIN | given, DEFAULTS)
    assert {field for field, _ in warnings} == {
        "includeMovesOwnership",
        "hmm",
        "rules",
        "rootPolicyTemperature",
        "overrideSettings",
    }
    assert (query.visits, query.seconds, query.komi) == (7, 3.0, 6.5)
    assert "antiMirror" not in dict(warnings)["overrideSettings"]


def test_allowed_and_forbidden_moves_are_not_given_together() -> None:
    given = {field: [{"player": "B", "moves": ["A1"], "untilDepth": 1}] for field in ("allowMoves", "avoidMoves")}
    with pytest.raises(QueryError, match="cannot stand beside avoidMoves") as caught:
        read_query(PLAIN | given, DEFAULTS)
    assert caught.value.field == "allowMoves"


def test_forbidden_moves_are_left_out_of_those_allowed() -> None:
    entry = {"player": "W", "moves": ["A1", "pass"], "untilDepth": 2}
    query, warnings = read_query(PLAIN | {"avoidMoves": [entry]}, DEFAULTS)
    assert len(query.allowed[WHITE]) == 24 and PASS not in query.allowed[WHITE]
    assert [field for field, _ in warnings] == ["avoidMoves"]
    query, _ = read_query(PLAIN | {"allowMoves": [entry]}, DEFAULTS)
    assert query.allowed == {WHITE: frozenset({move_at("A1", 5), PASS})}
