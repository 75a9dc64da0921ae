"""The options that `miai match`, `miai round-robin` and `miai tune` share."""

import dataclasses
import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from miai.cli.option_flags import FiniteFloat, describe_option, flag_arguments, show_value
from miai.match.match_options import MatchOptions
from miai.match.opening_evaluation import WINDOW
from miai.match.openings import read_plies
from miai.match.tables import read_workers
from miai.players.option_fields import OptionField, fields_of
from miai.players.options import GAME_FIELDS, GameOptions

Command = TypeVar("Command", bound=Callable[..., Any])


class Plies(click.ParamType):
    """A number of moves, or a range of it: `4` or `2-4`."""

    name = "plies"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, int]:
        """Read the text."""
        if plies := read_plies(str(value)):
            return plies
        self.fail(f"{value!r} is not allowed (allowed: a number such as 4, or a range such as 2-4)", param, ctx)


def take_match_options(games_help: str, games: int = MatchOptions.games) -> Callable[[Command], Command]:
    """Return a decorator for a click command that is to get these options, as `options: MatchOptions`.

    Args:
        games_help: what `--games` means.
        games: its default.
    """

    def decorate(command: Command) -> Command:
        names = [one.name for one in dataclasses.fields(MatchOptions) if one.name != "game_settings"]

        @functools.wraps(command)
        def run_with_options(*args: Any, **named: Any) -> Any:
            settings = {name: value for name in GAME_FIELDS if (value := named.pop(name)) is not None}
            options = MatchOptions(game_settings=settings, **{name: named.pop(name) for name in names})
            return command(*args, options=options, **named)

        decorated: Any = run_with_options
        for option in reversed(_click_options(games_help, games)):
            decorated = option(decorated)
        return decorated

    return decorate


def _game_flag(field: OptionField) -> Callable[[Any], Any]:
    text = describe_option(field, f"{show_value(field.default)}, or what a player's config file says")
    return click.option(field.flag, field.name, help=text, **flag_arguments(field))


def _check_workers(context: click.Context, option: click.Parameter, value: str) -> str:
    try:
        read_workers(value)
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    return value


take_workers: Callable[[Any], Any] = click.option(
    "--workers",
    metavar="local|ray[:ADDRESS]",
    default="local",
    show_default=True,
    callback=_check_workers,
    help="Where the work is done: on this machine, or on a Ray cluster, the one at hand if no address is named.",
)


def _click_options(games_help: str, games: int) -> list[Callable[[Any], Any]]:
    fraction = FiniteFloat(0.0, 1.0)
    return [
        click.option("--games", default=games, show_default=True, help=games_help),
        click.option(
            "--output", type=click.Path(path_type=Path), help="Folder for the results [a new one in matches/]."
        ),
        click.option(
            "--parallel", type=click.IntRange(1, 256), help="Games played at once [cores / threads per player]."
        ),
        *(_game_flag(field) for field in fields_of(GameOptions).values()),
        click.option(
            "--seed",
            type=click.IntRange(0, (1 << 63) - 1),
            default=1,
            show_default=True,
            help="Random seed of the openings and of engines that take one.",
        ),
        click.option(
            "--openings",
            "opening_files",
            metavar="FILE|none",
            multiple=True,
            help="SGF file or folder of them to take openings from, repeatable; none = the empty board.",
        ),
        click.option(
            "--opening-plies", type=Plies(), help="Moves per opening, such as 4 or 2-4 [2-4; all moves of a file]."
        ),
        click.option(
            "--opening-window",
            type=(fraction, fraction),
            default=WINDOW,
            show_default=True,
            metavar="LOW HIGH",
            help="Black's expected result in a fair opening, found by a search; 0 1 accepts every opening.",
        ),
        click.option(
            "--time-per-move",
            type=click.IntRange(1),
            metavar="SECONDS",
            help="Time per move that the engines are told.",
        ),
        click.option(
            "--time-settings",
            type=(int, int, int),
            metavar="MAIN BYOYOMI STONES",
            help="Clock per side, times in seconds; running out of time forfeits the game.",
        ),
        click.option(
            "--move-timeout",
            type=FiniteFloat(0.1),
            default=300.0,
            show_default=True,
            help="Seconds after which a move forfeits the game.",
        ),
        click.option(
            "--max-moves",
            type=click.IntRange(1),
            help="Maximum moves; longer games are void [3 per point of the board].",
        ),
        click.option(
            "--adjudicate/--no-adjudicate",
            default=False,
            show_default=True,
            help="End a game whose winner is proven: by pass-alive stones and territory (Benson).",
        ),
        take_workers,
    ]
