"""The options of `miai selfplay` and `miai loop` that say how games are played."""

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import click

from miai.engine.go.points import MAX_KOMI
from miai.players.options import GameOptions, PlayerOptions
from miai.selfplay.generation.selfplay_recipe import SelfPlayRecipe

Command = TypeVar("Command", bound=Callable[..., Any])

_KOMI_REACH = 7.0
_share = click.FloatRange(0.0, 1.0)


@dataclass(frozen=True)
class RecipeOptions:
    """What was given, by the names of the options."""

    games_at_once: int
    full_search_fraction: float
    fast_simulations: int | None
    komi_range: tuple[float, float] | None
    temperatures: tuple[float, float]
    opening_moves: float
    resign_fraction: float

    def recipe(self, player: PlayerOptions, game: GameOptions, simulations: int, shares_net: bool) -> SelfPlayRecipe:
        """Return the recipe for games of a player with so many simulations in a full search.

        Args:
            player: who plays.
            game: what is played.
            simulations: of a full search.
            shares_net: whether the player has a network, which games at once can share.

        Raises:
            click.UsageError: if komi is not within its range, or that range not within what is allowed.
        """
        low, high = self.komi_range or (
            max(-MAX_KOMI, game.komi - _KOMI_REACH),
            min(MAX_KOMI, game.komi + _KOMI_REACH),
        )
        if not (-MAX_KOMI <= low and high <= MAX_KOMI):
            raise click.UsageError(
                f"--komi-range {low:g} {high:g} is not allowed (allowed: {-MAX_KOMI:g} to {MAX_KOMI:g})"
            )
        if not low <= game.komi <= high:
            raise click.UsageError(f"--komi {game.komi:g} is not within --komi-range {low:g} {high:g}")
        return SelfPlayRecipe(
            size=game.size,
            rules=game.rules,
            komi=game.komi,
            komi_range=(low, high),
            simulations=simulations,
            fast_simulations=self.fast_simulations or max(1, simulations // 5),
            full_search_fraction=self.full_search_fraction,
            temperatures=self.temperatures,
            opening_moves=self.opening_moves,
            resign_below=player.resign_below,
            resign_fraction=self.resign_fraction,
            games_at_once=self.games_at_once if shares_net else 1,
            seed=1 if player.seed is None else player.seed,
        )


def take_recipe(full_search_fraction: float) -> Callable[[Command], Command]:
    """Return a decorator that gives a click command these options as `recipe_options: RecipeOptions`.

    Args:
        full_search_fraction: the default of that option.
    """
    options = (
        click.option(
            "--games-at-once",
            type=click.IntRange(1, 4096),
            default=32,
            show_default=True,
            help="Games of a process that share the --batch of a network, with a position of each at least.",
        ),
        click.option(
            "--full-search-fraction",
            type=_share,
            default=full_search_fraction,
            show_default=True,
            help="Fraction of the moves with a full search, of all simulations.",
        ),
        click.option("--fast-simulations", type=click.IntRange(1), help="Simulations of the others [a fifth]."),
        click.option(
            "--komi-range", type=(float, float), metavar="LOW HIGH", help="Bounds of a game's komi [7 around --komi]."
        ),
        click.option(
            "--temperatures",
            type=(click.FloatRange(0.01, 10.0), click.FloatRange(0.01, 10.0)),
            default=(1.0, 0.25),
            show_default=True,
            metavar="FIRST LAST",
            help="For the choice of moves, at the beginning and in the end.",
        ),
        click.option(
            "--opening-moves",
            type=click.FloatRange(0.0, 50.0),
            default=3.0,
            show_default=True,
            help="Mean number of moves sampled from the prior probabilities at the beginning.",
        ),
        click.option(
            "--resign-fraction",
            type=_share,
            default=0.9,
            show_default=True,
            help="Fraction of the games with resignation.",
        ),
    )
    names = tuple(RecipeOptions.__dataclass_fields__)

    def decorate(command: Command) -> Command:
        @functools.wraps(command)
        def gather_and_run(*args: Any, **named: Any) -> Any:
            return command(*args, recipe_options=RecipeOptions(**{name: named.pop(name) for name in names}), **named)

        decorated: Any = gather_and_run
        for option in reversed(options):
            decorated = option(decorated)
        return decorated

    return decorate
