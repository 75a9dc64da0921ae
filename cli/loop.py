"""`miai loop`: self-play and training in turns, for hours."""

import dataclasses
import functools
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
from tqdm import tqdm

from miai.cli.option_flags import FiniteFloat
from miai.cli.player_flags import game_settings_of_command_line, take_options
from miai.cli.selfplay_flags import RecipeOptions, check_branches, take_recipe
from miai.cli.train import form_of, take_form, take_start
from miai.engine.files import discard_if_failed
from miai.engine.processes import count_cores
from miai.match.contestants import agree_on_game, read_contestant
from miai.match.match_options import MatchOptions
from miai.match.opening_evaluation import WINDOW, Window
from miai.match.openings import OpeningError
from miai.match.runner import interrupt_safely
from miai.nets.config import ConfigError
from miai.players.compiling import check_parameters, compile_if_cold
from miai.players.option_kinds import OptionError
from miai.players.options import GameOptions, PlayerOptions
from miai.selfplay.loop.plan import LoopPlan
from miai.selfplay.training.training_recipe import resolve_recipe

_SIMULATIONS = 32


def _refuse(flag: str, instead: str) -> Callable[[Any], Any]:
    """Return a decorator that refuses an option of players, which the loop decides, and names another."""

    def refuse(context: click.Context, option: click.Parameter, value: str | None) -> None:
        if value is not None:
            raise click.UsageError(f"{flag} is not allowed: a loop makes its networks (allowed: {instead})")

    return click.option(flag, hidden=True, expose_value=False, callback=refuse)


@click.command()
@click.option("--output", required=True, type=click.Path(file_okay=False, path_type=Path), help="Folder for the loop.")
@click.option("--hours", type=FiniteFloat(0.0, min_open=True), help="Stop after this many hours, all runs together.")
@click.option("--networks", type=click.IntRange(1), help="Stop after this many networks.")
@take_form
@click.option("--recipe", type=click.Path(path_type=Path), metavar="FILE", help="TOML file with options of miai train.")
@click.option(
    "--teacher",
    default="fuego:simulations=300",
    show_default=True,
    help="Player of the first games: PRESET[:NAME=VALUE,…].",
)
@take_start
@click.option(
    "--teacher-games",
    type=click.IntRange(1),
    default=1000,
    show_default=True,
    help="Games of the teacher, or of the network given by --start-from.",
)
@click.option("--games", type=click.IntRange(1), default=200, show_default=True, help="Games per network.")
@click.option(
    "--net-evaluator",
    type=click.Choice(("net", "mixed")),
    default="net",
    show_default=True,
    help="Evaluator of the networks' searches; in mixed, --mix is the weight of playouts.",
)
@click.option("--processes", type=click.IntRange(1, 1024), help="Processes that play [cores].")
@click.option(
    "--rate-every", type=click.IntRange(1), default=5, show_default=True, help="Rate one network in this many."
)
@click.option("--rate-games", type=click.IntRange(2), default=40, show_default=True, help="Rating games per opponent.")
@click.option(
    "--rate-simulations",
    type=click.IntRange(1),
    default=100,
    show_default=True,
    help="Simulations per move in rating games.",
)
@click.option(
    "--opening-window",
    type=(FiniteFloat(0, 1), FiniteFloat(0, 1)),
    default=WINDOW,
    show_default=True,
    metavar="LOW HIGH",
    help="Black's expected result in a fair opening of a rating game; 0 1 accepts every opening.",
)
@click.option(
    "--opponent",
    "opponents",
    multiple=True,
    default=("fuego:simulations=100", "fuego:simulations=1000"),
    show_default=True,
    help="Opponent of rating games, repeatable; the first one is rated 0.",
)
@take_recipe(full_search_fraction=1.0)
@_refuse("--evaluator", "--net-evaluator")
@_refuse("--net", "--start-from")
@functools.partial(
    take_options,
    preset="gumbel",
    without=("time", "ponder", "evaluator", "net"),
    texts={"simulations": f"Simulations of a full search. [default: {_SIMULATIONS}]"},
)
def command(
    output: Path,
    hours: float | None,
    networks: int | None,
    network: str | None,
    planes: str | None,
    blocks: int | None,
    filters: int | None,
    recipe: Path | None,
    teacher: str,
    start_from: Path | None,
    teacher_games: int,
    games: int,
    net_evaluator: str,
    processes: int | None,
    rate_every: int,
    rate_games: int,
    rate_simulations: int,
    opening_window: Window,
    opponents: tuple[str, ...],
    recipe_options: RecipeOptions,
    player_options: PlayerOptions,
    game_options: GameOptions,
) -> None:
    """Alternate self-play and training, and rate a network now and then.

    The first network learns from games of the --teacher, or is the one given by --start-from. The player's options
    are those of the networks' self-play. The same command resumes a loop that was stopped or killed; Ctrl-C loses at
    most the games under way, a kill also the steps since the last checkpoint.
    """
    from miai.selfplay.loop.loop import EXPECTED_ERRORS, Loop
    from miai.selfplay.loop.rating import RatingLadder

    try:
        form = form_of(network, planes, blocks, filters, start_from)
        training = resolve_recipe(recipe)
        first_player = read_contestant(teacher)
        taught = first_player.options
        rivals = [read_contestant(text) for text in opponents]
        if taught is None or taught.time is not None or not taught.simulations:
            raise OptionError(f"teacher: {teacher!r} is not allowed (allowed: a preset of miai's with simulations)")
        game_options = agree_on_game(game_settings_of_command_line(), [first_player, *rivals])
        form.check_size(game_options.size)
        _check_player(player_options, net_evaluator, start_from or Path(form.kind), game_options.size)
    except (OptionError, ConfigError) as error:
        raise click.UsageError(str(error)) from None
    simulations = player_options.simulations or _SIMULATIONS
    plan = LoopPlan(
        network=form,
        start_from=start_from,
        teacher=taught,
        player=player_options,
        evaluator=net_evaluator,
        teacher_recipe=recipe_options.recipe(player_options, game_options, taught.simulations, shares_net=False),
        recipe=recipe_options.recipe(player_options, game_options, simulations, shares_net=True),
        training=training,
        teacher_games=teacher_games,
        games=games,
    )
    check_branches(plan.recipe)
    cores = processes or count_cores()
    games_to_rate = MatchOptions(
        games=rate_games,
        parallel=cores,
        game_settings=dataclasses.asdict(game_options),
        opening_window=opening_window,
    )
    rater = dataclasses.replace(player_options, simulations=rate_simulations)
    try:
        ladder = RatingLadder(output / "ratings", games_to_rate, rivals, rater, net_evaluator, every=rate_every)
    except OpeningError as error:
        raise click.UsageError(str(error)) from None
    except ValueError as error:
        raise click.UsageError(f"--rate-games: {error}") from None
    try:
        with discard_if_failed(output, "*.npz", "*.safetensors", "results.jsonl"), interrupt_safely():
            loop = Loop(output, plan, ladder, cores, _warn)
            compile_if_cold(taught, game_options.size)
            loop.run(hours, networks, shlex.join(["miai", *sys.argv[1:]]))
    except KeyboardInterrupt:
        click.echo("interrupted: the same command continues", err=True)
        sys.exit(130)
    except EXPECTED_ERRORS as error:
        raise click.ClickException(str(error)) from None


def _check_player(options: PlayerOptions, evaluator: str, net: Path, size: int) -> None:
    """Refuse a player that no network could play with, as one of `net`, of the same form, shows.

    Raises:
        OptionError: naming what is wrong and what is allowed.
    """
    check_parameters(dataclasses.replace(options, evaluator=evaluator, net=str(net), fallback=None), size)


def _warn(text: str) -> None:
    tqdm.write(f"miai: {text}", file=sys.stderr)
