"""`miai train`: train a network from files of games."""

import shlex
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from miai.cli.option_flags import describe_option, flag_arguments
from miai.engine.files import discard_if_failed
from miai.engine.interrupts import answer_interrupts
from miai.nets.config import CONFIGS, PLANES_OF_KIND, SHIPPED, ConfigError, NetConfig
from miai.players.option_kinds import OptionError
from miai.selfplay.training.training_recipe import FIELDS, resolve_recipe

if TYPE_CHECKING:
    from miai.selfplay.training.trainer import Trainer

Command = TypeVar("Command", bound=Callable[..., Any])


def _take_recipe(command: Command) -> Command:
    """Decorate a click command with the recipe's values as options; it gets them as texts, None if not given."""
    decorated: Any = command
    for field in reversed([*FIELDS.values()]):
        text = describe_option(field)
        decorated = click.option(field.flag, field.name, help=text, **flag_arguments(field))(decorated)
    return decorated


def take_form(command: Command) -> Command:
    """Decorate a click command with what `form_of` takes: `--network`, `--planes`, `--blocks` and `--filters`."""
    decorated: Any = command
    for option in reversed(
        (
            click.option(
                "--network",
                type=click.Choice(tuple(CONFIGS)),
                help="Architecture of the network [that of --start-from, or miai].",
            ),
            click.option(
                "--planes",
                type=click.Choice(PLANES_OF_KIND["miai"]),
                help="Input planes [the architecture's]; tactics shows ladders and area too.",
            ),
            click.option("--blocks", type=click.IntRange(1), help="Residual blocks [the architecture's]."),
            click.option("--filters", type=click.IntRange(1), help="Channels between blocks [the architecture's]."),
        )
    ):
        decorated = option(decorated)
    return decorated


def take_start(command: Command) -> Command:
    """Decorate a click command with `--start-from`, the file of a network."""
    return click.option(
        "--start-from",
        metavar="NAME|FILE",
        callback=lambda context, option, name: None if name is None else _net_file(name),
        help=f"Network to start from; it may have fewer blocks or planes: {', '.join(SHIPPED)}, or a file.",
    )(command)


def _net_file(name: str) -> Path:
    from miai.nets.net_files import net_file

    if not (path := net_file(name)).is_file():
        raise click.BadParameter(f"{name!r} is not allowed (allowed: {', '.join(SHIPPED)}, or a file of weights)")
    return path


@click.command()
@click.argument("data", nargs=-1, required=True, type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option(
    "--output",
    required=True,
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder for checkpoints and networks.",
)
@take_form
@take_start
@click.option("--steps", type=click.IntRange(1), help="Total steps, instead of --reuse.")
@click.option("--device", metavar="NAME", help="Device of torch, such as cpu or cuda [a GPU if there is one].")
@click.option("--recipe", type=click.Path(path_type=Path), metavar="FILE", help="TOML file with the options below.")
@_take_recipe
def command(
    data: tuple[Path, ...],
    output: Path,
    network: str | None,
    planes: str | None,
    blocks: int | None,
    filters: int | None,
    start_from: Path | None,
    steps: int | None,
    device: str | None,
    recipe: Path | None,
    **given: str | None,
) -> None:
    """Train a network from the games in the folders DATA, and write its weights to OUTPUT/nets.

    DATA holds files games-00000001.npz and so on, as self-play writes them. One game in --held-out is kept for
    validation. The same command resumes a training that was stopped or killed; when all steps are done, it does
    nothing. `tensorboard --logdir OUTPUT` shows the losses, if TensorBoard is installed.
    """
    try:
        chosen = resolve_recipe(recipe, {name: value for name, value in given.items() if value is not None})
        form = form_of(network, planes, blocks, filters, start_from)
    except (OptionError, ConfigError) as error:
        raise click.UsageError(str(error)) from None
    from miai.nets.net_files import WeightsError
    from miai.selfplay.data.format import DataError, game_files
    from miai.selfplay.training.trainer import Trainer, TrainingError

    files = [path for folder in data for path in game_files(folder)]
    if not files:
        raise click.ClickException(f"there is no file games-*.npz in {', '.join(map(str, data))}")
    try:
        with (
            discard_if_failed(output, "*.safetensors"),
            Trainer(form, output, chosen, device, start_from=start_from) as trainer,
        ):
            _train(trainer, files, steps)
    except (DataError, TrainingError, WeightsError) as error:
        raise click.ClickException(str(error)) from None


def form_of(
    name: str | None, planes: str | None, blocks: int | None, filters: int | None, start_from: Path | None
) -> NetConfig:
    """Return a configuration by name, with other planes and another number of blocks and filters if they are given.

    Without a name it is that of the network to start from, or else `miai`.

    Raises:
        ConfigError: if planes or a number are not allowed, or the file to start from cannot be read.
    """
    form = _form_of_file(start_from) if name is None and start_from is not None else CONFIGS[name or "miai"]
    form = replace(form, planes=planes or form.planes)
    if blocks is None and filters is None:
        return form
    blocks, filters = blocks or form.blocks, filters or form.filters
    pooling_blocks = min(form.pooling_blocks, blocks)
    return replace(
        form, name=f"{form.kind}-{blocks}x{filters}", blocks=blocks, filters=filters, pooling_blocks=pooling_blocks
    )


def _form_of_file(path: Path) -> NetConfig:
    from miai.nets.net_files import WeightsError, read_config

    try:
        return read_config(path)
    except WeightsError as error:
        raise ConfigError(str(error)) from None


def _train(trainer: "Trainer", files: list[Path], steps: int | None) -> None:
    from miai.selfplay.training.losses import MEASURES, TERMS

    positions = trainer.load(files)
    total = steps or trainer.recipe.steps_for(len(positions.learned))
    counts = f"{len(positions.learned):,} positions of {positions.num_games_learned:,} games"
    click.echo(f"{counts} in {len(positions.names):,} files, {len(positions.held_out):,} more held out")
    click.echo(f"{trainer.step:,} of {total:,} steps done" if trainer.step else f"{total:,} steps")
    with answer_interrupts(trainer.stop):
        trainer.train(files, total - trainer.step, total)
    if trainer.step < total:
        raise click.ClickException(f"interrupted at step {trainer.step:,}; the same command goes on")
    click.echo(trainer.speed())
    names = (*TERMS, "loss", *MEASURES)
    for name in (*names, *(name for name in trainer.validation if name not in names)):
        value = trainer.validation.get(name)
        click.echo(f"held out  {name:20} " + ("–" if value is None else f"{value:.4g}"))
    path = trainer.publish(command=shlex.join(["miai", *sys.argv[1:]]))
    click.echo(f"wrote {path}")
