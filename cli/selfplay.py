"""`miai selfplay`: games to learn from, played by any of miai's players against itself."""

import dataclasses
import functools
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click
from tqdm import tqdm

from miai.cli.player_flags import take_options
from miai.cli.selfplay_flags import RecipeOptions, check_branches, take_recipe
from miai.engine.files import discard_if_failed
from miai.engine.processes import count_cores
from miai.engine.progress import progress_bar
from miai.engine.search.rule_names import is_own
from miai.players.compiling import check_parameters, compile_if_cold
from miai.players.fallback import options_on
from miai.players.options import NET_EVALUATORS, GameOptions, PlayerOptions
from miai.selfplay.generation.selfplay_recipe import SelfPlayRecipe

if TYPE_CHECKING:
    from miai.selfplay.generation.generate import Samples, Workers

_SIMULATIONS = 400


@click.command()
@click.option("--output", type=click.Path(file_okay=False, path_type=Path), required=True, help="Folder for the games.")
@click.option("--games", type=click.IntRange(1), default=1000, show_default=True, help="Total games of this seed.")
@click.option("--processes", type=click.IntRange(1, 1024), help="Processes that play [cores / threads per player].")
@click.option("--net-version", type=click.IntRange(0), default=0, help="Number of the network, stored with its games.")
@click.option("--ray", metavar="ADDRESS", help="Play on a Ray cluster: auto, local, or HOST:PORT.")
@click.option(
    "--sgf-every",
    type=click.IntRange(0),
    default=50,
    show_default=True,
    help="Store one game in this many as SGF too; 0 = none.",
)
@take_recipe(full_search_fraction=0.25)
@functools.partial(
    take_options,
    preset="fuego",
    without=("strength", "time", "ponder", "early_stop", "temperature", "min_visit_ratio"),
    texts={"simulations": f"Simulations of a full search. [default: {_SIMULATIONS}]"},
)
def command(
    output: Path,
    games: int,
    processes: int | None,
    net_version: int,
    ray: str | None,
    sgf_every: int,
    recipe_options: RecipeOptions,
    player_options: PlayerOptions,
    game_options: GameOptions,
) -> None:
    """Let a player play itself until the folder holds --games games of this seed.

    The same command resumes a run that was stopped or killed; a larger --games extends it, another --seed (default 1)
    adds other games. docs/reference/data-format.md describes the files.
    """
    simulations = player_options.simulations or _SIMULATIONS
    options = dataclasses.replace(player_options, simulations=simulations)
    _check_fallback(options, game_options.size)
    check_parameters(options, game_options.size)
    shares_net = options.evaluator in NET_EVALUATORS
    recipe = recipe_options.recipe(player_options, game_options, simulations, shares_net)
    recipe = dataclasses.replace(recipe, net_version=net_version)
    if ray is not None:
        _check_cluster(ray, processes, options, recipe)
    check_branches(recipe)
    compile_if_cold(options, recipe.size)
    number = processes or max(1, count_cores() // options.threads)
    from miai.selfplay.generation.generate import Samples

    samples = Samples(sgf_every, f"miai {options.select}, {simulations} simulations", f"{recipe.seed}-")
    if not _run(output, games, recipe, options, samples, lambda: _make_workers(options, recipe, number, ray)):
        click.echo("interrupted: the same command continues", err=True)
        sys.exit(130)


def _check_fallback(options: PlayerOptions, size: int) -> None:
    """Refuse a network that leaves boards of this size to its fallback: games to learn from are the network's own.

    Raises:
        OptionError: if it cannot be read.
    """
    if options_on(options, size) == options:
        return
    from miai.nets.loading import read_net_sizes
    from miai.nets.net_files import net_file

    allowed = [f"--size {learned}" for learned in sorted(read_net_sizes(net_file(options.net)))] + ["--fallback none"]
    raise click.UsageError(
        f"--net {options.net} has not learned {size}x{size}: {options.fallback} would play (allowed: "
        f"{', '.join(allowed)})"
    )


def _check_cluster(address: str, processes: int | None, options: PlayerOptions, recipe: SelfPlayRecipe) -> None:
    """Refuse what a Ray cluster would ignore, or what its machines lack."""
    if processes is not None:
        raise click.UsageError(
            "--processes is not allowed with --ray: the cluster's processors play (allowed: one of the two)"
        )
    if address == "local":
        return
    local_files = [f"--{name} {rule}" for name in ("select", "backup") if is_own(rule := getattr(options, name))]
    if recipe.branch_off:
        local_files.append(f"--branch-off {recipe.branch_off}")
    if local_files:
        raise click.UsageError(
            f"{local_files[0]} is not allowed with --ray {address}: the cluster's machines may lack it "
            "(allowed: --ray local)"
        )


def _make_workers(options: PlayerOptions, recipe: SelfPlayRecipe, processes: int, ray: str | None) -> "Workers":
    from miai.selfplay.generation.player_generator import make_generator
    from miai.selfplay.generation.workers import LocalWorkers

    if ray is not None:
        from miai.selfplay.generation.ray_workers import RayWorkers

        return RayWorkers(options, recipe, ray)
    if processes == 1:
        return make_generator(options, recipe)
    return LocalWorkers(options, recipe, processes)


def _run(
    output: Path,
    games: int,
    recipe: SelfPlayRecipe,
    options: PlayerOptions,
    samples: "Samples",
    make_workers: Callable[[], "Workers"],
) -> bool:
    """Play what is left; return whether that was not interrupted."""
    from miai.match.runner import interrupt_safely
    from miai.selfplay.data.store import GameStore, StoreError
    from miai.selfplay.generation.generate import RunSummary, generate_games, numbers_left
    from miai.selfplay.generation.run_plan import check_plan
    from miai.selfplay.generation.workers import WorkersFailed

    def warn(text: str) -> None:
        tqdm.write(f"miai: {text}", file=sys.stderr)

    try:
        with discard_if_failed(output, "games-*.npz"), interrupt_safely(), GameStore(output, warn) as store:
            check_plan(output, recipe, options)
            numbers = numbers_left(store, recipe.seed, games)
            if len(numbers) < games:
                click.echo(f"{output} holds {games - len(numbers):,} of these games", err=True)
            with progress_bar(total=games, done=games - len(numbers), unit="game") as bar:

                def show(summary: RunSummary) -> None:
                    bar.set_postfix_str(summary.progress(), refresh=False)
                    bar.update()

                summary = generate_games(store, make_workers(), numbers, samples, warn, show)
    except KeyboardInterrupt:
        try:
            with GameStore(output, warn) as store:
                store.finish()
        except StoreError as error:
            raise click.ClickException(str(error)) from None
        return False
    except (StoreError, WorkersFailed) as error:
        raise click.ClickException(str(error)) from None
    for line in summary.lines():
        click.echo(line)
    return True
