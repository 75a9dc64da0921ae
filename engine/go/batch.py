"""Many games at once: an array of records, each a board with all that belongs to its game, stepped by compiled code.

An *action* is a point counted row-major from the top left, 0 to size·size - 1, or size·size for a pass. Legal points
are kept as a bit set over the board's indices: all points with an empty neighbour are found by shifting the empty
ones, and positional superko is looked up only for points from which a stone of the player's colour was taken: every
earlier position with a stone there, and only such a one, can come again by playing there.
"""

import functools
from collections.abc import Sequence
from typing import Any

import numba
import numpy as np

from miai.engine.go.actions import action_of_point, move_of_action, point_of_action
from miai.engine.go.board import board_dtype, new_board, play
from miai.engine.go.game import Game
from miai.engine.go.history import contains_key, new_history, pop_key, push_key
from miai.engine.go.legality import REASONS, illegality, key_after, leaves_liberty, retakes_ko
from miai.engine.go.points import BLACK, EMPTY, NO_MOVE, PASS, WHITE
from miai.engine.go.rules import Rules
from miai.engine.go.scoring import area
from miai.engine.intrinsics import equal_mask, popcount, to_pointer, trailing_zeros
from miai.engine.jit import compiled
from miai.engine.random import new_stream, random_below

_ONE = np.uint64(1)
_WORD = np.uint64(64)

GOES_ON = 0
FINISHED = 1
TRUNCATED = 2
FORFEITED = 3
"""How a game stands after a step: it goes on, both players passed, it reached the move limit, or an illegal action
lost it."""

BOTH = 0
EITHER = BLACK + WHITE
"""What `agent_choice` may be besides BLACK and WHITE: the caller plays both colours, or a random one for each game."""


@functools.cache
def game_dtype(size: int) -> np.dtype:
    """Return the record type of a game.

    Raises:
        ValueError: if `size` is not from 2 to 19.
    """
    board = board_dtype(size)
    words = board["liberties"].shape[1]
    return np.dtype(
        [
            ("board", board),
            ("empty", "u8", (words,)),  # bit sets over the board's indices
            ("legal", "u8", (words,)),  # what the player to move may play
            ("stones", "u8", (3, words)),  # by colour
            ("vacated", "u8", (3, words)),  # where a stone of the colour was taken off the board in this game
            ("stream", "u8", (2,)),  # random numbers
            ("history", "u8"),  # address of the game's history
            ("history_slots", "i8"),
            ("moves", "u8"),  # address of the moves made, int16 [move_limit]
            ("num_moves", "i8"),
            ("move_limit", "i8"),
            ("komi", "f8"),
            ("draw_reward", "f8"),
            ("score", "f8"),  # Black minus White minus komi, once the game is over
            ("agent", "i8"),  # the colour that the caller plays, or BOTH
            ("agent_choice", "i8"),  # which one in the next game: BOTH, BLACK, WHITE or EITHER
            ("state", "u1"),  # GOES_ON, FINISHED, TRUNCATED or FORFEITED
            ("has_superko", "u1"),
            ("forfeits", "u1"),  # whether an illegal action loses the game; else it is refused
            ("features", "u1", (size * size,)),  # what `miai.engine.go.planes` shows of each point, a bit a plane
            (
                "owners",
                "i1",
                (size * size,),
            ),  # of every point, once the game is over; see `miai.engine.go.scoring.area`
        ],
        align=True,
    )


class GameBatch:
    """Memory for a number of games, and their state."""

    games: np.ndarray
    """The records, `game_dtype` [number]; they hold addresses, so that a copy of them is good for reading only."""
    moves: np.ndarray
    """The moves made in each game, int16 [number, move_limit]."""
    histories: np.ndarray
    """The positions each game has been through, uint64 [number, 2, slots]; see `miai.engine.go.history`."""

    def __init__(self, number: int, size: int, komi: float, rules: Rules, move_limit: int) -> None:
        """Make room for games that have not begun; call `restart_games` to begin them.

        Raises:
            ValueError: if `size` is not from 2 to 19, or the rules allow suicide.
        """
        if rules.suicide:
            raise ValueError("batches of games know no rules that allow suicide")
        self._size = size
        self._rules = rules
        self.games = np.zeros(number, dtype=game_dtype(size))
        slots = new_history(move_limit + 1).shape[1]
        self.histories = np.zeros((number, 2, slots), dtype=np.uint64)
        self.moves = np.zeros((number, move_limit), dtype=np.int16)
        self.games["board"] = new_board(size)[0]
        self._set_addresses()
        self.games["history_slots"] = slots
        self.games["move_limit"] = move_limit
        self.games["komi"] = komi
        self.games["has_superko"] = rules.has_superko

    def _set_addresses(self) -> None:
        for field, memory in (("history", self.histories), ("moves", self.moves)):
            first = memory.ctypes.data
            self.games[field] = first + np.arange(len(memory), dtype=np.uint64) * np.uint64(memory.strides[0])

    def seed(self, seeds: Sequence[int], chosen: np.ndarray) -> None:
        """Begin the random streams of the games that `chosen`, bool [games], tells; `seeds` has one for every game."""
        for index in np.flatnonzero(chosen).tolist():
            self.games[index]["stream"] = new_stream(seeds[index])

    def to_game(self, index: int) -> Game:
        """Return one of the games for Python callers: to be shown, searched or saved as SGF."""
        game = Game(self._size, float(self.games["komi"][index]), self._rules)
        for move in self.moves[index, : int(self.games["num_moves"][index])].tolist():
            game.play(game.to_play, move)
        return game

    def why_illegal(self, index: int, action: int) -> str | None:
        """Return the rule against an action, 0 to size·size, for the player to move; None if it is legal."""
        if action == self._size**2:
            return None
        game = self.games[index]
        point = move_of_action(action, self._size)
        color = int(game["board"]["to_play"])
        reason = illegality(game["board"], self.histories[index], point, color, self._rules.has_superko, False)
        return REASONS[reason]

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take a copy's state: the addresses in the records must be those of its own memory."""
        self.__dict__.update(state)
        self._set_addresses()

    def save(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return a copy of everything, for `load`."""
        return self.games.copy(), self.histories.copy(), self.moves.copy()

    def load(self, saved: tuple[np.ndarray, np.ndarray, np.ndarray]) -> None:
        """Go back to what `save` of this or an equal batch returned."""
        for target, source in zip((self.games, self.histories, self.moves), saved, strict=True):
            target[:] = source
        self._set_addresses()


@compiled
def _history(game):
    return numba.carray(to_pointer(game.history), (2, game.history_slots), np.uint64)


@compiled
def _moves(game):
    return numba.carray(to_pointer(game.moves), (game.move_limit,), np.int16)


@compiled
def _size_of(board):
    return np.int64(board.width_marker.shape[0]) - 1


@compiled
def is_action_legal(game, action):
    """Tell whether the player to move may take an action, any integer."""
    num_points = np.int64(game.owners.shape[0])
    if action < 0 or action > num_points:
        return False
    if action == num_points:
        return True
    point = point_of_action(action, _size_of(game.board))
    return (game.legal[point // _WORD] >> (point % _WORD)) & _ONE != 0


@compiled
def _forget_keys(history):
    while np.int64(history[1, 0]) > 0:
        pop_key(history)


@compiled
def _clear_board(board):
    """Empty a board, whatever is on it."""
    size = _size_of(board)
    for index in range(size * size):
        point = point_of_action(index, size)
        board.color[point] = EMPTY
        board.num_liberties[point] = 0
        board.head[point] = 0
        board.empty_points[index] = point
        board.empty_index[point] = index
    board.num_empty = size * size
    board.key = 0
    board.to_play = BLACK
    board.ko_point = PASS
    board.last_move = NO_MOVE
    board.second_last_move = NO_MOVE
    board.num_passes = 0
    for color in range(3):
        board.num_captured[color] = 0


@compiled
def restart(game):
    """Begin a new game on the empty board, Black to play."""
    _clear_board(game.board)
    history = _history(game)
    _forget_keys(history)
    push_key(history, game.board.key)
    for word in range(game.legal.shape[0]):
        for color in range(3):
            game.stones[color, word] = 0
            game.vacated[color, word] = 0
    game.num_moves = 0
    game.state = GOES_ON
    game.agent = game.agent_choice
    if game.agent_choice == EITHER:
        game.agent = BLACK + random_below(game, 2)
    find_legal_points(game)


@compiled
def _points_with_empty_neighbor(game, word):
    """Return the bit set of the empty points in one word that have an empty neighbour."""
    width = np.uint64(game.board.width_marker.shape[0])
    bits = game.empty[word]
    around = (bits << _ONE) | (bits >> _ONE) | (bits << width) | (bits >> width)
    if word > 0:
        lower = game.empty[word - 1]
        around |= (lower >> (_WORD - _ONE)) | (lower >> (_WORD - width))
    if word < game.empty.shape[0] - 1:
        upper = game.empty[word + 1]
        around |= (upper << (_WORD - _ONE)) | (upper << (_WORD - width))
    return bits & around


@compiled
def find_legal_points(game):
    """Write the bit set of the points that the player to move may play to `game.legal`, superko included."""
    board = game.board
    color = np.uint8(board.to_play)
    for word in range(game.empty.shape[0]):
        game.empty[word] = equal_mask(board.color, word, np.uint8(EMPTY))
    for word in range(game.empty.shape[0]):
        legal = _points_with_empty_neighbor(game, word)
        crowded = game.empty[word] & ~legal
        while crowded != 0:
            bit = np.uint64(trailing_zeros(crowded))
            crowded &= crowded - _ONE
            legal |= np.uint64(leaves_liberty(board, np.uint64(word) * _WORD + bit, color)) << bit
        game.legal[word] = legal
    ko_point = np.uint64(board.ko_point)
    if board.ko_point != PASS and retakes_ko(board, board.ko_point, color):
        game.legal[ko_point // _WORD] &= ~(_ONE << (ko_point % _WORD))
    if game.has_superko and board.num_captured[BLACK] + board.num_captured[WHITE] > 0:
        _exclude_repetitions(game, color)


@compiled
def _exclude_repetitions(game, color):
    """Take the points by which an earlier position would come again out of `game.legal`."""
    history = _history(game)
    for word in range(game.legal.shape[0]):
        suspects = game.legal[word] & game.vacated[color, word]
        while suspects != 0:
            bit = np.uint64(trailing_zeros(suspects))
            suspects &= suspects - _ONE
            if contains_key(history, key_after(game.board, np.uint64(word) * _WORD + bit, color)):
                game.legal[word] &= ~(_ONE << bit)


@compiled
def make_move(game, move):
    """Make a legal move, PASS or a point, and find what is legal next; sets `state` and, at the end, the score."""
    board = game.board
    play(board, np.int64(move))
    _moves(game)[game.num_moves] = move
    game.num_moves += 1
    if move != PASS:
        push_key(_history(game), board.key)
        for word in range(game.empty.shape[0]):
            for color in range(BLACK, WHITE + 1):
                stones = equal_mask(board.color, word, np.uint8(color))
                game.vacated[color, word] |= game.stones[color, word] & ~stones
                game.stones[color, word] = stones
    find_legal_points(game)
    if board.num_passes >= 2:
        _end(game, FINISHED)
    elif game.num_moves >= game.move_limit:
        _end(game, TRUNCATED)


@compiled
def _end(game, state):
    game.state = state
    game.score = area(game.board, game.owners) - game.komi


@compiled
def result_for(game, color):
    """Return the reward of `color` by the score of a game that is over."""
    if game.score == 0.0:
        return game.draw_reward
    return 1.0 if (game.score > 0.0) == (color == BLACK) else -1.0


@compiled
def take_action(game, action):
    """Take an action for the player to move; return the reward of this player: 0 until the game is over."""
    color = np.int64(game.board.to_play)
    if not is_action_legal(game, action):
        _end(game, FORFEITED)
        return -1.0
    make_move(game, move_of_action(action, _size_of(game.board)))
    return 0.0 if game.state == GOES_ON else result_for(game, color)


@compiled
def write_mask(game, mask):
    """Write which actions are legal, 1 or 0, to `mask`, int8 [size·size + 1]."""
    width = np.uint64(game.board.width_marker.shape[0])
    size = width - _ONE
    last_word = np.uint64(game.legal.shape[0] - 1)
    for row in range(size):
        start = np.uint64(row + 1) * width + _ONE
        word, shift = start // _WORD, start % _WORD
        bits = game.legal[word] >> shift
        bits |= (game.legal[min(word + _ONE, last_word)] << _ONE) << (_WORD - _ONE - shift)
        first = np.uint64(row) * size
        for column in range(size):
            mask[first + np.uint64(column)] = (bits >> np.uint64(column)) & _ONE
    mask[size * size] = 1


@compiled
def sample_action(game):
    """Sample uniformly from the legal actions, the pass among them."""
    count = np.int64(1)
    for word in range(game.legal.shape[0]):
        count += popcount(game.legal[word])
    left = random_below(game, count)
    for word in range(game.legal.shape[0]):
        bits = game.legal[word]
        here = popcount(bits)
        if left < here:
            for _ in range(left):
                bits &= bits - _ONE
            point = np.uint64(word) * _WORD + np.uint64(trailing_zeros(bits))
            return action_of_point(point, _size_of(game.board))
        left -= here
    return np.int64(game.owners.shape[0])
