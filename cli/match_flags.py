"""The options that `miai match` and `miai round-robin` share."""

import dataclasses
import functools
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import click

from miai.engine.go.rules import RULES
from miai.matches.contestants import Contestant, agree_on_game
from miai.matches.fairness import WINDOW, Window
from miai.matches.game_clock import TimeSettings
from miai.matches.referee import GameSettings
from miai.players.options import GAME_FIELDS, GameOptions

Command = TypeVar("Command", bound=Callable[..., Any])


@dataclass(frozen=True)
class MatchOptions:
    """What the command line said about the games, whoever plays them."""

    games: int = 100
    """Games between two contestants."""
    output: Path | None = None
    parallel: int | None = None
    game_settings: Mapping[str, Any] = field(default_factory=dict)
    """Fields of `GameOptions` by name; those missing have their defaults."""
    seed: int = 1
    opening_files: tuple[str, ...] = ()
    opening_plies: tuple[int, int] | None = None
    opening_window: Window = WINDOW
    time_per_move: int | None = None
    time_settings: tuple[int, int, int] | None = None
    move_timeout: float = 300.0
    max_moves: int | None = None

    @property
    def game(self) -> GameOptions:
        """What is played; raises OptionError if it is not allowed."""
        return GameOptions(**self.game_settings)

    def with_game_of(self, contestants: Iterable[Contestant]) -> "MatchOptions":
        """Return the options with what contestants say of the game; raises OptionError if they say different things."""
        game = agree_on_game(self.game_settings, contestants)
        return dataclasses.replace(self, game_settings=dataclasses.asdict(game))

    @property
    def settings(self) -> GameSettings:
        """What all games have in common; raises ValueError if it is not allowed."""
        game = self.game
        return GameSettings(
            size=game.size,
            komi=game.komi,
            rules=game.rules,
            max_moves=self.max_moves or 3 * game.size * game.size,
            move_timeout=self.move_timeout,
            time_per_move=self.time_per_move,
            time_settings=TimeSettings(*self.time_settings) if self.time_settings else None,
            seed=self.seed,
        )


class Plies(click.ParamType):
    """A number of moves, or a range of it: `4` or `2-4`."""

    name = "plies"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, int]:
        """Read the text."""
        found = re.fullmatch(r"(\d{1,2})(?:-(\d{1,2}))?", str(value))
        if found:
            fewest, most = int(found.group(1)), int(found.group(2) or found.group(1))
            if 1 <= fewest <= most:
                return fewest, most
        self.fail(f"{value!r} is not allowed (allowed: a number such as 4, or a range such as 2-4)", param, ctx)


def take_match_options(games_help: str) -> Callable[[Command], Command]:
    """Return a decorator for a click command that is to get these options, as `options: MatchOptions`."""

    def decorate(command: Command) -> Command:
        names = [one.name for one in dataclasses.fields(MatchOptions) if one.name != "game_settings"]

        @functools.wraps(command)
        def gather_and_run(*args: Any, **named: Any) -> Any:
            settings = {name: value for name in GAME_FIELDS if (value := named.pop(name)) is not None}
            options = MatchOptions(game_settings=settings, **{name: named.pop(name) for name in names})
            return command(*args, options=options, **named)

        decorated: Any = gather_and_run
        for option in reversed(_click_options(games_help)):
            decorated = option(decorated)
        return decorated

    return decorate


def _click_options(games_help: str) -> list[Callable[[Any], Any]]:
    share = click.FloatRange(0.0, 1.0)
    default, or_config = GameOptions(), ", or as a player's config file says"
    return [
        click.option("--games", default=100, show_default=True, help=games_help),
        click.option(
            "--output", type=click.Path(path_type=Path), help="Folder of the results [matches/… in this folder]."
        ),
        click.option("--parallel", type=click.IntRange(1, 256), help="Games at a time [cores / threads of a player]."),
        click.option("--size", type=click.IntRange(2, 19), help=f"Size of the board [{default.size}{or_config}]."),
        click.option("--komi", type=float, help=f"Points for White [{default.komi:g}{or_config}]."),
        click.option("--rules", type=click.Choice(tuple(RULES)), help=f"Rules [{default.rules}{or_config}]."),
        click.option("--seed", default=1, show_default=True, help="Seed of the openings and of engines that take one."),
        click.option(
            "--openings",
            "opening_files",
            metavar="FILE|none",
            multiple=True,
            help="SGF files to open with; none = empty board.",
        ),
        click.option(
            "--opening-plies", type=Plies(), help="Moves of an opening: 4, or 2-4 [default: 2-4; all of a file]."
        ),
        click.option(
            "--opening-window",
            type=(share, share),
            default=WINDOW,
            show_default=True,
            metavar="LOW HIGH",
            help="Generate only openings that a search gives Black such an expected result; 0 1 takes all.",
        ),
        click.option(
            "--time-per-move", type=click.IntRange(1), metavar="SECONDS", help="Tell the engines this time a move."
        ),
        click.option(
            "--time-settings",
            type=(int, int, int),
            metavar="MAIN BYOYOMI STONES",
            help="Clock of each side, in seconds; overstepping it forfeits the game.",
        ),
        click.option(
            "--move-timeout",
            type=click.FloatRange(0.1),
            default=300.0,
            show_default=True,
            help="Forfeit after so many seconds.",
        ),
        click.option("--max-moves", type=click.IntRange(1), help="A longer game is void [3 x points of the board]."),
    ]
