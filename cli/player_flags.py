"""The shared options as flags of a command line, for every subcommand that has a player.

`--help` shows those that most people want, `--help-all` every one.
"""

import dataclasses
import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from miai.players.option_kinds import OptionError
from miai.players.options import (
    DEFAULT_SIMULATIONS,
    GAME_FIELDS,
    KINDS,
    PARTS,
    GameOptions,
    ParameterValue,
    PlayerOptions,
    named_game_settings,
    read_assignment,
    read_config,
    resolve_options,
)
from miai.players.presets import DEFAULT_PRESET, PARTS_PRESET, PRESETS

Command = TypeVar("Command", bound=Callable[..., Any])

_HELP = {
    "strength": "How well to play, from the weakest to all that the preset can.",
    "select": "Selection rule of the search.",
    "backup": "Backup rule of the search.",
    "final": "Which move is played after the search: by most visits, search policy, value, or expected payoff.",
    "evaluator": "What values new positions: playouts, statically a regression on their features, a network, or both "
    "a network and playouts.",
    "policy": "Policy of the playouts.",
    "net": "Network of the evaluators net and mixed.",
    "mix": "Weight of the playouts in the evaluator mixed.",
    "fallback": "Preset that plays in the network's place on boards of sizes that it has not learned.",
    "net_backend": "What runs the network, by default the fastest there is.",
    "batch": "Positions that the network evaluates at once.",
    "batching": "How they are found: by virtual losses, or in waves, of rules with a search policy.",
    "simulations": f"Most simulations a move ({DEFAULT_SIMULATIONS} if --time is not given either).",
    "time": "Most seconds a move.",
    "threads": "Threads that share the search, or compute the network's batches.",
    "ponder": "Think on the opponent's time.",
    "seed": "Seed of all randomness, to play the same game again with one thread.",
    "memory": "Memory of the search tree.",
    "resign_below": "Resign when the expected result is below this; 0 = never.",
    "temperature": "Sample moves by their visits to the power of one over this; 0 = always the best.",
    "min_visit_ratio": "Never sample moves with fewer visits than this ratio of the best one's.",
    "size": "Size of the board.",
    "komi": "Points for White.",
    "rules": "Rules of the game.",
}
_SHOWN_FIRST = frozenset({"strength", "simulations", "time", "threads", "ponder", "size", "komi", "rules"})
"""Those of them that `--help` shows."""
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


def take_options(command: Command, preset: str = DEFAULT_PRESET) -> Command:
    """Decorate a click command with the shared options; it starts from `preset` unless the user names another.

    The command gets them as `player_options: PlayerOptions` and `game_options: GameOptions`. A wrong option ends it
    with one line of error and exit status 2.
    """

    @functools.wraps(command)
    def resolve_and_run(*args: Any, config: Path | None, assignments: tuple[str, ...], **named: Any) -> Any:
        chosen = named.pop("preset")
        given = {name: named.pop(name) for name in KINDS}
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
    for decorator in reversed(_click_options(preset)):
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


def _default_text(value: ParameterValue) -> str:
    return ("on" if value else "off") if isinstance(value, bool) else str(value)


def _click_options(preset: str) -> list[Callable[[Any], Any]]:
    defaults = {"strength": None} | dataclasses.asdict(PlayerOptions()) | dataclasses.asdict(GameOptions())
    default_preset = preset
    if preset == DEFAULT_PRESET:
        default_preset += f"; {PARTS_PRESET} with any of {', '.join(f'--{part}' for part in sorted(PARTS))}"
    summaries = "; ".join(f"{name}: {one.summary}" for name, one in PRESETS.items())
    options = [
        click.option(
            "--preset",
            cls=_Option,
            metavar="NAME",
            brief=f"Start from a named combination: {', '.join(PRESETS)} [default {preset}].",
            help=f"Start from a named combination [default {default_preset}]. {summaries}.",
        ),
        click.option("--config", metavar="FILE", type=click.Path(path_type=Path), help="TOML file with options."),
    ]
    for name, kind in KINDS.items():
        default = "" if defaults[name] is None else f"; default {_default_text(defaults[name])}"
        text = f"{_HELP[name]} [{kind.allowed}{default}]"
        flag = f"--{name.replace('_', '-')}"
        brief = text if name in _SHOWN_FIRST else ""
        options.append(click.option(flag, name, cls=_Option, metavar=kind.metavar, brief=brief, help=text))
    text = "Set a search parameter."
    options.append(
        click.option("--set", "assignments", cls=_Option, metavar="NAME=VALUE", multiple=True, brief="", help=text)
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
