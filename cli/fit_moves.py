"""`miai fit-moves`: what the search knows of moves beforehand, from games."""

from pathlib import Path

import click
import numpy as np

from miai.cli.fit_flags import take_held_out, take_rounds, take_table, take_tolerance
from miai.cli.games_to_fit import read_games_to_fit
from miai.cli.option_flags import FiniteFloat
from miai.fitting.bradley_terry import winner_ranks
from miai.fitting.fit_report import FitError, fit_and_report, split, write_table
from miai.fitting.move_strengths import competitions_of_game, shapes_in, table_rows, with_shapes_numbered
from miai.playouts.move_features import FEATURES, GROUPS


@click.command()
@click.argument("games_folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@take_table("strengths", "move_strengths.txt")
@click.option(
    "--skip", type=click.IntRange(0), default=0, show_default=True, help="Leave out the first moves of each game."
)
@click.option(
    "--min-count",
    type=click.IntRange(1),
    default=20,
    show_default=True,
    help="Learn only shapes seen at least this often.",
)
@click.option(
    "--prior",
    type=FiniteFloat(0, min_open=True),
    default=1.0,
    show_default=True,
    help="Virtual wins and losses of each feature.",
)
@take_held_out
@take_tolerance(1e-2)
@take_rounds(200)
def command(
    games_folder: Path,
    output: Path,
    skip: int,
    min_count: int,
    prior: float,
    held_out: int,
    tolerance: float,
    rounds: int,
) -> None:
    """Learn the strengths of moves' features from games.

    GAMES_FOLDER holds SGF files, in subfolders too, whose moves are learned; or data that `miai label` made, of whose
    positions the teacher's best moves are.
    """
    try:
        games, num_broken = read_games_to_fit(games_folder)
        found = [competitions_of_game(game.positions(), game.size, skip) for game in games]
        train, test = split(found, held_out, 1 + len(GROUPS), "moves")
    except FitError as error:
        raise click.ClickException(str(error)) from None
    forms = shapes_in(train, min_count)
    if not len(forms):
        raise click.ClickException(f"no shape was seen {min_count} times; lower --min-count or give more games")
    train, test = with_shapes_numbered(train, forms), with_shapes_numbered(test, forms)
    num_members = len(FEATURES) + len(forms) - 1
    click.echo(f"games {len(games)}, broken {num_broken}, shapes {len(forms)}")
    click.echo(f"moves {train.number} to learn from, {test.number} held out (every {held_out}th game)")
    fitted = fit_and_report(train, test, num_members, prior, tolerance, rounds)
    ranks = winner_ranks(fitted.strengths, test)
    shares = ", ".join(f"{np.mean(ranks < best):.1%} among the first {best}" for best in (1, 3, 5))
    click.echo(f"moves played, held out: {shares}")
    comments = [
        "Strengths of features of moves, learned by `miai fit-moves`; see playouts/move_features.py.",
        f"{len(games)} games, {train.number} moves, prior {prior:g}; held out: log-likelihood "
        f"{fitted.log_likelihood:.4f} ({fitted.even_log_likelihood:.4f} if equal), {shares}",
        "feature, strength, seen; or: shape, canonical code, strength, seen, shape (X to move, # the edge)",
    ]
    counts = np.bincount(train.teams.ravel(), minlength=num_members + 1)
    write_table(output, comments, table_rows(forms, fitted.strengths, counts))
