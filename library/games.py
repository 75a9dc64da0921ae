"""Games as a person at a Python prompt thinks of them: moves are texts, colours alternate, a board is an array."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Literal, cast

import numpy as np

from miai.engine.go import game as go
from miai.engine.go.board_picture import draw_board
from miai.engine.go.points import BLACK, WHITE, all_points, color_name, move_at, vertex_of
from miai.engine.go.rules import RULES
from miai.engine.go.sgf import GameInfo, load_game, save_game
from miai.library.pictures import draw_svg
from miai.players.options import GameOptions

Color = Literal["black", "white"]
"""A player."""


def color_code(color: str) -> int:
    """Return the engine's number of a colour, `black`, `white`, `b` or `w`.

    Raises:
        ValueError: for any other text.
    """
    codes = {"black": BLACK, "b": BLACK, "white": WHITE, "w": WHITE}
    if color.lower() not in codes:
        raise ValueError(f"{color!r} is no colour (allowed: black, white)")
    return codes[color.lower()]


class Game:
    """A game of Go. Moves are texts as GTP writes them: `D4`, `pass`; upper or lower case.

    In a notebook a game shows itself as a picture; `print` draws it with letters.
    """

    def __init__(self, size: int = 9, komi: float = 7.0, rules: str = "tromp-taylor") -> None:
        """Begin on an empty board, Black to play.

        Args:
            size: rows and columns, 2 to 19.
            komi: points that White gets for moving second.
            rules: `tromp-taylor`, `cgos` or `chinese`.

        Raises:
            ValueError: for a size, komi or rules that there are not.
        """
        options = GameOptions(size, komi, rules)
        self.state = go.Game(options.size, options.komi, RULES[options.rules])
        """The game as the engine keeps it, for `miai.engine`."""
        self.rules = rules
        """The name of the rules: one of those above, or what a file calls them; read-only."""

    @classmethod
    def load(cls, path: str | os.PathLike[str], move_number: int | None = None) -> "Game":
        """Return the game of an SGF file, or its position before move `move_number` (1 is the first).

        Raises:
            SgfError: if the file cannot be read; says why.
        """
        game = cls()
        game.state, info = load_game(Path(path), move_number)
        game.rules = next((name for name, rules in RULES.items() if rules == game.state.rules), info.rules)
        return game

    def save(self, path: str | os.PathLike[str], black: str = "", white: str = "") -> None:
        """Write the game as SGF, with the names of the players.

        Raises:
            SgfError: if the file cannot be written; says why.
        """
        save_game(self.state, path, GameInfo(black=black, white=white))

    @property
    def size(self) -> int:
        """Rows and columns."""
        return self.state.size

    @property
    def komi(self) -> float:
        """Points that White gets for moving second."""
        return self.state.komi

    @property
    def to_play(self) -> Color:
        """Whose turn it is."""
        return cast(Color, color_name(self.state.to_play))

    @property
    def is_over(self) -> bool:
        """Whether the last two moves were passes."""
        return self.state.is_over

    @property
    def moves(self) -> tuple[tuple[Color, str], ...]:
        """Every move since the set-up position, with who made it."""
        return tuple((cast(Color, color_name(color)), vertex_of(move, self.size)) for color, move in self.state.moves)

    @property
    def board(self) -> np.ndarray:
        """The stones, int8 [size, size], row 0 at the top: 0 empty, 1 Black's, 2 White's."""
        return self.state.board["color"][all_points(self.size)].reshape(self.size, self.size).astype(np.int8)

    def legal_moves(self) -> list[str]:
        """Return every move that the player may make, passing last."""
        points = self.state.legal_points(self.state.to_play)
        return [*(vertex_of(point, self.size) for point in points), "pass"]

    def is_legal(self, move: str) -> bool:
        """Tell whether the player may make a move.

        Raises:
            ValueError: if the text names no point of the board.
        """
        return self.state.is_legal(self.state.to_play, move_at(move, self.size))

    def play(self, *moves: str, color: str | None = None) -> "Game":
        """Make moves, one after the other, by players in turn; by one `color` if that is given. Returns the game.

        Raises:
            IllegalMove: if the rules forbid one; the game is as it was before the call.
            ValueError: if a text names no point of the board, or `color` is none.
        """
        changed = self.state.copy()
        mover = None if color is None else color_code(color)
        for move in moves:
            changed.play(changed.to_play if mover is None else mover, move_at(move, self.size))
        self.state = changed
        return self

    def undo(self, number: int = 1) -> "Game":
        """Take back the last moves. Returns the game.

        Raises:
            CannotUndo: if there are not so many; the game is unchanged.
            ValueError: for a negative number.
        """
        if number < 0:
            raise ValueError(f"{number} moves cannot be taken back (allowed: 0 or more)")
        changed = self.state.copy()
        for _ in range(number):
            changed.undo()
        self.state = changed
        return self

    def set_up(self, black: Sequence[str] = (), white: Sequence[str] = (), to_play: str = "black") -> "Game":
        """Begin anew from a position. Returns the game.

        Raises:
            ValueError: for what is no point, a point of both colours, or a block without a liberty; the game is
                unchanged.
        """
        stones = {move_at(vertex, self.size): BLACK for vertex in black}
        if both := stones.keys() & {move_at(vertex, self.size) for vertex in white}:
            raise ValueError(f"{vertex_of(min(both), self.size)} is given to both colours")
        stones |= {move_at(vertex, self.size): WHITE for vertex in white}
        self.state.set_up(stones, color_code(to_play))
        return self

    def score(self) -> float:
        """Return the area score of the position as it stands: Black's points minus White's minus komi."""
        return self.state.score()

    def copy(self) -> "Game":
        """Return an independent game in the same state."""
        other = Game.__new__(Game)
        other.state, other.rules = self.state.copy(), self.rules
        return other

    def __str__(self) -> str:
        return draw_board(self.state)

    def __repr__(self) -> str:
        return f"<Game {self.size}x{self.size}, komi {self.komi:g}, {len(self.state.moves)} moves>"

    def _repr_svg_(self) -> str:
        return draw_svg(self.state)
