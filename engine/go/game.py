"""A game of Go for Python callers: a board with rules, komi, history and undo."""

import operator
from collections.abc import Mapping, Sequence

import numpy as np

from miai.engine.go.board import new_board, place_stone
from miai.engine.go.board import play as play_on_board
from miai.engine.go.drawing import draw
from miai.engine.go.handicap import fixed_handicap_points as fixed_handicap_points
from miai.engine.go.handicap import free_handicap_points as free_handicap_points
from miai.engine.go.history import capacity_of, copy_history, new_history, num_keys, pop_key, push_key
from miai.engine.go.legality import REASONS, illegality, legal_points
from miai.engine.go.points import BLACK, BORDER, EMPTY, MAX_KOMI, PASS, WHITE, color_name, move_at, vertex_of
from miai.engine.go.rules import RULES, Rules
from miai.engine.go.scoring import area, area_score

_FIRST_CAPACITY = 512


class IllegalMove(ValueError):
    """A move that the rules forbid; the text says which rule."""


class CannotUndo(ValueError):
    """There is no move to take back."""


class BoardNotEmpty(ValueError):
    """Handicap stones go on an empty board only."""


class Game:
    """A game of Go: the position, how it came about, and what the rules allow next.

    Either colour may play at any time, also twice in a row, as GTP demands. Points and moves are taken as numbers or as
    text, `"D4"` or `"pass"`; what is returned are numbers.
    """

    size: int
    """The number of rows and columns; read-only."""
    rules: Rules
    """What a move may not do. Others may be set at any time; they hold for the moves to come."""
    moves: list[tuple[int, int]]
    """(colour, move) of every move since the set-up position."""
    setup_stones: dict[int, int]
    """Point to colour of the stones placed by handicap or set-up before the first move."""
    handicap: int
    """The number of handicap stones; 0 if there are none."""

    def __init__(self, size: int = 9, komi: float = 7.0, rules: Rules = RULES["tromp-taylor"]) -> None:
        """Start on an empty board, Black to play.

        Raises:
            ValueError: if `size` is not from 2 to 19 or `komi` not from -1000 to 1000.
        """
        self.size = size
        self.rules = rules
        self.komi = komi
        self._start(new_board(size))

    def _start(self, boards: np.ndarray) -> None:
        """Make a board the set-up position."""
        self._boards = boards
        self._previous: list[np.ndarray] = []
        self._history = new_history(_FIRST_CAPACITY)
        self.moves = []
        self.setup_stones = {}
        self.handicap = 0
        push_key(self._history, self.board["key"])

    @property
    def board(self) -> np.void:
        """The current position as a board record, for compiled functions that only read it.

        It shows the next position after the next move; `copy` the game to keep one.
        """
        return self._boards[0]

    @property
    def history(self) -> np.ndarray:
        """The keys of all positions since the set-up position, both ends included; see `miai.engine.go.history`."""
        return self._history

    @property
    def komi(self) -> float:
        """Points that White gets for moving second."""
        return self._komi

    @komi.setter
    def komi(self, komi: float) -> None:
        if not -MAX_KOMI <= komi <= MAX_KOMI:
            raise ValueError(f"komi {komi:g} is not allowed (allowed: a number from {-MAX_KOMI:g} to {MAX_KOMI:g})")
        self._komi = float(komi)

    @property
    def to_play(self) -> int:
        """The player to move, BLACK or WHITE."""
        return int(self.board["to_play"])

    @to_play.setter
    def to_play(self, color: int) -> None:
        self._check_color(color)
        self.board["to_play"] = color

    @property
    def is_over(self) -> bool:
        """Whether the last two moves were passes."""
        return bool(self.board["num_passes"] >= 2)

    @property
    def num_captured(self) -> dict[int, int]:
        """Stones of each colour taken off the board since the set-up position."""
        counts = self.board["num_captured"]
        return {BLACK: int(counts[BLACK]), WHITE: int(counts[WHITE])}

    def __str__(self) -> str:
        return draw(self.board)

    def __repr__(self) -> str:
        return (
            f"<Game {self.size}x{self.size}, komi {self.komi:g}, {len(self.moves)} moves, "
            f"{color_name(self.to_play)} to play>"
        )

    def color_at(self, point: int | str) -> int:
        """Return EMPTY, BLACK or WHITE."""
        return int(self.board["color"][self._point_of(point)])

    def stones(self) -> dict[int, int]:
        """Return the colour of every stone on the board by its point, points ascending."""
        colors = self.board["color"]
        return {int(point): int(colors[point]) for point in np.flatnonzero((colors == BLACK) | (colors == WHITE))}

    def why_illegal(self, color: int, move: int | str) -> str | None:
        """Return the rule against a move, `occupied`, `suicide`, `ko` or `superko`; None if it is legal.

        Raises:
            ValueError: if `color` is no player's or `move` neither PASS nor a point of this board.
        """
        self._check_color(color)
        move = self._move_of(move)
        if move == PASS:
            return None
        rules = self.rules
        reason = illegality(self.board, self._history, move, int(color), rules.has_superko, rules.suicide)
        return REASONS[reason]

    def is_legal(self, color: int, move: int | str) -> bool:
        """Tell whether the rules allow a move; see `why_illegal`."""
        return self.why_illegal(color, move) is None

    def legal_points(self, color: int) -> list[int]:
        """Return the points that `color` may play, ascending, without PASS."""
        self._check_color(color)
        points = np.empty(self.size * self.size, dtype=np.int16)
        rules = self.rules
        count = legal_points(self.board, self._history, int(color), rules.has_superko, rules.suicide, points)
        return sorted(points[:count].tolist())

    def play(self, color: int, move: int | str) -> None:
        """Make a move, PASS or a point, for either colour.

        Raises:
            IllegalMove: if the rules forbid it; the game is unchanged.
            ValueError: as `why_illegal`.
        """
        move = self._move_of(move)
        reason = self.why_illegal(color, move)
        if reason is not None:
            raise IllegalMove(f"{vertex_of(move, self.size)} is illegal: {reason}")
        self._previous.append(self._boards.copy())
        self.board["to_play"] = color
        play_on_board(self.board, move)
        if num_keys(self._history) >= capacity_of(self._history):
            self._history = copy_history(self._history, 2 * capacity_of(self._history))
        push_key(self._history, self.board["key"])
        self.moves.append((int(color), move))

    def undo(self) -> None:
        """Take back the last move.

        Raises:
            CannotUndo: if no move was made since the set-up position.
        """
        if not self.moves:
            raise CannotUndo("there is no move to take back")
        self.moves.pop()
        self._boards = self._previous.pop().copy()  # a copy of this game may have it too
        pop_key(self._history)

    def set_up(self, stones: Mapping[int, int] | Mapping[str, int], to_play: int) -> None:
        """Start anew from a position given as point to colour; EMPTY points may be among them.

        Raises:
            ValueError: for points off the board or given twice, colours that are no player's, or a block without a
                liberty; the game is unchanged.
        """
        self._check_color(to_play)
        boards = new_board(self.size)
        placed: dict[int, int] = {}
        for name, color in stones.items():
            point = self._point_of(name)
            if color != EMPTY:
                self._check_color(color)
                if point in placed:
                    raise ValueError(f"{vertex_of(point, self.size)} is set up twice")
                place_stone(boards[0], point, np.uint8(color))
                placed[point] = int(color)
                # Stones only take liberties from each other, so a capture shows a block that ends without any.
                if boards[0]["num_captured"].any():
                    raise ValueError(f"the position has a block without a liberty at {vertex_of(point, self.size)}")
        boards[0]["ko_point"] = PASS
        boards[0]["to_play"] = to_play
        self._start(boards)
        self.setup_stones = placed

    def place_handicap(self, points: Sequence[int | str]) -> None:
        """Give Black handicap stones on the empty board; White is to play.

        Raises:
            BoardNotEmpty: if there is a stone on the board.
            ValueError: if there are no points, a point comes twice or is off the board, or no point is left empty.
        """
        if self.stones():
            raise BoardNotEmpty("handicap stones go on an empty board only")
        if not points:
            raise ValueError("no handicap points given")
        stones = dict.fromkeys(map(self._point_of, points), BLACK)
        if len(stones) != len(points):
            raise ValueError("repeated vertex among the handicap points")
        self.set_up(stones, WHITE)
        self.handicap = len(points)

    def area(self) -> np.ndarray:
        """Return the owner of every point as the position stands, int8 [size·size], row-major from the top left.

        1 is Black's, -1 White's, 0 neither's (Tromp-Taylor: no stone is taken for dead).
        """
        owners = np.empty(self.size * self.size, dtype=np.int8)
        area(self.board, owners)
        return owners

    def score(self) -> float:
        """Return the area score in points as the position stands: Black's minus White's minus komi."""
        return float(area_score(self.board)) - self.komi

    def copy(self) -> "Game":
        """Return an independent game in the same state, history and undo included."""
        other = Game.__new__(Game)
        other.size = self.size
        other.rules = self.rules
        other._komi = self._komi
        other._boards = self._boards.copy()
        other._previous = self._previous.copy()  # boards in it are never changed
        other._history = self._history.copy()
        other.moves = self.moves.copy()
        other.setup_stones = self.setup_stones.copy()
        other.handicap = self.handicap
        return other

    def _check_color(self, color: int) -> None:
        if color not in (BLACK, WHITE):
            raise ValueError(f"{color!r} is no player's colour")

    def _move_of(self, move: int | str) -> int:
        """Return PASS or a point of this board from a number or text."""
        move = move_at(move, self.size) if isinstance(move, str) else operator.index(move)
        return PASS if move == PASS else self._point_of(move)

    def _point_of(self, point: int | str) -> int:
        colors = self.board["color"]
        index = move_at(point, self.size) if isinstance(point, str) else operator.index(point)
        if not 0 <= index < len(colors) or colors[index] == BORDER:
            raise ValueError(f"{point} is no point of a {self.size}x{self.size} board")
        return index
