"""What networks' best moves lose by a teacher: how networks compare before they play.

A network's *regret* in a position is the result that the teacher expects there, from 0 to 1, minus what it expects
after the network's best move. The teacher has some too: its policy's best move need not be its value's.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from miai.engine.go.points import opponent
from miai.match.statistics import mean_over_groups
from miai.selfplay.data.format import GameFile, join_games
from miai.selfplay.data.labels import Opinions
from miai.selfplay.labelling.pieces import Piece
from miai.selfplay.labelling.teacher import Teacher
from miai.selfplay.training.positions import PHASES

_TOGETHER = 256


class Asked(NamedTuple):
    """Positions of one file to ask about."""

    file: GameFile
    rows: np.ndarray
    """int64 [positions]"""
    first_game: int
    """Number of the file's first game among all."""


@dataclass(frozen=True)
class Regrets:
    """What one network's best moves lose; all arrays have an entry for each position."""

    loss: np.ndarray
    """float32: in expected result; below 0 where the teacher likes the position after the move better."""
    agrees: np.ndarray
    """bool: whether the move is the teacher's best."""
    value_error: np.ndarray
    """float32: distance of the network's expected result from the teacher's."""
    played: np.ndarray
    """int64: moves made before."""
    game: np.ndarray
    """int64: a number of the game."""

    def mean(self, loss: np.ndarray | None = None) -> tuple[float, float]:
        """Return the mean of the loss, or of another quantity of each position, and its standard error over games."""
        return mean_over_groups(self.loss if loss is None else loss, self.game)

    def by_phase(self) -> dict[str, float]:
        """Return the mean loss in each of `PHASES` that has positions."""
        parts = {name: (first <= self.played) & (self.played < last) for name, (first, last) in PHASES.items()}
        return {name: float(self.loss[part].mean()) for name, part in parts.items() if part.any()}


def draw_positions(pieces: Sequence[Piece], number: int, seed: int) -> list[Asked]:
    """Return so many positions of recorded games, or all if there are fewer.

    Positions after a pass are left out: what a pass does there is for the rules to say.
    """
    asked = []
    num_games = 0
    for piece in pieces:
        file = piece.load()
        starts = file.games["first"][file.game_of_row[piece.rows]]
        after_pass = (piece.rows > starts) & (file.move[piece.rows - 1] == file.size**2)
        asked.append(Asked(file, piece.rows[~after_pass], num_games))
        num_games += len(file.games)
    owners = np.repeat(np.arange(len(asked)), [len(one.rows) for one in asked])
    chosen = np.sort(np.random.default_rng(seed).permutation(len(owners))[:number])
    begins = np.searchsorted(owners, np.arange(len(asked)))
    return [
        one._replace(rows=one.rows[chosen[owners[chosen] == index] - begins[index]])
        for index, one in enumerate(asked)
        if (owners[chosen] == index).any()
    ]


class Judge:
    """A teacher, and what it has said of the positions."""

    def __init__(self, teacher: Teacher, asked: Sequence[Asked], on_positions: Callable[[int], None]) -> None:
        """Ask the teacher about positions of files that it can play on.

        Args:
            on_positions: told after each batch how many positions the networks have seen.
        """
        self._teacher = teacher
        self._asked = asked
        self._on_positions = on_positions
        self._before = [self._ask(teacher, one) for one in asked]
        self._known: dict[tuple[int, int, int], float] = {}

    def regrets(self, network: Teacher) -> Regrets:
        """Return what a network's best moves lose."""
        parts = []
        for index, (one, before) in enumerate(zip(self._asked, self._before, strict=True)):
            said = self._ask(network, one)
            moves = said.policy.argmax(axis=1)
            expected = _expected_result(before)
            games = one.file.game_of_row[one.rows]
            parts.append(
                (
                    expected - self._after(index, moves),
                    moves == before.policy.argmax(axis=1),
                    np.abs(_expected_result(said) - expected),
                    one.rows - one.file.games["first"][games],
                    one.first_game + games,
                )
            )
        return Regrets(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))

    def _after(self, index: int, moves: np.ndarray) -> np.ndarray:
        """Return the result that the teacher expects after a move in each position of a file, for who makes it."""
        one = self._asked[index]
        keys = [(index, int(row), int(move)) for row, move in zip(one.rows, moves, strict=True)]
        new = [place for place, key in enumerate(keys) if key not in self._known]
        if new:
            after = _positions_after(one.file, one.rows[new], moves[new])
            for place, value in zip(new, _expected_result(self._ask(self._teacher, after)), strict=True):
                self._known[keys[place]] = 1.0 - float(value)
        self._on_positions(len(keys) - len(new))
        return np.array([self._known[key] for key in keys], dtype=np.float32)

    def _ask(self, network: Teacher, asked: Asked) -> Opinions:
        said = []
        for first in range(0, len(asked.rows), _TOGETHER):
            part = asked.rows[first : first + _TOGETHER]
            said.append(network.judge(asked.file, part))
            self._on_positions(len(part))
        return Opinions(*(np.concatenate(arrays) for arrays in zip(*said, strict=True)))


def _expected_result(said: Opinions) -> np.ndarray:
    return said.wdl[:, 0] + 0.5 * said.wdl[:, 1]


def _positions_after(file: GameFile, rows: np.ndarray, moves: np.ndarray) -> Asked:
    """Return the positions after a move in each of some positions, as games of their own that end with a pass."""
    games = file.game_of_row
    records = []
    for row, move in zip(rows.tolist(), moves.tolist(), strict=True):
        record = file.game(int(games[row]))
        number = row - int(file.games["first"][games[row]])
        color = record.colors[number]
        for entries in (record.moves, record.colors, record.root_values, record.root_scores, record.targets):
            del entries[number:]
        record.add_move(color, move)
        record.add_move(opponent(color), file.size**2)
        records.append(record)
    after = join_games(records)
    return Asked(after, after.games["first"] + after.games["num_moves"] - 1, 0)
