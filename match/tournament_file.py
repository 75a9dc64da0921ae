"""A tournament as a TOML file says it.

form = "gauntlet"            # or "round-robin", "swiss"
games = 40                   # of each two players; even
time_settings = [60, 0, 0]

[[players]]
player = "net:threads=2"     # as for miai match
name = "new"
[[players]]
player = "gnugo --mode gtp --chinese-rules --capture-all-dead --play-out-aftermath"
"""

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from miai.match.contestants import Contestant, read_contestant
from miai.match.forms import FORMS
from miai.match.match_clock import MatchTimeSettings
from miai.match.match_options import MatchOptions
from miai.match.opening_evaluation import WINDOW
from miai.match.openings import read_plies
from miai.match.statistics import SequentialTest
from miai.players.option_fields import OptionField, check_fields, fields_of, read_option_file
from miai.players.option_kinds import (
    Integer,
    NameChoice,
    OptionError,
    OptionKind,
    PairOf,
    Real,
    Switch,
    name_list,
    unknown_name,
)
from miai.players.options import GameOptions

_MAX_PLAYERS = 64


@dataclass(frozen=True)
class _Text:
    """A text, or nothing."""

    metavar: str = "TEXT"
    allowed: str = "a text"

    def read(self, value: Any) -> str:
        if isinstance(value, str):
            return value
        raise OptionError(f"{str(value)[:40]!r} is not allowed (allowed: {self.allowed})")


@dataclass(frozen=True)
class _Files:
    """Names of files, or `none`."""

    metavar: str = "FILES"
    allowed: str = "a list of SGF files, or none"

    def read(self, value: Any) -> tuple[str, ...]:
        names = [value] if isinstance(value, str) else value
        if isinstance(names, Sequence) and all(isinstance(name, str) and name for name in names):
            return tuple(names)
        raise OptionError(f"{str(value)[:40]!r} is not allowed (allowed: {self.allowed})")


@dataclass(frozen=True)
class _Maybe:
    """A value of a kind, or nothing."""

    kind: OptionKind
    metavar: str = "X"

    @property
    def allowed(self) -> str:
        return f"{self.kind.allowed}, or none"

    def read(self, value: Any) -> Any:
        return None if value is None or value == "none" else self.kind.read(value)


@dataclass(frozen=True)
class _Clock:
    """Main time, byo-yomi time and stones."""

    metavar: str = "MAIN BYOYOMI STONES"
    allowed: str = "three whole numbers: main time and byo-yomi time in seconds, stones"

    def read(self, value: Any) -> tuple[int, int, int]:
        if isinstance(value, Sequence) and len(value) == 3 and all(type(number) is int for number in value):
            try:
                MatchTimeSettings(*value)
            except ValueError as error:
                raise OptionError(str(error)) from None
            return value[0], value[1], value[2]
        raise OptionError(f"{str(value)[:40]!r} is not allowed (allowed: {self.allowed})")


@dataclass(frozen=True)
class _Plies:
    """A number of moves, or a range of it."""

    metavar: str = "PLIES"
    allowed: str = 'a number such as 4, or a range such as "2-4"'

    def read(self, value: Any) -> tuple[int, int]:
        if isinstance(value, tuple):
            return value
        if plies := read_plies(str(value)):
            return plies
        raise OptionError(f"{str(value)[:40]!r} is not allowed (allowed: {self.allowed})")


@dataclass(frozen=True)
class _Players:
    """Tables with `player` and, if wanted, `name`."""

    metavar: str = "PLAYERS"
    allowed: str = f"2 to {_MAX_PLAYERS} tables [[players]] with player, and name if wanted"

    def read(self, value: Any) -> tuple[tuple[str, str], ...]:
        if isinstance(value, tuple):
            return value
        if not isinstance(value, list) or not 2 <= len(value) <= _MAX_PLAYERS:
            raise OptionError(f"there are no players (allowed: {self.allowed})")
        found = []
        for table in value:
            if not isinstance(table, Mapping) or not all(isinstance(text, str) for text in table.values()):
                raise OptionError(f"{str(table)[:40]!r} is not allowed (allowed: {self.allowed})")
            if wrong := next((name for name in table if name not in ("player", "name")), None):
                raise unknown_name(wrong, ("player", "name"), "setting of a player")
            if not table.get("player"):
                raise OptionError("a table of players names no player")
            found.append((table["player"], table.get("name") or table["player"]))
        return tuple(found)


@dataclass(frozen=True)
class TournamentOptions:
    """A tournament.

    Raises:
        OptionError: if a value is not allowed.
    """

    players: Annotated[tuple[tuple[str, str], ...], _Players(), "Who plays, and the names of the tables."]
    form: Annotated[str, NameChoice(FORMS), "Who plays whom."] = "round-robin"
    games: Annotated[int, Integer(2, 1_000_000), "Games of each two who meet; even."] = 100
    rounds: Annotated[int, Integer(1, 1000), "Rounds of a Swiss tournament."] = 5
    challengers: Annotated[
        int, Integer(1, _MAX_PLAYERS - 1), "How many players, the first named, play a gauntlet against the others."
    ] = 1
    anchor: Annotated[str, _Text(), "Name of the player rated 0; empty = the mean of all is 0."] = ""
    output: Annotated[str, _Text(), "Folder of the results; empty = a new one in matches/."] = ""
    parallel: Annotated[int | None, Integer(1, 256, optional=True), "Games played at once."] = None
    seed: Annotated[int, Integer(0, (1 << 63) - 1), "Seed of the openings and of engines that take one."] = 1
    openings: Annotated[tuple[str, ...], _Files(), "SGF files or folders of openings; none = the empty board."] = ()
    opening_plies: Annotated[tuple[int, int] | None, _Maybe(_Plies()), "Moves of an opening."] = None
    opening_window: Annotated[
        tuple[float, float], PairOf(Real(0.0, 1.0), "LOW HIGH"), "Black's expected result in a fair opening."
    ] = WINDOW
    time_per_move: Annotated[int | None, Integer(1, 1 << 30, optional=True), "Seconds a move; told, not enforced."] = (
        None
    )
    time_settings: Annotated[tuple[int, int, int] | None, _Maybe(_Clock()), "A clock for each side."] = None
    move_timeout: Annotated[float, Real(0.1, 1e6), "Seconds after which a move forfeits the game."] = 300.0
    max_moves: Annotated[int | None, Integer(1, 1 << 30, optional=True), "Longer games are void."] = None
    adjudicate: Annotated[bool, Switch(), "End games whose winner is proven."] = False
    sprt: Annotated[
        tuple[float, float] | None,
        _Maybe(PairOf(Real(-1000.0, 1000.0), "ELO0 ELO1")),
        "Two Elo differences: two players meet no more once one is accepted.",
    ] = None
    alpha: Annotated[float, Real(0.0, 0.5), "Probability of accepting the second if the first is true."] = 0.05
    beta: Annotated[float, Real(0.0, 0.5), "Probability of accepting the first if the second is true."] = 0.05

    def __post_init__(self) -> None:
        check_fields(self)

    @property
    def test(self) -> SequentialTest | None:
        """The sequential test, if there is one; raises ValueError if it makes no sense."""
        return SequentialTest(*self.sprt, alpha=self.alpha, beta=self.beta) if self.sprt else None


@dataclass(frozen=True)
class TournamentFile:
    """What a file says, read and checked as far as that goes without starting anything."""

    options: TournamentOptions
    contestants: list[Contestant]
    """Challengers of a gauntlet first, otherwise by name, so that the order in the file decides nothing else."""
    seeds: list[int]
    """Where each stands in the file."""
    match_options: MatchOptions
    anchor: int | None
    """The place of the player rated 0."""


def read_tournament(path: Path) -> TournamentFile:
    """Read a tournament's file.

    Raises:
        OptionError, ValueError: naming what is wrong and what is allowed.
    """
    fields = {**fields_of(TournamentOptions), **_GAME_FIELDS}
    values = read_option_file(path, fields, "setting")
    if "players" not in values:
        raise OptionError(f"{path} names no players (needed: tables [[players]], each with player = …)")
    game = {name: fields[name].read(values.pop(name)) for name in _GAME_FIELDS if name in values}
    options = TournamentOptions(**values)
    for name, form in (("rounds", "swiss"), ("challengers", "gauntlet")):
        if name in values and options.form != form:
            raise OptionError(f'{name}: form is "{options.form}" (allowed: with form = "{form}")')
    if options.form == "swiss" and options.sprt:
        raise OptionError("sprt: a Swiss tournament has none (allowed: with round-robin or gauntlet)")
    if options.form == "gauntlet" and options.challengers >= len(options.players):
        raise OptionError(f"challengers: {options.challengers} of {len(options.players)} players leave no opponent")
    names = [name for _, name in options.players]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise OptionError(f"{twice!r} is named twice: give the players different names")
    order = sorted(range(len(names)), key=lambda seed: (_is_later(options, seed), names[seed]))
    read = [dataclasses.replace(read_contestant(text), label=name) for text, name in options.players]
    contestants = [read[seed] for seed in order]
    match_options = MatchOptions(
        games=options.games,
        output=Path(options.output) if options.output else None,
        parallel=options.parallel,
        game_settings=game,
        seed=options.seed,
        opening_files=options.openings,
        opening_plies=options.opening_plies,
        opening_window=options.opening_window,
        time_per_move=options.time_per_move,
        time_settings=options.time_settings,
        move_timeout=options.move_timeout,
        max_moves=options.max_moves,
        adjudicate=options.adjudicate,
    ).with_game_of(contestants)
    if options.anchor and options.anchor not in names:
        raise OptionError(f"anchor: there is no player {options.anchor!r} (allowed: {name_list(names)})")
    anchor = order.index(names.index(options.anchor)) if options.anchor else None
    return TournamentFile(options, contestants, order, match_options, anchor)


def _is_later(options: TournamentOptions, seed: int) -> bool:
    return options.form == "gauntlet" and seed >= options.challengers


_GAME_FIELDS: Mapping[str, OptionField] = fields_of(GameOptions)
