"""`miai experiment fair-komi`: what moves cost in points, and what policies lose (Fernando & Müller 2013, table 4)."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from miai.cli.command_text import command_text
from miai.cli.experiments.mcts_flags import take_base, take_mcts
from miai.cli.experiments.running import Runner, take_runner, take_seed
from miai.experiments.catalogue import FERNANDO_MULLER, Experiment, is_experiment
from miai.experiments.fernando_muller.mcts_of_policies import SIMULATIONS, MctsReading
from miai.experiments.fernando_muller.published import LINES, policy_of
from miai.experiments.running.pieces import Results, load_results

if TYPE_CHECKING:
    from miai.experiments.fernando_muller.annotations import AnnotatedPosition
    from miai.experiments.fernando_muller.oracles import Asked

SIZE = 9
_FOLDER = click.Path(exists=True, path_type=Path)

experiments = (
    Experiment(
        name="fair-komi",
        words=("fair-komi",),
        paper=FERNANDO_MULLER,
        parts="table 4, figures 1, 2, 3 and 6",
        unit="positions",
        option="--positions",
        full=56968,
        floor=30,
        smallest=2,
        rows=int,
        account="miai.experiments.fernando_muller.fair_komi_account:account_of_fair_komi",
        recognizes=is_experiment("fair-komi"),
        needs_games=True,
    ),
)


@click.command()
@click.option(
    "--from", "source", type=_FOLDER, help="SGF games: a file, a folder or a .tar archive, such as one of CGOS."
)
@click.option(
    "--annotations", type=_FOLDER, help="Folder of positions annotated before, by whomever, in place of --from."
)
@click.option(
    "--positions",
    type=click.IntRange(1),
    default=300,
    show_default=True,
    help="Number of positions, each from a different game.",
)
@click.option(
    "--simulations",
    type=click.IntRange(1),
    default=SIMULATIONS,
    show_default=True,
    help="Simulations of the oracle per komi.",
)
@click.option(
    "--oracle",
    metavar="PLAYER",
    help="Who says what Black's chances are: a player as in miai match, net:simulations=400 for example, or the "
    "command line of a GTP engine that knows komi and tells a win rate. [default: MCTS(F)]",
)
@take_base
@click.option(
    "--search",
    "searches",
    type=click.IntRange(1),
    multiple=True,
    default=(1, 10, 100, 1000, 5000),
    show_default=True,
    help="Simulations of short searches to set beside the policies; repeatable.",
)
@click.option(
    "--search-policy",
    "search_lines",
    type=click.Choice(LINES),
    multiple=True,
    default=("F", "R"),
    show_default=True,
    help="Policies of these searches; repeatable.",
)
@click.option(
    "--against", type=_FOLDER, help="Folder of this experiment by another oracle on the same positions, to compare."
)
@click.option(
    "--strengths",
    type=_FOLDER,
    help="Folder of miai experiment policies to draw figure 6 from. [default: the paper's table 2]",
)
@take_mcts
@take_seed("the sample and of searches")
@take_runner
def command(
    source: Path | None,
    annotations: Path | None,
    positions: int,
    simulations: int,
    oracle: str | None,
    base: str,
    searches: tuple[int, ...],
    search_lines: tuple[str, ...],
    against: Path | None,
    strengths: Path | None,
    reading: MctsReading,
    seed: int,
    runner: Runner,
) -> None:
    """Find the fair komi of positions and of every legal move's outcome, and what each policy loses by its moves.

    Annotated positions are kept as SGF files and as an array file, for later runs and other programs. Can be
    interrupted: the same command goes on where it stopped, and with more --positions adds to what is there.
    """
    import matplotlib  # noqa: F401  (before anything is computed)

    from miai.experiments.fernando_muller.annotations import digest_of_positions, read_annotations
    from miai.experiments.fernando_muller.fair_komi_report import matching, write_report
    from miai.experiments.fernando_muller.oracles import Asked
    from miai.experiments.fernando_muller.policy_errors import SEARCHES, ShortSearchPlan
    from miai.experiments.fernando_muller.policy_report import read_scores

    if (source is None) == (annotations is None):
        raise click.UsageError("say either --from, where games are, or --annotations, where annotated positions are")
    folder = runner.folder("-".join(["fair-komi", base, str(simulations), *reading.words]))
    try:
        scores = None if strengths is None else {line: one.percent for line, one in read_scores(strengths).items()}
        others = None if against is None else read_annotations(against)
        results: Results | None = None
        if source is not None:
            given = Asked(oracle, base, simulations, reading)
            annotated, results, digest = _annotate(source, positions, given, seed, runner, folder)
        else:
            annotated = read_annotations(annotations or Path())
            digest = digest_of_positions(annotated)
            annotated = annotated[:positions]
        if others is not None:
            matching(annotated, others)
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    lines = tuple(dict.fromkeys(search_lines))
    policies = tuple(policy_of(line, base) for line in lines)
    plan = ShortSearchPlan(tuple(annotated), policies, tuple(sorted(set(searches))), digest, reading, seed)
    runner.run(plan, folder / SEARCHES / plan.name, "position")
    found = load_results(plan, folder / SEARCHES / plan.name)
    names: Mapping[str, str] = {policy_of(line, base): line for line in search_lines}
    text = command_text("miai experiment fair-komi")
    try:
        scale = SIMULATIONS / simulations if oracle is None else 1.0
        click.echo(write_report(annotated, results, scale, (plan, found, names), base, scores, others, folder, text))
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    click.echo(
        f"wrote {folder}/table.md, table.csv, errors.npz, figures" + (", annotations/*.sgf and .npz" if results else "")
    )


def _annotate(
    source: Path, positions: int, asked: "Asked", seed: int, runner: Runner, folder: Path
) -> "tuple[list[AnnotatedPosition], Results, str]":
    """Sample positions and annotate what is missing of them.

    Returns:
        the positions, the results of all pieces, and what all positions that may be sampled so have in common.
    """
    from miai.experiments.fernando_muller.annotation_runs import AnnotationPlan, annotated_positions
    from miai.experiments.fernando_muller.annotations import write_annotations
    from miai.experiments.fernando_muller.game_samples import choose_games, digest_of, read_games

    choice = asked.choose()
    choice.check()
    games = read_games(source, SIZE)
    digest = digest_of(games)
    plan = AnnotationPlan(tuple(choose_games(games, positions, seed)), digest, choice, asked, seed)
    runner.run(plan, folder, "position")
    results = load_results(plan, folder)
    annotated = annotated_positions(plan.games, results)
    write_annotations(annotated, choice.describe(), folder)
    return annotated, results, f"{digest} {seed}"
