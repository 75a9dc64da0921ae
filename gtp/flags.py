"""The shared options as flags of a command line, for every subcommand that has a player."""

import dataclasses
import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from gtp.option_values import OptionError
from gtp.options import (
    DEFAULT_SIMULATIONS,
    GAME_FIELDS,
    KINDS,
    PARTS,
    GameOptions,
    ParameterValue,
    PlayerOptions,
    named_game_settings,
    read_assignment,
    resolve_options,
)
from gtp.presets import DEFAULT_PRESET, PARTS_PRESET, PRESETS

Command = TypeVar("Command", bound=Callable[..., Any])

_HELP = {
    "strength": "How well to play, from the weakest to all that the preset can.",
    "select": "Selection rule of the search.",
    "backup": "Backup rule of the search.",
    "final": "Which move is played after the search: of most visits, share, value, or expected payoff.",
    "evaluator": "What values new positions: playouts, statically a regression on their features, a network, or both "
    "a network and playouts.",
    "policy": "Policy of the playouts.",
    "net": "Network of the evaluators net and mixed.",
    "mix": "Weight of the playouts in the evaluator mixed.",
    "fallback": "Preset that plays in the network's place on boards of sizes that it has not learned.",
    "net_backend": "What runs the network, by default the fastest there is.",
    "batch": "Positions that the network evaluates at once.",
    "batching": "How they are found: by virtual losses, or in waves of rules with shares of the visits.",
    "simulations": f"Most simulations a move ({DEFAULT_SIMULATIONS} if --time is not given either).",
    "time": "Most seconds a move.",
    "threads": "Threads that share the search, or compute the network's batches.",
    "ponder": "Think on the opponent's time.",
    "seed": "Seed of all randomness, to play the same game again with one thread.",
    "memory": "Memory of the search tree.",
    "resign_below": "Resign when the expected result is below this; 0 = never.",
    "temperature": "Draw moves by their visits to the power of one over this; 0 = always the best.",
    "least_share": "Never draw moves with less than this share of the best one's visits.",
    "size": "Size of the board.",
    "komi": "Points for White.",
    "rules": "Rules of the game.",
}


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
            given["parameters"] = dict(read_assignment(text) for text in assignments)
            player_options, game_options = resolve_options(chosen, config, given, preset)
        except OptionError as error:
            raise click.UsageError(str(error)) from None
        return command(*args, player_options=player_options, game_options=game_options, **named)

    decorated: Any = resolve_and_run
    for decorator in reversed(_click_options(preset)):
        decorated = decorator(decorated)
    return decorated


def game_settings_of_command_line() -> dict[str, Any]:
    """Return those settings of the game that the command line of the command under way names, or its config file."""
    params = click.get_current_context().params
    given = {name: params[name] for name in GAME_FIELDS if params[name] is not None}
    return named_game_settings(params["config"], given)


def _default_text(value: ParameterValue) -> str:
    return ("on" if value else "off") if isinstance(value, bool) else str(value)


def _click_options(preset: str) -> list[Callable[[Any], Any]]:
    defaults = {"strength": None} | dataclasses.asdict(PlayerOptions()) | dataclasses.asdict(GameOptions())
    presets = "; ".join(f"{name}: {one.summary}" for name, one in PRESETS.items())
    default_preset = preset
    if preset == DEFAULT_PRESET:
        default_preset += f"; {PARTS_PRESET} with any of {', '.join(f'--{part}' for part in sorted(PARTS))}"
    options = [
        click.option(
            "--preset", metavar="NAME", help=f"Start from a named combination [default {default_preset}]. {presets}."
        ),
        click.option("--config", metavar="FILE", type=click.Path(path_type=Path), help="TOML file with options."),
    ]
    for name, kind in KINDS.items():
        default = "" if defaults[name] is None else f"; default {_default_text(defaults[name])}"
        text = f"{_HELP[name]} [{kind.allowed}{default}]"
        options.append(click.option(f"--{name.replace('_', '-')}", name, metavar=kind.metavar, help=text))
    options.append(
        click.option("--set", "assignments", metavar="NAME=VALUE", multiple=True, help="Set a search parameter.")
    )
    return options
