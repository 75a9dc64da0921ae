"""`miai experiment tune-backup`: six knots of a backup's weights, tuned (Li & Lim, sections 3 and 4)."""

import functools
from pathlib import Path

import click

from miai.cli.command_text import command_text
from miai.cli.experiments.running import take_output, take_parallel
from miai.cli.match_flags import take_workers
from miai.cli.option_flags import KOMI
from miai.cli.tuning_session import (
    Extent,
    TuningSession,
    choose_openings,
    conduct_tuning,
    refuse_by_usage,
    take_extent,
)
from miai.experiments.catalogue import LI_LIM, Experiment
from miai.experiments.li_lim.backup_matches import PAIRS_TOGETHER
from miai.experiments.li_lim.published import (
    RANGES,
    SIMULATIONS,
    TEST_GAMES,
    TUNED_RULES,
    TUNING_GAMES,
    TUNING_POINTS,
)
from miai.experiments.matches.game_rows import SIZE
from miai.match.match_options import MatchOptions

_SAMPLE_SIMULATIONS = 500


def _experiment(rule: str) -> Experiment:
    return Experiment(
        name=f"tune-{rule}",
        words=("tune-backup", "--rule", rule),
        paper=LI_LIM,
        parts=f"section 4, {rule} tuned",
        unit="games",
        option="--points",
        full=TUNING_POINTS,
        floor=10,
        smallest=2,
        rows=lambda points: points * TUNING_GAMES + TEST_GAMES,
        account="miai.tuning.li_lim_account:account_of_tuning",
        recognizes=lambda signature: (signature.get("experiment"), signature.get("rule")) == ("tune-backup", rule),
        sample=(
            *("--games", str(2 * PAIRS_TOGETHER)),
            *("--test-games", "0"),
            *("--simulations", str(_SAMPLE_SIMULATIONS)),
        ),
        sample_apart=True,
        sample_cost=_SAMPLE_SIMULATIONS / SIMULATIONS[9],
    )


experiments = tuple(map(_experiment, TUNED_RULES))


@click.command()
@click.option("--rule", type=click.Choice(TUNED_RULES), required=True, help="Backup whose knots are tuned.")
@click.option(
    "--simulations",
    type=click.IntRange(1),
    default=SIMULATIONS[9],
    show_default=True,
    help="Simulations per move, for both sides; the last knot lies there.",
)
@click.option(
    "--values",
    type=click.Choice(RANGES),
    default=RANGES[0],
    show_default=True,
    help="Values beside which C = 0.5 stands, and which softmax's weights multiply, as in backups-go. With unit, "
    "softmax's parameters are the paper's knots less ln 2.",
)
@click.option("--games", default=TUNING_GAMES, show_default=True, help="Games per point; even, as colours are swapped.")
@click.option("--komi", type=KOMI, default=7.0, show_default=True, help="Points White gets for moving second.")
@click.option(
    "--seed",
    type=click.IntRange(0, (1 << 63) - 1),
    default=1,
    show_default=True,
    help="Random seed of openings and points.",
)
@click.option(
    "--together",
    type=click.IntRange(1, 256),
    default=PAIRS_TOGETHER,
    show_default=True,
    help="Pairs of games that a process plays at a time; a piece, too.",
)
@take_parallel
@take_output
@take_workers
@take_extent
def command(
    rule: str,
    simulations: int,
    values: str,
    games: int,
    komi: float,
    seed: int,
    together: int,
    parallel: int,
    output: Path | None,
    workers: str,
    extent: Extent,
) -> None:
    """Tune the six knots of Softmax or Monotone MCTS against standard MCTS with the paper's network.

    Can be interrupted: the same command goes on where it stopped, and with more --points or --test-games adds to what
    is there. `miai tune` tunes other players' parameters.
    """
    import miai.tuning.model  # noqa: F401  (before anything is played)
    from miai.tuning.knot_games import KnotConditions, KnotGames
    from miai.tuning.li_lim import draw_weights, knot_space, published_points, standard_player, tuned_player
    from miai.tuning.piece_tables import make_piece_tables
    from miai.tuning.tuning import TuningPlan

    options = MatchOptions(games, game_settings={"size": SIZE, "komi": komi}, seed=seed)
    conditions = KnotConditions(rule, simulations, values, games, komi, together, seed)
    folder = output or Path(f"tune-{rule}-{simulations}" + ("-signed" if values == "signed" else ""))
    with refuse_by_usage():
        choice = choose_openings(options, extent)
        tables = make_piece_tables(workers, parallel)
    plan = TuningPlan(
        tuned_player(rule, simulations, values),
        knot_space(rule, simulations, values),
        standard_player(simulations, values),
        games,
        extent.points,
        extent.test_games,
        None,
        seed,
    )
    conduct_tuning(
        TuningSession(
            plan,
            choice,
            functools.partial(KnotGames, plan, conditions),
            tables,
            folder,
            command_text("miai experiment tune-backup"),
            published_points(rule, values),
            lambda knots, folder: draw_weights(rule, knots, simulations, values, folder / "weights.svg"),
        )
    )
