"""`miai label`: what a teacher says of the positions of recorded games."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click
from tqdm import tqdm

from miai.cli.option_flags import KOMI, FiniteFloat
from miai.engine.files import discard_if_failed
from miai.engine.processes import count_cores
from miai.engine.progress import progress_bar
from miai.nets.config import SHIPPED, ConfigError
from miai.selfplay.labelling import VIEWS

if TYPE_CHECKING:
    from miai.selfplay.labelling.label_run import Labellers
    from miai.selfplay.labelling.teacher import TeacherOptions


@click.command()
@click.argument("games", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@click.option(
    "--teacher", metavar="NAME|FILE", required=True, help=f"Network to ask: {', '.join(SHIPPED)}, or a file of weights."
)
@click.option("--output", type=click.Path(file_okay=False, path_type=Path), required=True, help="Folder of the labels.")
@click.option("--backend", metavar="NAME", help="What runs the network [the fastest].")
@click.option(
    "--batch", type=click.IntRange(1, 4096), default=16, show_default=True, help="Positions evaluated at once."
)
@click.option("--processes", type=click.IntRange(1, 1024), help="Processes that label [cores].")
@click.option("--ray", metavar="ADDRESS", help="Label on a Ray cluster: auto, local, or HOST:PORT.")
@click.option(
    "--symmetry",
    type=click.Choice(VIEWS),
    default="random",
    show_default=True,
    help="How positions are shown: as they lie, each in one symmetry, or in all eight, whose mean is kept.",
)
@click.option(
    "--positions",
    type=FiniteFloat(0.0, 1.0, min_open=True),
    default=1.0,
    show_default=True,
    help="Fraction of the positions to label, chosen by a hash of each.",
)
@click.option("--komi", type=KOMI, default=7.0, show_default=True, help="Komi of SGF files that name none.")
def command(
    games: tuple[Path, ...],
    teacher: str,
    output: Path,
    backend: str | None,
    batch: int,
    processes: int | None,
    ray: str | None,
    symmetry: str,
    positions: float,
    komi: float,
) -> None:
    """Label the positions of GAMES with a teacher's policy, win, draw and loss, score and ownership.

    GAMES are files and folders of game data or SGF. A position that comes up again is asked about once. The same
    command resumes a run that was stopped or killed, and labels what is new. `miai train OUTPUT` learns from it.
    """
    if ray is not None and processes is not None:
        raise click.UsageError(
            "--processes is not allowed with --ray: the cluster's processors label (allowed: one of the two)"
        )
    from miai.nets.inference import BackendError, check_backend
    from miai.nets.loading import read_net_config
    from miai.nets.net_files import WeightsError, net_file
    from miai.selfplay.labelling.teacher import TeacherOptions

    options = TeacherOptions(net_file(teacher), backend, batch, symmetry)
    try:
        if read_net_config(options.net).kind == "li-lim":
            raise click.UsageError(
                f"--teacher {teacher} tells nothing of score and owners (allowed: networks of miai's form, KataGo's)"
            )
        if backend is not None:
            check_backend(backend)
    except (WeightsError, BackendError) as error:
        raise click.UsageError(str(error)) from None
    if not _run(games, output, options, processes or count_cores(), ray, positions, komi):
        click.echo("interrupted: the same command continues", err=True)
        sys.exit(130)


def _make_labellers(options: "TeacherOptions", processes: int, ray: str | None) -> "Labellers":
    from miai.selfplay.labelling.workers import LocalLabellers, ThisProcess

    if ray is not None:
        from miai.selfplay.labelling.ray_workers import RayLabellers

        return RayLabellers(options, ray)
    return ThisProcess(options) if processes == 1 else LocalLabellers(options, processes)


def _run(
    games: tuple[Path, ...],
    output: Path,
    options: "TeacherOptions",
    processes: int,
    ray: str | None,
    share: float,
    komi: float,
) -> bool:
    """Label what is left; return whether that was not interrupted."""
    from miai.match.runner import interrupt_safely
    from miai.nets.inference import BackendError
    from miai.nets.net_files import WeightsError
    from miai.selfplay.data.format import DataError
    from miai.selfplay.data.store import StoreError
    from miai.selfplay.generation.workers import WorkersFailed
    from miai.selfplay.labelling.label_run import LabelStore, label_pieces
    from miai.selfplay.labelling.pieces import find_pieces

    def warn(text: str) -> None:
        tqdm.write(f"miai: {text}", file=sys.stderr)

    try:
        with (
            discard_if_failed(output, "games-*.npz"),
            interrupt_safely(),
            LabelStore(output, options.identity(), share) as store,
        ):
            labelled = store.labelled_positions()
            pieces = find_pieces(games, komi, share, warn, labelled)
            done = sum(map(len, labelled.values()))
            total = done + sum(len(piece.rows) for piece in pieces)
            click.echo(f"{total:,} positions, of which {done:,} are labelled already", err=True)
            if not pieces:
                return True
            with progress_bar(total=total, done=done, unit="position") as bar:
                summary = label_pieces(store, _make_labellers(options, processes, ray), pieces, bar.update)
    except KeyboardInterrupt:
        return False
    except (BackendError, ConfigError, DataError, StoreError, WeightsError, WorkersFailed) as error:
        raise click.ClickException(str(error)) from None
    click.echo(summary.line())
    return True
