"""`miai experiment trees`: search rules against each other on simulated game trees (Jones 2021, section 4)."""

import functools
from collections.abc import Mapping
from typing import Any

import click

from miai.cli.command_text import command_text
from miai.cli.experiments.running import Runner, take_runner
from miai.cli.option_flags import PowerOfTwo
from miai.engine.domains.simulated import TESTS
from miai.experiments.catalogue import JONES, Experiment
from miai.experiments.jones.tree_runs import TreePlan, read_contestant
from miai.experiments.jones.tree_scan import C0_SCAN
from miai.experiments.running.pieces import load_results


def _is_of_test(test: str, signature: Mapping[str, Any]) -> bool:
    return "contestants" in signature and signature["test"] == test


experiments = tuple(
    Experiment(
        name=f"trees-{test}",
        words=("trees", "--test", test),
        paper=JONES,
        parts=f"figure {figure} to 65,536 playouts" + (", figure 2, table 3" if test == "A" else ""),
        unit="trees",
        option="--trees",
        full=full,
        floor=200,
        smallest=20,
        rows=int,
        account="miai.experiments.jones.accounts:account_of_trees",
        recognizes=functools.partial(_is_of_test, test),
    )
    for test, figure, full in (("A", 3, 10_000), ("B", 4, 4000), ("C", 5, 4000))
)
"""As many trees as the paper's, but with 65,536 playouts as in table 3: a million take sixteen times as long, and on
test B gigabytes for each process."""


@click.command()
@click.option("--test", type=click.Choice(list(TESTS)), default="A", show_default=True, help="Which kind of trees.")
@click.option("--playouts", type=PowerOfTwo(1), default=65536, show_default=True, help="Playouts a tree.")
@click.option("--trees", type=click.IntRange(2), default=2000, show_default=True, help="Number of trees.")
@click.option(
    "--select",
    "texts",
    multiple=True,
    metavar="RULES",
    default=("esprit", "puct"),
    show_default=True,
    help="SELECT[/BACKUP][:NAME=VALUE,...], as esprit, puct:c0=2.5 or puct/softmax; esprit:waves=16 and puct:batch=16 "
    "select 16 leaves at once, the latter by virtual loss; several times for several.",
)
@click.option(
    "--scan-c0",
    is_flag=True,
    help="PUCT with the paper's 19 values of c0, 0.25 to 16, instead of --select (section 4.2).",
)
@click.option(
    "--seed",
    type=int,
    default=0,
    show_default=True,
    help="Random seed of the rules that sample; the trees stay the same.",
)
@take_runner
def command(
    test: str, playouts: int, trees: int, texts: tuple[str, ...], scan_c0: bool, seed: int, runner: Runner
) -> None:
    """Let rules search the same simulated trees, and report how much worse than the best move they choose.

    Can be interrupted: the same command goes on where it stopped, and with more --trees adds to what is there.
    """
    import matplotlib  # noqa: F401  (before anything is computed)

    if scan_c0:
        texts = C0_SCAN
    try:
        contestants = tuple(read_contestant(text, test) for text in texts)
        plan = TreePlan(test, playouts, trees, contestants, seed)
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    from miai.experiments.jones.tree_report import write_report

    folder = runner.folder(f"trees-{test}-{playouts}" + ("-c0" if scan_c0 else ""))
    runner.run(plan, folder, "tree")
    click.echo(write_report(plan, load_results(plan, folder), folder, command_text("miai experiment trees")))
    click.echo(f"wrote {folder}/table.md, regrets.npz, regret.png, best.png and ranks.png")
