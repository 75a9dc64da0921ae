"""The options of `miai selfplay` and `miai loop` that say how games are played."""

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import click

from miai.cli.option_flags import describe_option, flag_arguments, show_value
from miai.engine.go.points import MAX_KOMI
from miai.players.option_fields import OptionField, fields_of
from miai.players.options import GameOptions, PlayerOptions
from miai.selfplay.generation.selfplay_recipe import SelfPlayRecipe

Command = TypeVar("Command", bound=Callable[..., Any])

_KOMI_REACH = 7.0
_FIELDS = fields_of(SelfPlayRecipe)
FLAGS = (
    *("games_at_once", "full_search_fraction", "fast_simulations", "komi_range", "temperatures", "opening_moves"),
    *("opening_temperature", "worse_moves", "branch_off", "resign_fraction"),
)
"""The fields of the recipe that have flags of their own; the player's and the game's options decide the rest."""
_FOLLOWING = {"fast_simulations": "a fifth of --simulations", "komi_range": f"{_KOMI_REACH:g} around --komi"}
"""Defaults that follow from other options, in words."""
DEFAULTS: Mapping[str, Any] = {"games_at_once": 32}
"""Where a flag's default is not the field's."""


@dataclass(frozen=True)
class RecipeOptions:
    """What flags and their defaults say of a recipe."""

    values: Mapping[str, Any]
    """Fields of the recipe by name."""

    def recipe(self, player: PlayerOptions, game: GameOptions, simulations: int, shares_net: bool) -> SelfPlayRecipe:
        """Return the recipe for games of a player with so many simulations in a full search.

        Args:
            player: who plays.
            game: what is played.
            simulations: of a full search.
            shares_net: whether the player has a network, which games at once can share.

        Raises:
            OptionError: if a value is not allowed.
            click.UsageError: if komi is not within its range, or the player is limited by time.
        """
        if player.time is not None:
            raise click.UsageError(
                f"self-play counts simulations: the preset or config file says time = {player.time:g} (allowed: none)"
            )
        values = {
            "komi_range": (max(-MAX_KOMI, game.komi - _KOMI_REACH), min(MAX_KOMI, game.komi + _KOMI_REACH)),
            "fast_simulations": max(1, simulations // 5),
            **self.values,
        }
        if not shares_net:
            values["games_at_once"] = 1
        recipe = SelfPlayRecipe(
            size=game.size,
            rules=game.rules,
            komi=game.komi,
            simulations=simulations,
            resign_below=player.resign_below,
            seed=1 if player.seed is None else player.seed,
            **values,
        )
        low, high = recipe.komi_range
        if low > high:
            raise click.UsageError(f"--komi-range {low:g} {high:g} is not allowed (allowed: the lower bound first)")
        if not low <= game.komi <= high:
            raise click.UsageError(f"--komi {game.komi:g} is not within --komi-range {low:g} {high:g}")
        return recipe


def show_default(field: OptionField, defaults: Mapping[str, Any] = DEFAULTS) -> str:
    """Return a flag's default in words; `defaults` come before the field's own."""
    return _FOLLOWING.get(field.name) or show_value(defaults.get(field.name, field.default))


def take_recipe(full_search_fraction: float) -> Callable[[Command], Command]:
    """Return a decorator that gives a click command these options as `recipe_options: RecipeOptions`.

    Args:
        full_search_fraction: the default of that option.
    """
    defaults = {**DEFAULTS, "full_search_fraction": full_search_fraction}

    def decorate(command: Command) -> Command:
        @functools.wraps(command)
        def run_with_options(*args: Any, **named: Any) -> Any:
            given = {name: value for name in FLAGS if (value := named.pop(name)) is not None}
            return command(*args, recipe_options=RecipeOptions(defaults | given), **named)

        decorated: Any = run_with_options
        for name in reversed(FLAGS):
            field = _FIELDS[name]
            help_text = describe_option(field, show_default(field, defaults))
            decorated = click.option(field.flag, name, help=help_text, **flag_arguments(field))(decorated)
        return decorated

    return decorate


def check_branches(recipe: SelfPlayRecipe) -> None:
    """Refuse to branch off from what is no folder of games of the recipe's board size.

    Raises:
        click.ClickException: saying what is wrong, as a UsageError if it is the option.
    """
    if not recipe.branch_off:
        return
    from miai.selfplay.data.format import DataError
    from miai.selfplay.generation.branches import recorded_games

    if not Path(recipe.branch_off).is_dir():
        raise click.UsageError(f"--branch-off {recipe.branch_off!r} is not allowed (allowed: a folder)")
    try:
        recorded_games(recipe.branch_off, recipe.size)
    except DataError as error:
        raise click.ClickException(str(error)) from None
