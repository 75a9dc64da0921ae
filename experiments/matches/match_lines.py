"""Experiments whose lines are matches between contestants of `miai match`, other programs too, in pieces.

A line names two contestants and the game they play; a piece is two games of a line with the colours swapped. Games go
as those of `miai match`: `miai.match.referee` alone says what is legal and who won, and whoever fails forfeits.
"""

import collections
import os
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from miai.engine.go.actions import action_of_move
from miai.engine.go.points import move_at
from miai.experiments.running.pieces import Results
from miai.experiments.running.workers import PiecesFailed
from miai.gtp.client import Client, ClientError
from miai.match.contestants import Contestant, read_contestant, start_engine
from miai.match.engines import Engine
from miai.match.match_clock import MatchTimeSettings
from miai.match.openings import Opening
from miai.match.referee import GameSettings, PlayedGame, Referee
from miai.match.schedule import SIDES, ScheduledGame
from miai.match.tables import MatchAborted, check_engine
from miai.players.option_kinds import OptionError
from miai.players.options import GameOptions, PlayerOptions

SIZE = 9
BLOCK = 10
"""Pairs of a line that follow each other, so that engines need not be started for every pair."""
_MAX_ENGINES = 4
"""Engines that a process keeps; the one not used for longest ends first."""
_MAX_FAILURES = 10
"""Games in a row that a contestant may forfeit in a process."""


@dataclass(frozen=True)
class MatchLine:
    """Two contestants, in the words of `miai.match.contestants`, and the game they play."""

    name: str
    first: str
    """Whose score is told."""
    second: str
    komi: float
    seconds: int | None = None
    """Of each side's clock for a whole game; None = the contestants know themselves how long to think."""

    def contestants(self) -> dict[str, Contestant]:
        """Return both by side; raises OptionError, a ValueError, if one cannot be had."""
        return dict(zip(SIDES, map(read_contestant, (self.first, self.second)), strict=True))


@dataclass(frozen=True)
class MatchLinesPlan:
    """What the experiment runs."""

    experiment: str
    lines: tuple[MatchLine, ...]
    """All that there are: their places are in the numbers of pieces."""
    chosen: tuple[str, ...]
    """Names of those that are played."""
    games: int
    """Of each line; even."""
    rules: str
    counting: str
    """One of `miai.experiments.matches.game_rows.COUNTINGS`."""
    seed: int
    openings: tuple[Opening, ...] = ()
    """One for each pair, if they are counted so."""

    @property
    def num_pieces(self) -> int:
        """A piece is a pair of games of a line, in blocks of pairs; there are numbers for all lines."""
        return -(-self.games // (2 * BLOCK)) * BLOCK * len(self.lines)

    def place_of(self, piece: int) -> tuple[int, int]:
        """Return the place of a piece's line and the number of its pair, from 0."""
        rest, in_block = divmod(piece, BLOCK)
        block, place = divmod(rest, len(self.lines))
        return place, block * BLOCK + in_block

    def rows_of(self, piece: int) -> int:
        """Return 2, or 0 if the line is not played or has no such pair."""
        place, pair = self.place_of(piece)
        return 2 if self.lines[place].name in self.chosen and pair < self.games // 2 else 0

    @property
    def opening_komi(self) -> float:
        """The komi that openings are fair for: that of the first line."""
        return self.lines[0].komi

    def signature(self) -> dict[str, Any]:
        """Return what decides the games of a piece."""
        texts = dict.fromkeys(text for line in self.lines for text in (line.first, line.second))
        players = {text: described for text in texts if (described := _describe(text))}
        return {
            "experiment": self.experiment,
            "lines": {line.name: asdict(line) for line in self.lines},
            "players": players,
            "rules": self.rules,
            "counting": self.counting,
            "seed": self.seed,
        }

    def run_piece(self, piece: int) -> Results:
        """Play a pair; return `line`, and for each game what `_row_of` says.

        Raises:
            PiecesFailed: if a contestant fails game after game.
        """
        place, pair = self.place_of(piece)
        line = self.lines[place]
        settings = self._settings(line, place)
        engines = {side: _engine_of(side, one, self.rules) for side, one in line.contestants().items()}
        opening = self.openings[pair] if self.openings else ()
        rows = []
        for number, black in enumerate(SIDES, start=2 * pair + 1):
            played = Referee(ScheduledGame(number, black, opening), engines, settings).conduct()
            _watch_failures(line, played)
            rows.append(_row_of(played, settings.max_moves))
        columns = {name: np.array([row[name] for row in rows]) for name in rows[0]}
        return {"line": np.full(2, place, dtype=np.int16), **columns}

    def _settings(self, line: MatchLine, place: int) -> GameSettings:
        """Return what a line's games have in common; every line has random numbers of its own."""
        clock = None if line.seconds is None else MatchTimeSettings(line.seconds, 0, 0)
        timeout = GameSettings.move_timeout if line.seconds is None else 2.0 * line.seconds
        seed = self.seed * 1000 + place
        return GameSettings(SIZE, line.komi, self.rules, move_timeout=timeout, time_settings=clock, seed=seed)


def _describe(text: str) -> dict[str, Any] | None:
    """Return what the text of a contestant stands for today, options at their defaults left out; None for a program."""
    try:
        contestant = read_contestant(text)
    except OptionError:  # of a line that is not played here, for want of a program
        return None
    if contestant.options is None:
        return None
    defaults = asdict(PlayerOptions())
    options = {name: value for name, value in asdict(contestant.options).items() if value != defaults[name]}
    return {"options": {"miai": options}} | contestant.describe_files()


def check_programs(plan: MatchLinesPlan) -> dict[str, str]:
    """Start every program that is not miai once; return names and versions by command line.

    Raises:
        PiecesFailed: if one cannot play.
    """
    names: dict[str, str] = {}
    for place, line in enumerate(plan.lines):
        for side, contestant in line.contestants().items():
            if line.name in plan.chosen and contestant.program and contestant.label not in names:
                engine = Engine(side, lambda program=contestant.program: start_engine(program))  # type: ignore[misc]
                try:
                    names[contestant.label] = check_engine(engine, plan._settings(line, place))
                except MatchAborted as error:
                    raise PiecesFailed(f"{contestant.label}: {error}") from None
                finally:
                    engine.close()
    return names


def chosen_lines(plan: MatchLinesPlan) -> list[tuple[int, MatchLine]]:
    """Return the lines that are played, with their places."""
    return [(place, line) for place, line in enumerate(plan.lines) if line.name in plan.chosen]


def pick_lines(lines: Sequence[MatchLine], wanted: Sequence[str], default: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the names of lines in their order: those wanted, else the default ones, else all."""
    return tuple(line.name for line in lines if line.name in (wanted or default or [one.name for one in lines]))


def _row_of(played: PlayedGame, max_moves: int) -> Mapping[str, Any]:
    """Return what is kept of a game.

    `score` of the first contestant, NaN for a void or forfeited game, `plays_black`, `ending`, `failed` (side),
    `reason`, `length`, `moves` (actions, then -1); of each side `moves_`, `seconds_`, `counted_` (moves whose
    simulations were told) and `simulations_`; and `seconds`, those of both.
    """
    result = played.result
    moves = np.full(max_moves, -1, dtype=np.int16)
    moves[: len(result.moves)] = [action_of_move(move_at(vertex, SIZE), SIZE) for vertex in result.moves]
    row: dict[str, Any] = {
        "score": result.score_of_a if result.is_counted else np.nan,
        "plays_black": result.black == SIDES[0],
        "ending": result.ending,
        "failed": result.failed_side or "",
        "reason": result.reason[:200],
        "length": np.int16(len(result.moves)),
        "moves": moves,
        "seconds": sum(result.efforts[side].seconds for side in SIDES),
    }
    for side in SIDES:
        effort = result.efforts[side]
        row |= {
            f"moves_{side}": effort.moves,
            f"seconds_{side}": effort.seconds,
            f"counted_{side}": effort.counted_moves,
            f"simulations_{side}": effort.simulations,
        }
    return row


_engines: "collections.OrderedDict[tuple[str, str, str], Engine]" = collections.OrderedDict()
"""Those of this process, by side, contestant and rules."""
_failures: "collections.Counter[str]" = collections.Counter()
"""Games in a row that contestants forfeited in this process."""
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_engines.clear)


def _engine_of(side: str, contestant: Contestant, rules: str) -> Engine:
    """Return this process's engine of a contestant."""
    key = side, contestant.label, rules
    if key not in _engines:
        _engines[key] = Engine(side, lambda: _start(contestant, rules))
        while len(_engines) > _MAX_ENGINES:
            _engines.popitem(last=False)[1].close()
    _engines.move_to_end(key)
    return _engines[key]


def close_engines() -> None:
    """End all engines of this process."""
    while _engines:
        _engines.popitem()[1].close()


def _start(contestant: Contestant, rules: str) -> Client:
    """Start a contestant; miai has read its options, from a file that is then gone, when it tells its name."""
    with tempfile.TemporaryDirectory(prefix="miai-") as folder:
        client = start_engine(contestant.prepare(Path(folder) / "player.toml", GameOptions(SIZE, rules=rules)))
        try:
            client.send("name", timeout=600.0)
        except ClientError:
            pass  # whoever asks next meets it again
        return client


def _watch_failures(line: MatchLine, played: PlayedGame) -> None:
    for side, label in zip(SIDES, (line.first, line.second), strict=True):
        _failures[label] = _failures[label] + 1 if played.result.failed_side == side else 0
        if _failures[label] >= _MAX_FAILURES:
            raise PiecesFailed(f"{label} failed in {_MAX_FAILURES} games in a row, at last: {played.result.reason}")
