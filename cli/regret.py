"""`miai regret`: what networks' best moves lose by a teacher."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click
from tqdm import tqdm

from miai.cli.error_text import error_after
from miai.cli.option_flags import KOMI
from miai.engine.progress import progress_bar
from miai.nets.config import SHIPPED, ConfigError

if TYPE_CHECKING:
    from miai.selfplay.labelling.regret import Asked, Regrets
    from miai.selfplay.labelling.teacher import TeacherOptions

_BLUNDER = 0.5
_MISTAKE = 0.2


@click.command()
@click.argument("games", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@click.option(
    "--teacher", metavar="NAME|FILE", required=True, help=f"Network that judges: {', '.join(SHIPPED)}, or a file."
)
@click.option("--net", "nets", metavar="NAME|FILE", multiple=True, required=True, help="Network to judge; repeatable.")
@click.option(
    "--positions",
    type=click.IntRange(1),
    default=4000,
    show_default=True,
    help="Maximum number of positions, drawn from all.",
)
@click.option("--seed", type=click.IntRange(0), default=1, show_default=True, help="Random seed of the sample.")
@click.option("--backend", metavar="NAME", help="What runs the networks [the fastest for each].")
@click.option("--komi", type=KOMI, default=7.0, show_default=True, help="Komi of SGF files that name none.")
def command(
    games: tuple[Path, ...],
    teacher: str,
    nets: tuple[str, ...],
    positions: int,
    seed: int,
    backend: str | None,
    komi: float,
) -> None:
    """Show what networks' best moves lose by a teacher in positions of GAMES, without search.

    GAMES are files and folders of game data or SGF. A move's regret is the result that the teacher expects (1 a win,
    0.5 a draw) minus what it expects after the move. Differences between networks are paired, over the same positions;
    ± is a standard error over games.
    """
    from miai.nets.inference import BackendError, check_backend
    from miai.nets.loading import read_net_config
    from miai.nets.net_files import WeightsError, net_file
    from miai.selfplay.data.format import DataError
    from miai.selfplay.labelling.pieces import find_pieces
    from miai.selfplay.labelling.regret import draw_positions
    from miai.selfplay.labelling.teacher import TeacherOptions

    def warn(text: str) -> None:
        tqdm.write(f"miai: {text}", file=sys.stderr)

    options = [TeacherOptions(net_file(name), backend, symmetry="none") for name in (teacher, *nets)]
    try:
        configs = [read_net_config(one.net) for one in options]
        if backend is not None:
            check_backend(backend)
    except (WeightsError, BackendError) as error:
        raise click.UsageError(str(error)) from None
    try:
        asked = draw_positions(find_pieces(games, komi, 1.0, warn), positions, seed)
        for size in {one.file.size for one in asked}:
            for config in configs:
                config.check_size(size)
        found = _judge(options, asked)
    except (BackendError, ConfigError, DataError, WeightsError) as error:
        raise click.ClickException(str(error)) from None
    click.echo(_table(nets, found))


def _judge(options: "list[TeacherOptions]", asked: "list[Asked]") -> "list[Regrets]":
    """Return what each network but the first, the teacher, loses."""
    from miai.selfplay.labelling.regret import Judge
    from miai.selfplay.labelling.teacher import Teacher

    number = sum(len(one.rows) for one in asked)
    with progress_bar(total=number * (2 * len(options) - 1), unit="position") as bar:
        judge = Judge(Teacher(options[0]), asked, bar.update)
        return [judge.regrets(Teacher(one)) for one in options[1:]]


def _table(nets: tuple[str, ...], found: "list[Regrets]") -> str:
    from tabulate import tabulate

    phases = list(found[0].by_phase())
    headers = ["", "regret", "against the first", *phases, f"> {_MISTAKE}, %", f"> {_BLUNDER}, %"]
    headers += ["teacher's best, %", "value error"]
    rows = []
    for name, one in zip(nets, found, strict=True):
        by_phase = one.by_phase()
        mean, error = one.mean()
        change, change_error = one.mean(one.loss - found[0].loss)
        rows.append(
            [
                name,
                f"{mean:.4f}{error_after(error, 4)}",
                "" if one is found[0] else f"{change:+.4f}{error_after(change_error, 4)}",
                *(f"{by_phase[phase]:.4f}" for phase in phases),
                *(f"{100 * float((one.loss > limit).mean()):.2f}" for limit in (_MISTAKE, _BLUNDER)),
                f"{100 * float(one.agrees.mean()):.1f}",
                f"{float(one.value_error.mean()):.4f}",
            ]
        )
    number, num_games = len(found[0].loss), len(set(found[0].game.tolist()))
    return f"{number:,} positions of {num_games:,} games\n\n" + tabulate(
        rows, headers, tablefmt="github", disable_numparse=True
    )
