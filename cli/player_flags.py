"""The shared options as flags of a command line, for every subcommand that has a player.

`--help` shows those that most people want, `--help-all` every one.
"""

import dataclasses
import functools
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

import click

from miai.cli.option_flags import describe_option, flag_arguments, plain_meaning, show_value
from miai.players.option_kinds import OptionError
from miai.players.options import (
    GAME_FIELDS,
    OPTIONS,
    PARTS,
    named_game_settings,
    read_assignment,
    read_config,
    resolve_options,
)
from miai.players.presets import DEFAULT_PRESET, PARTS_PRESET, PRESETS

Command = TypeVar("Command", bound=Callable[..., Any])

_SHOWN_FIRST = frozenset({"strength", "simulations", "time", "threads", "ponder", "size", "komi", "rules"})
"""The options that `--help` shows."""
_FLAGS = tuple(name for name in OPTIONS if name not in ("preset", "parameters"))
"""The options that are set by their own flags; `--set` is that of the parameters."""
_SHOW_ALL = f"{__name__}.show_all"
_GIVEN = f"{__name__}.given"
"""Where click's context keeps what this module knows."""


class _Option(click.Option):
    """An option whose `--help` says less than its `--help-all`: only what is `brief`, or nothing if that is empty."""

    def __init__(self, *args: Any, brief: str, **named: Any) -> None:
        super().__init__(*args, **named)
        self._brief = brief

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        record = super().get_help_record(ctx)
        if record is None or ctx.meta.get(_SHOW_ALL):
            return record
        return (record[0], self._brief) if self._brief else None


def _show_all_help(context: click.Context, _: click.Parameter, is_asked_for: bool) -> None:
    if is_asked_for:
        context.meta[_SHOW_ALL] = True
        click.echo(context.get_help())
        context.exit()


def take_options(
    command: Command,
    preset: str = DEFAULT_PRESET,
    without: Collection[str] = (),
    texts: Mapping[str, str] = MappingProxyType({}),
) -> Command:
    """Decorate a click command with the shared options.

    The command gets them as `player_options: PlayerOptions` and `game_options: GameOptions`. A wrong option ends it
    with one line of error and exit status 2.

    Args:
        command: to decorate.
        preset: what it starts from, unless the user names another.
        without: options by name that are no flags of this command, as they would change nothing; config files, which
            commands share, may set them.
        texts: `--help` of options by name that mean something else in this command.
    """
    flags = [name for name in _FLAGS if name not in without]

    @functools.wraps(command)
    def resolve_and_run(*args: Any, config: Path | None, assignments: tuple[str, ...], **named: Any) -> Any:
        chosen = named.pop("preset")
        given = {name: named.pop(name) for name in flags}
        given = {name: value for name, value in given.items() if value is not None}
        try:
            if assignments:
                given["parameters"] = dict(read_assignment(text) for text in assignments)
            file_values = read_config(config) if config is not None else {}
            player_options, game_options = resolve_options(chosen, file_values, given, preset)
        except OptionError as error:
            raise click.UsageError(str(error)) from None
        named_by_flag = {name for name, value in (("preset", chosen), ("config", config)) if value is not None}
        click.get_current_context().meta[_GIVEN] = named_by_flag | given.keys() | file_values.keys()
        try:
            return command(*args, player_options=player_options, game_options=game_options, **named)
        except OptionError as error:
            raise click.UsageError(str(error)) from None

    decorated: Any = resolve_and_run
    for decorator in reversed(_click_options(preset, flags, texts)):
        decorated = decorator(decorated)
    return decorated


def game_settings_of_command_line() -> dict[str, Any]:
    """Return those settings of the game that the command line of the command under way names, or its config file."""
    params = click.get_current_context().params
    given = {name: params[name] for name in GAME_FIELDS if params[name] is not None}
    return named_game_settings(params["config"], given)


def find_given_options() -> set[str]:
    """Return which of the shared options the running command was given, by flags or in a config file.

    `--preset` and `--config` are among them; those of `--set` count as `parameters`.
    """
    return click.get_current_context().meta[_GIVEN]


def _click_options(preset: str, flags: Collection[str], texts: Mapping[str, str]) -> list[Callable[[Any], Any]]:
    player, game = resolve_options(preset=preset)
    defaults = dataclasses.asdict(player) | dataclasses.asdict(game)
    default_preset = preset
    if preset == DEFAULT_PRESET:
        default_preset += f"; {PARTS_PRESET} with any of {', '.join(f'--{part}' for part in sorted(PARTS))}"
    summaries = "; ".join(f"{name}: {one.summary}" for name, one in PRESETS.items())
    start = OPTIONS["preset"]
    options = [
        click.option(
            start.flag,
            cls=_Option,
            metavar=start.kind.metavar,
            brief=f"{start.meaning} [{start.kind.allowed}; default {preset}]",
            help=f"{start.meaning} {summaries}. [default {default_preset}]",
        ),
        click.option("--config", metavar="FILE", type=click.Path(path_type=Path), help="TOML file with options."),
    ]
    for name in flags:
        field = OPTIONS[name]
        text = texts.get(name) or describe_option(field, show_value(defaults.get(name)))
        brief = text if name in _SHOWN_FIRST else ""
        options.append(click.option(field.flag, name, cls=_Option, brief=brief, help=text, **flag_arguments(field)))
    parameters = OPTIONS["parameters"]
    text = plain_meaning(parameters)
    options.append(
        click.option(
            "--set", "assignments", cls=_Option, metavar=parameters.kind.metavar, multiple=True, brief="", help=text
        )
    )
    options.append(
        click.option(
            "--help-all",
            is_flag=True,
            is_eager=True,
            expose_value=False,
            callback=_show_all_help,
            help="Show all options and exit.",
        )
    )
    return options
