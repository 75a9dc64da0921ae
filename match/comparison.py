"""What players' moves lose in positions of recorded games: how players compare before they play a match.

A judge searches the positions after their moves. A move's *loss* is the result, from 0 to 1, that is expected after the
best of the moves that the players choose in a position, minus the one expected after this move: where all choose the
same move nobody loses.
"""

import hashlib
import itertools
import json
import queue
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple, TypeVar

import numpy as np

from miai.engine.go.game import Game, IllegalMove
from miai.engine.go.points import VertexError, color_name, move_at, vertex_of
from miai.engine.search.search import Budget
from miai.match.answer_file import AnswerFile
from miai.match.contestants import Contestant, start_engine
from miai.match.engines import Effort, Engine, EngineFailed
from miai.match.position_sample import SampledPosition
from miai.match.statistics import mean_over_groups
from miai.players.fallback import options_on
from miai.players.options import GameOptions, PlayerOptions
from miai.players.player import Player

OPEN = (0.1, 0.9)
"""Expected results between which a position is open."""
LOOK = 64
"""Simulations of the judge before it is known whether a position is open."""
_LOOKS_AT_ONCE = 4
"""For each copy of the judge."""
_RESIGN = "resign"
_TIMEOUT = 300.0
"""Seconds after which a move counts as never coming."""

Worker = TypeVar("Worker")
Task = TypeVar("Task")


class ComparisonFailed(Exception):
    """Players that cannot be compared; the text tells why."""


class Choice(NamedTuple):
    """A player's move in a position."""

    move: str
    """As GTP writes it, in upper case, or `resign`."""
    seconds: float
    simulations: int | None
    """None if the player does not tell."""


@dataclass(frozen=True)
class Comparison:
    """What players chose in positions, and what that lost."""

    choices: Sequence[Sequence[Choice]]
    """By player and position."""
    losses: np.ndarray
    """float64 [players, positions], 0 to 1."""
    games: np.ndarray
    """int64 [positions]: a number of the game, as errors are over games."""

    def loss(self, player: int, other: int | None = None) -> tuple[float, float]:
        """Return a player's mean loss, or how much more it is than another's, and its standard error."""
        losses = self.losses[player]
        return mean_over_groups(losses if other is None else losses - self.losses[other], self.games)

    def differing(self, player: int, other: int) -> float:
        """Return the fraction of positions where two players choose different moves."""
        pairs = list(zip(self.choices[player], self.choices[other], strict=True))
        return sum(one.move != two.move for one, two in pairs) / len(pairs)

    def seconds(self, player: int) -> float:
        """Return a player's mean seconds a move."""
        return float(np.mean([one.seconds for one in self.choices[player]]))

    def simulations(self, player: int) -> float | None:
        """Return a player's mean simulations a move; None if it does not tell."""
        told = [one.simulations for one in self.choices[player] if one.simulations is not None]
        return float(np.mean(told)) if told else None


class Judge:
    """One of miai's players, who says what is expected of positions, each with random numbers of its own."""

    def __init__(self, options: PlayerOptions, size: int, copies: int, answers: AnswerFile) -> None:
        """Make as many copies as are to search at once, on boards of a size; a fallback may stand for a network.

        Raises:
            ValueError: for options that do not go together, or a network that does not fit and has no fallback.
        """
        options = options_on(options, size)
        self._name = name_of(Contestant("", options=options))
        self._budget = Budget(options.simulation_limit, options.time)
        self._answers = answers
        self.copies = [Player(options) for _ in range(copies)]
        """They share nothing."""

    def is_open(self, copy: Player, game: Game) -> bool:
        """Tell whether a short look leaves open who wins; asked of one of the copies."""
        lowest, highest = OPEN
        return lowest < self._expected(copy, game, Budget(LOOK)) < highest

    def expected_after(self, copy: Player, game: Game, move: str) -> float:
        """Return the result, 0 to 1, that is expected for who makes a move; asked of one of the copies."""
        if move == _RESIGN:
            return 0.0
        after = game.copy()
        after.play(game.to_play, move)
        return 1.0 - self._expected(copy, after, self._budget)

    def _expected(self, copy: Player, game: Game, budget: Budget) -> float:
        """Return the result that is expected for who is to move."""

        question = f"{self._name} judges {_name(game)}, {budget}"

        def search() -> float:
            copy.set_seed(int(_digest(question)[:15], 16))
            return float(copy.search(game, game.to_play, budget).value)

        return float(self._answers.ask(question, search))

    def close(self) -> None:
        """Release memory and threads."""
        for copy in self.copies:
            copy.close()


def choose_open(
    drawn: Iterator[SampledPosition], number: int, judge: Judge, on_position: Callable[[], object]
) -> list[SampledPosition]:
    """Return the first positions, at most so many, that the judge finds open, all of the first's size and komi.

    `on_position` is called after each of them.

    Raises:
        ComparisonFailed: if there is none.
    """
    chosen: list[SampledPosition] = []
    first: Game | None = None
    while len(chosen) < number and (some := list(itertools.islice(drawn, _LOOKS_AT_ONCE * len(judge.copies)))):
        first = first or some[0].game
        fitting = [one for one in some if (one.game.size, one.game.komi) == (first.size, first.komi)]
        answers = _do(fitting, judge.copies, lambda copy, one: judge.is_open(copy, one.game))
        for one, is_open in zip(fitting, answers, strict=True):
            if is_open and len(chosen) < number:
                chosen.append(one)
                on_position()
    if not chosen:
        raise ComparisonFailed("there are no positions where the judge leaves open who wins")
    return chosen


class _Seat:
    """An engine of each player."""

    def __init__(self, players: Sequence[Contestant], game: Game, folder: Path) -> None:
        options = GameOptions(size=game.size, komi=game.komi)
        commands = [player.prepare(folder / f"{number}.toml", options) for number, player in enumerate(players)]
        self.engines = [
            Engine(player.label, partial(start_engine, command))
            for player, command in zip(players, commands, strict=True)
        ]

    def choose(self, number: int, game: Game, seed: int) -> Choice:
        """Return a player's move."""
        engine, effort = self.engines[number], Effort()
        engine.begin(game.size, game.komi, None, seed)
        for color, move in game.moves:
            engine.play(color_name(color), vertex_of(move, game.size))
        text, seconds = engine.choose(color_name(game.to_play), _TIMEOUT, effort)
        if text.lower() == _RESIGN:
            return Choice(_RESIGN, seconds, None)
        try:
            move = move_at(text, game.size)
            game.copy().play(game.to_play, move)
        except (VertexError, IllegalMove) as error:
            raise EngineFailed(engine.side, "illegal", f"{text[:20]!r}: {error}") from error
        engine.explain(effort)
        return Choice(vertex_of(move, game.size), seconds, effort.simulations if effort.counted_moves else None)


def ask_players(
    players: Sequence[Contestant],
    positions: Sequence[SampledPosition],
    seed: int,
    parallel: int,
    answers: AnswerFile,
    on_move: Callable[[], object],
) -> list[list[Choice]]:
    """Return the moves that players choose, by player and position.

    Args:
        players: who are compared.
        positions: for one size of board and komi, none after a pass.
        seed: of the players' random streams.
        parallel: how many think at once.
        answers: where the moves are kept.
        on_move: called after each.

    Raises:
        ComparisonFailed: if a player fails.
        AnswerFileError: if a move cannot be kept.
    """
    names = [name_of(player) for player in players]

    def choose(seat: _Seat, task: tuple[int, Game]) -> Choice:
        number, game = task
        question = f"{names[number]} moves in {_name(game)}, seed {seed}"
        found = Choice(*answers.ask(question, lambda: seat.choose(number, game, seed)))
        on_move()
        return found

    tasks = [(number, one.game) for one in positions for number in range(len(players))]
    try:
        with _seats(players, positions[0].game, parallel) as seats:
            found = _do(tasks, seats, choose, _kill)
    except EngineFailed as failure:
        raise ComparisonFailed(f"{failure.side} failed: {failure}") from failure
    return [found[number :: len(players)] for number in range(len(players))]


def disputed_moves(choices: Sequence[Sequence[Choice]]) -> list[tuple[int, str]]:
    """Return the number of the position and the move, for all moves in positions where players differ."""
    of_positions = [{one.move for one in choices_there} for choices_there in zip(*choices, strict=True)]
    return [(place, move) for place, some in enumerate(of_positions) if len(some) > 1 for move in sorted(some)]


def judge_moves(
    choices: Sequence[Sequence[Choice]],
    positions: Sequence[SampledPosition],
    judge: Judge,
    on_judgement: Callable[[], object],
) -> Comparison:
    """Return what players' moves in positions lose; `on_judgement` is called after each of the disputed ones.

    Raises:
        AnswerFileError: if a judgement cannot be kept.
    """

    def expect(copy: Player, task: tuple[int, str]) -> float:
        place, move = task
        found = judge.expected_after(copy, positions[place].game, move)
        on_judgement()
        return found

    disputed = disputed_moves(choices)
    expected = np.full((len(choices), len(positions)), np.nan)
    for (place, move), value in zip(disputed, _do(disputed, judge.copies, expect), strict=True):
        expected[[some[place].move == move for some in choices], place] = value
    losses = np.nan_to_num(expected.max(axis=0) - expected)
    numbers = {path: number for number, path in enumerate(dict.fromkeys(one.path for one in positions))}
    return Comparison(choices, losses, np.array([numbers[one.path] for one in positions]))


@contextmanager
def _seats(players: Sequence[Contestant], game: Game, number: int) -> Iterator[list[_Seat]]:
    with TemporaryDirectory(prefix="miai-compare-") as folder:
        seats = [_Seat(players, game, Path(folder)) for _ in range(number)]
        try:
            yield seats
        finally:
            for engine in (engine for seat in seats for engine in seat.engines):
                engine.close()


def _kill(seats: Sequence[_Seat]) -> None:
    """Let the moves under way fail."""
    for engine in (engine for seat in seats for engine in seat.engines):
        engine.kill()


def _do(
    tasks: Sequence[Task],
    workers: Sequence[Worker],
    work: Callable[[Worker, Task], Any],
    halt: Callable[[Sequence[Worker]], None] | None = None,
) -> list[Any]:
    """Return what workers, each with one task at a time, make of tasks; if one fails, `halt` ends the others."""
    idle: queue.SimpleQueue[Worker] = queue.SimpleQueue()
    for worker in workers:
        idle.put(worker)
    stop = threading.Event()

    def do_one(task: Task) -> Any:
        if stop.is_set():
            return None
        worker = idle.get()
        try:
            return work(worker, task)
        finally:
            idle.put(worker)

    with ThreadPoolExecutor(len(workers)) as pool:
        try:
            return [future.result() for future in [pool.submit(do_one, task) for task in tasks]]
        except BaseException:
            stop.set()
            if halt is not None:
                halt(workers)
            raise


def name_of(player: Contestant) -> str:
    """Return a name of all that makes a player play as it does, its network's weights and its own rules included."""
    return _digest(player.describe() | player.describe_files())


def _name(game: Game) -> str:
    """Return a name of a position and of the game before it."""
    return _digest([game.size, game.komi, game.moves])


def _digest(description: Any) -> str:
    return hashlib.sha256(json.dumps(description, sort_keys=True).encode()).hexdigest()[:16]
