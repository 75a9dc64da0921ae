"""Go by flood fill in plain Python: slow, short, and independent of the engine, to hold the engine against.

Places are numbered row-major from the top left, 0 to size·size - 1; nothing is kept between moves but the stones and
every position of the game.
"""

from __future__ import annotations

EMPTY, BLACK, WHITE = 0, 1, 2


class NaiveBoard:
    """A game whose every question is answered by looking at the whole board."""

    def __init__(self, size: int, positional_superko: bool, suicide: bool) -> None:
        self.size = size
        self.positional_superko = positional_superko
        self.suicide = suicide
        self.colors = bytes(size * size)
        self.positions = [self.colors]  # one for each move, passes too
        self.moves: list[tuple[int, int | None]] = []
        self.captured = [[0, 0, 0]]  # by colour, one list for each position
        self.neighbors = [self._neighbors_of(place) for place in range(size * size)]

    def _neighbors_of(self, place: int) -> list[int]:
        row, column = divmod(place, self.size)
        around = [(row - 1, column), (row, column - 1), (row, column + 1), (row + 1, column)]
        return [r * self.size + c for r, c in around if 0 <= r < self.size and 0 <= c < self.size]

    def region(self, colors: bytes, place: int) -> tuple[set[int], set[int]]:
        """Return the connected places of one colour around `place` and the places of other colours next to them."""
        color = colors[place]
        inside, border, todo = {place}, set(), [place]
        while todo:
            for neighbor in self.neighbors[todo.pop()]:
                if colors[neighbor] != color:
                    border.add(neighbor)
                elif neighbor not in inside:
                    inside.add(neighbor)
                    todo.append(neighbor)
        return inside, border

    def block(self, colors: bytes, place: int) -> tuple[set[int], set[int]]:
        """Return the stones and the liberties of the block on `place`."""
        stones, border = self.region(colors, place)
        return stones, {neighbor for neighbor in border if colors[neighbor] == EMPTY}

    def blocks(self) -> list[tuple[set[int], set[int]]]:
        """Return stones and liberties of every block."""
        found: list[tuple[set[int], set[int]]] = []
        seen: set[int] = set()
        for place, color in enumerate(self.colors):
            if color != EMPTY and place not in seen:
                stones, liberties = self.block(self.colors, place)
                seen |= stones
                found.append((stones, liberties))
        return found

    def after(self, place: int, color: int) -> tuple[bytes, set[int], set[int]]:
        """Return the position after a stone on an empty place, and the opponent's and own stones that it takes."""
        colors = bytearray(self.colors)
        colors[place] = color
        taken: set[int] = set()
        for neighbor in self.neighbors[place]:
            if colors[neighbor] == BLACK + WHITE - color and neighbor not in taken:
                stones, liberties = self.block(colors, neighbor)
                if not liberties:
                    taken |= stones
        for stone in taken:
            colors[stone] = EMPTY
        own, liberties = self.block(colors, place)
        if liberties:
            own = set()
        for stone in own:
            colors[stone] = EMPTY
        return bytes(colors), taken, own

    def why_illegal(self, color: int, place: int) -> str | None:
        """Return the rule against a stone of `color`; a ko retake is called so under superko too."""
        if self.colors[place] != EMPTY:
            return "occupied"
        position, taken, own = self.after(place, color)
        if len(taken) == 1 and self.moves and self.moves[-1][0] != color and self.positions[-2] == position:
            return "ko"
        if own and not self.suicide:
            return "suicide"
        if self.positional_superko and position in set(self.positions):
            return "superko"
        return None

    def play(self, color: int, place: int | None) -> None:
        """Make a move, None for a pass, without asking whether it is legal."""
        counts = self.captured[-1].copy()
        if place is not None:
            self.colors, taken, own = self.after(place, color)
            counts[BLACK + WHITE - color] += len(taken)
            counts[color] += len(own)
        self.moves.append((color, place))
        self.positions.append(self.colors)
        self.captured.append(counts)

    def undo(self) -> None:
        """Take the last move back."""
        self.moves.pop()
        self.positions.pop()
        self.captured.pop()
        self.colors = self.positions[-1]

    def area(self) -> list[int]:
        """Return the owner of every place: 1 Black, -1 White, 0 neither."""
        owners = [0] * len(self.colors)
        for place, color in enumerate(self.colors):
            reached = {color}
            if color == EMPTY:
                reached = {self.colors[neighbor] for neighbor in self.region(self.colors, place)[1]}
            if reached == {BLACK}:
                owners[place] = 1
            elif reached == {WHITE}:
                owners[place] = -1
        return owners

    def is_position_possible(self) -> bool:
        """Tell whether every block has a liberty."""
        return all(liberties for _, liberties in self.blocks())
