"""Fields of a query, read strictly: a wrong one is refused by name with what is allowed."""

import json
import math
from collections.abc import Mapping
from typing import Any

from miai.engine.go.points import BLACK, WHITE, VertexError, move_at, point_at

COLORS = {"B": BLACK, "W": WHITE, "BLACK": BLACK, "WHITE": WHITE}
"""Players as queries name them, in capitals."""


class QueryError(ValueError):
    """Something in a query that is not allowed."""

    def __init__(self, field: str, message: str) -> None:
        """Name the field and say what is wrong with it."""
        super().__init__(message)
        self.field = field


def shorten(value: object) -> str:
    """Return a value as it stood in a query, cut to a readable length."""
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else text[:57] + "..."


def read_integer(content: Mapping[str, Any], field: str, least: int, most: int) -> int:
    """Return a whole number from `least` to `most`.

    Raises:
        QueryError: if the field is missing or anything else.
    """
    value = content.get(field)
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise QueryError(field, f"must be a whole number from {least} to {most}, not {shorten(value)}")
    return value


def read_number(content: Mapping[str, Any], field: str, least: float, most: float) -> float:
    """Return a number from `least` to `most`.

    Raises:
        QueryError: as `read_integer`.
    """
    value = content.get(field)
    if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= most:
        raise QueryError(field, f"must be a number from {least:g} to {most:g}, not {shorten(value)}")
    return float(value)


def read_switch(content: Mapping[str, Any], field: str) -> bool:
    """Return a truth value, False if the field is missing.

    Raises:
        QueryError: if it is anything else.
    """
    value = content.get(field, False)
    if not isinstance(value, bool):
        raise QueryError(field, f"must be true or false, not {shorten(value)}")
    return value


def read_list(content: Mapping[str, Any], field: str, longest: int) -> list[Any]:
    """Return a list of at most `longest` items.

    Raises:
        QueryError: if the field is missing or anything else.
    """
    value = content.get(field)
    if not isinstance(value, list) or len(value) > longest:
        raise QueryError(field, f"must be a list of at most {longest} items, not {shorten(value)}")
    return value


def read_integers(content: Mapping[str, Any], field: str, longest: int, least: int, most: int) -> list[int]:
    """Return a list of whole numbers from `least` to `most`.

    Raises:
        QueryError: as `read_list`.
    """
    return [read_integer({field: value}, field, least, most) for value in read_list(content, field, longest)]


def read_color(value: object, field: str) -> int:
    """Return BLACK or WHITE.

    Raises:
        QueryError: if the value names no player.
    """
    color = COLORS.get(value.upper()) if isinstance(value, str) else None
    if color is None:
        raise QueryError(field, f'must be "B" or "W", not {shorten(value)}')
    return color


def read_move(value: object, field: str, size: int) -> int:
    """Return PASS or a point from `"C4"`, `"pass"` or `"(2,5)"`, column and row from the top left.

    Raises:
        QueryError: if the value names no point of the board.
    """
    if not isinstance(value, str):
        raise QueryError(field, f"must have points as texts, not {shorten(value)}")
    text = value.strip()
    if text.startswith("(") and text.endswith(")"):
        numbers = [part.strip() for part in text[1:-1].split(",")]
        if len(numbers) == 2 and all(part.isascii() and part.isdigit() and len(part) <= 2 for part in numbers):
            column, row = map(int, numbers)
            if column < size and row < size:
                return point_at(row, column, size)
    try:
        return move_at(text, size)
    except VertexError as error:
        raise QueryError(field, str(error)) from None


def read_moves(content: Mapping[str, Any], field: str, size: int, longest: int) -> list[tuple[int, int]]:
    """Return (colour, move) of a list of pairs, `[["B", "C4"], ["W", "pass"]]`.

    Raises:
        QueryError: if the field is missing or anything else.
    """
    moves = []
    for pair in read_list(content, field, longest):
        if not isinstance(pair, list) or len(pair) != 2:
            raise QueryError(field, f'must be a list of pairs such as ["B", "C4"], not {shorten(pair)}')
        moves.append((read_color(pair[0], field), read_move(pair[1], field, size)))
    return moves


def read_json(text: str) -> Any:
    """Return the value of a JSON text.

    Raises:
        ValueError: if it is none, NaN and Infinity included, or nested too deeply.
    """

    def refuse(constant: str) -> Any:
        raise ValueError(f"{constant} is no JSON")

    def read_float(number: str) -> float:
        if not math.isfinite(value := float(number)):
            raise ValueError(f"{number[:20]} is too large")
        return value

    try:
        return json.loads(text, parse_constant=refuse, parse_float=read_float)
    except RecursionError:
        raise ValueError("nested too deeply") from None
