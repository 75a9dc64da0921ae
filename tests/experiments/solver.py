"""Who wins a Go position, by trying every move: slow, short, and independent of the engine and its searches.

A set of points is an int with a bit for each, one more to a row than the board has, so that no shift leads round a
corner. The rules are Tromp-Taylor's with positional superko and without suicide. Two things keep the work small and
cannot change what it finds. By Benson's theorem a line of play ends once safe points decide the game, and nobody
plays in safe territory that has no stones to take. And what was proven of a position is used again where it comes up
by other moves, unless the positions before it differ in one that the proof depends on.
"""

from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

Stones = tuple[int, int]
"""Black's and White's."""


class Proof(NamedTuple):
    """Who wins from a position, and in which games; sets of positions are ints with a bit for each."""

    is_won: bool
    """By the player to move."""
    entered: int
    """Positions that the winner's moves lead to: none may have occurred."""
    refused: int
    """Positions that the loser's moves would lead to if they had not occurred: all must have."""


class Solver:
    """A board's size and the komi."""

    def __init__(self, size: int, komi: float) -> None:
        self.komi = komi
        self.width = size + 1
        self.board = sum(self.point(row, column) for row in range(size) for column in range(size))
        self._facts = cache(self._look)
        self._after = cache(self.after)
        self._numbers: dict[Stones, int] = {}
        self._proofs: dict[tuple[Stones, bool, int], list[Proof]] = {}
        self._best: dict[tuple[Stones, bool], int] = {}

    def point(self, row: int, column: int) -> int:
        """Return the set of one point; rows and columns count from 0 at the top left."""
        return 1 << (row * self.width + column)

    def near(self, points: int) -> int:
        """Return a set of points with all points beside them."""
        return (points | points << 1 | points >> 1 | points << self.width | points >> self.width) & self.board

    def connected(self, start: int, within: int) -> int:
        """Return the points of `within` that are connected to `start` in it."""
        while (grown := self.near(start) & within) != start:
            start = grown
        return start

    def parts(self, points: int) -> Iterator[int]:
        """Return the connected parts of a set."""
        while points:
            part = self.connected(points & -points, points)
            points &= ~part
            yield part

    def after(self, stones: Stones, is_black: bool, move: int) -> Stones | None:
        """Return the stones after a move, None if it is suicide."""
        own, other = stones if is_black else stones[::-1]
        own |= move
        touched = self.near(move) & other
        while touched:
            block = self.connected(touched & -touched, other)
            touched &= ~block
            if not self.near(block) & ~own & ~other:
                other &= ~block
        if not self.near(self.connected(move, own)) & ~own & ~other:
            return None
        return (own, other) if is_black else (other, own)

    def area(self, own: int, other: int) -> int:
        """Return own stones and the empty points that touch no others: what counts at the end."""
        return own | sum(part for part in self.parts(self.board & ~own & ~other) if not self.near(part) & other)

    def safe(self, own: int, other: int) -> int:
        """Return the points that are own for good, even without another move of one's own (Benson 1976).

        Blocks with two vital regions, and the regions that touch only such and have no room for two eyes of the
        opponent.
        """
        regions, blocks = list(self.parts(self.board & ~own)), list(self.parts(own))
        while True:
            alive = [b for b in blocks if sum(r & ~other != 0 == r & ~other & ~self.near(b) for r in regions) > 1]
            stones = sum(alive)
            sound = [r for r in regions if not self.near(r) & own & ~stones]
            if len(alive) == len(blocks) and len(sound) == len(regions):
                break
            blocks, regions = alive, sound
        return stones | sum(r for r in regions if stones and (r & ~self.near(stones)).bit_count() <= 1)

    def moves(self, stones: Stones) -> list[int]:
        """Return the empty points, one set each, but those of safe territory without stones to take."""
        return self._facts(stones)[-1]

    def wins(self, stones: Stones, is_black: bool, move: int) -> bool:
        """Tell whether a player wins by a legal move, the empty set for a pass, in a game that begins here."""
        proof = self._try(stones, is_black, 1 << self._number(stones), 0, move)
        return proof is not None and not proof.is_won

    def _look(self, stones: Stones) -> tuple[int, int, int, list[int]]:
        """Return the least and greatest score that is still possible, the score as it stands, and the moves."""
        (black, white), total = stones, self.board.bit_count()
        of_black, of_white = self.safe(black, white), self.safe(white, black)
        low, high = 2 * of_black.bit_count() - total, total - 2 * of_white.bit_count()
        now = self.area(black, white).bit_count() - self.area(white, black).bit_count()
        points = self.board & ~black & ~white
        for territory, other in ((of_black & ~black, white), (of_white & ~white, black)):
            points &= ~sum(part for part in self.parts(territory) if not part & other)
        return low, high, now, [1 << index for index in range(points.bit_length()) if points >> index & 1]

    def _number(self, stones: Stones) -> int:
        return self._numbers.setdefault(stones, len(self._numbers))

    def _try(self, stones: Stones, is_black: bool, seen: int, passes: int, move: int) -> Proof | None:
        """Return what is proven for the opponent after a move, None if the move is suicide.

        A move that superko forbids is won by the opponent, if the position it leads to has occurred.
        """
        if not move:
            return self._prove(stones, not is_black, seen, passes + 1)
        later = self._after(stones, is_black, move)
        if later is None:
            return None
        bit = 1 << self._number(later)
        if seen & bit:
            return Proof(True, 0, bit)
        proof = self._prove(later, not is_black, seen | bit, 0)
        refused = proof.refused & ~bit
        return Proof(True, proof.entered, refused) if proof.is_won else Proof(False, proof.entered | bit, refused)

    def _prove(self, stones: Stones, is_black: bool, seen: int, passes: int) -> Proof:
        low, high, now, moves = self._facts(stones)
        if passes == 2:
            return Proof((now > self.komi) == is_black, 0, 0)
        if low > self.komi or high < self.komi:
            return Proof((low > self.komi) == is_black, 0, 0)
        known = self._proofs.setdefault((stones, is_black, passes), [])
        for proof in known:
            if not proof.entered & seen and not proof.refused & ~seen:
                return proof
        entered, refused = 0, 0
        best = self._best.get((stones, is_black), 0)
        for move in (best, *(other for other in (0, *moves) if other != best)):
            after = self._try(stones, is_black, seen, passes, move)
            if after is None:
                continue
            if not after.is_won:
                self._best[stones, is_black] = move
                proof = Proof(True, after.entered, after.refused)
                break
            entered, refused = entered | after.entered, refused | after.refused
        else:
            proof = Proof(False, entered, refused)
        known.append(proof)
        return proof
