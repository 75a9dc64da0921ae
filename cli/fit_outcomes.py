"""`miai fit-outcomes`: static estimates of win, draw and loss, from games."""

from pathlib import Path

import click
import numpy as np

from miai.cli.fit_flags import take_held_out, take_rounds, take_table
from miai.cli.option_flags import SEED, FiniteFloat
from miai.engine.go.game_files import ReadGame, read_games
from miai.engine.go.points import format_score
from miai.engine.log import log
from miai.fitting.outcome_regression import calibration, constant_chances, fit, join_cases, probabilities, quality
from miai.fitting.outcome_weights import STONES_ONLY, cases_of_game, write_weights
from miai.playouts.outcome import DRAW, WIN
from miai.selfplay.import_games import read_result


@click.command()
@click.argument("folders", nargs=-1, required=True, type=click.Path(exists=True, file_okay=False, path_type=Path))
@take_table("weights", "outcome_weights.txt")
@click.option("--positions", type=click.IntRange(1), default=20, show_default=True, help="Positions per game.")
@click.option("--penalty", type=FiniteFloat(0), default=1e-5, show_default=True, help="L2 penalty.")
@take_held_out
@take_rounds(2000)
@click.option("--seed", type=SEED, default=1, show_default=True, help="Seed of the positions and komis sampled.")
def command(
    folders: tuple[Path, ...],
    output: Path,
    positions: int,
    penalty: float,
    held_out: int,
    rounds: int,
    seed: int,
) -> None:
    """Learn to estimate outcomes from the SGF files in FOLDERS and their subfolders, if they ended by two passes.

    A game whose result is not the area score of its last position, as where dead stones stayed on the board, is named
    and left out.
    """
    read = [read_games(folder) for folder in folders]
    finished = [one for found, _ in read for one in found if one.game.is_over]
    games = [one.game for one in finished if _is_scored_as_it_stands(one)]
    num_broken = sum(broken for _, broken in read)
    num_unfinished = sum(len(found) for found, _ in read) - len(finished)
    counts = f"{len(games)} finished games, {num_unfinished} unfinished, {num_broken} broken"
    if num_otherwise := len(finished) - len(games):
        counts += f", {num_otherwise} scored otherwise"
    if len(games) < 2:
        raise click.ClickException(f"{counts} in {', '.join(map(str, folders))}: too few")
    rng = np.random.default_rng(seed)
    found = [cases_of_game(game, positions, rng) for game in games]
    train = join_cases([cases for index, cases in enumerate(found) if index % held_out])
    test = join_cases(found[::held_out])
    click.echo(counts)
    click.echo(f"cases {train.number} to learn from, {test.number} held out (every {held_out}th game)")
    weights, num_rounds = fit(train, penalty, rounds)
    stones, _ = fit(train, penalty, rounds, STONES_ONLY)
    click.echo(f"converged in {num_rounds} rounds" if num_rounds < rounds else f"not converged in {rounds} rounds")
    can_draw = (test.komi == np.floor(test.komi)).astype(np.int64)
    estimates = {
        "constant": constant_chances(train)[can_draw],
        "stones and komi": probabilities(test, stones),
        "all features": probabilities(test, weights),
    }
    click.echo("held out          log-loss   Brier  accuracy")
    for name, chances in estimates.items():
        measured = quality(chances, test.outcomes)
        click.echo(f"{name:16}  {measured.log_loss:8.4f}  {measured.brier:6.4f}  {measured.accuracy:8.1%}")
    for outcome, name in ((WIN, "win"), (DRAW, "draw")):
        click.echo(f"{name}: expected, seen, cases")
        for entry in calibration(estimates["all features"][:, outcome], test.outcomes == outcome):
            click.echo(f"  {entry.expected:5.1%}  {entry.seen:5.1%}  {entry.number}")
    measured, simplest = (quality(estimates[name], test.outcomes) for name in ("all features", "stones and komi"))
    comment = f"{len(games)} games, {train.number} cases, penalty {penalty:g}; held out: log-loss "
    comment += f"{measured.log_loss:.4f} ({simplest.log_loss:.4f} from stones and komi), {measured.accuracy:.1%} right"
    write_weights(output, weights, comment)
    click.echo(f"wrote {output}")


def _is_scored_as_it_stands(read: ReadGame) -> bool:
    """Tell whether a finished game's result is the area score of its last position; name it if it is not.

    A file that tells no result is believed if its rules leave dead stones on the board.
    """
    game, told = read.game, read.info.result.strip()
    if abs(game.score() - read_result(told)[1]) < 0.01 or not (told or game.rules.removes_dead):
        return True
    scored = format_score(game.score())
    log(f"left out: {read.path}: the result is {told[:20] or 'unknown'}, the last position scores {scored}")
    return False
