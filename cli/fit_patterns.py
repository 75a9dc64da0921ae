"""`miai fit-patterns`: strengths of the playouts' 3x3 shapes, from games."""

from pathlib import Path

import click
import numpy as np

from miai.cli.fit_flags import take_held_out, take_rounds, take_table, take_tolerance
from miai.cli.games_to_fit import read_games_to_fit
from miai.cli.option_flags import FiniteFloat
from miai.fitting.fit_report import FitError, fit_and_report, split, write_table
from miai.fitting.pattern_strengths import competitions_of_game, table_rows
from miai.playouts.patterns import canonical_codes, code_text, matched_codes


@click.command()
@click.argument("games_folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@take_table("strengths", "pattern_strengths.txt")
@click.option(
    "--prior",
    type=FiniteFloat(0, min_open=True),
    default=2.0,
    show_default=True,
    help="Virtual wins and losses of each shape.",
)
@take_held_out
@take_tolerance(1e-4)
@take_rounds(2000)
def command(games_folder: Path, output: Path, prior: float, held_out: int, tolerance: float, rounds: int) -> None:
    """Learn the strengths of 3x3 shapes from games.

    GAMES_FOLDER holds SGF files, in subfolders too, whose moves are learned; or data that `miai label` made, of whose
    positions the teacher's best moves are.
    """
    forms = np.unique(canonical_codes(matched_codes()))
    try:
        games, num_broken = read_games_to_fit(games_folder)
        found = [competitions_of_game(game.positions(), game.size, forms) for game in games]
        train, test = split(found, held_out, 1, "competitions between shapes")
    except FitError as error:
        raise click.ClickException(str(error)) from None
    click.echo(f"games {len(games)}, broken {num_broken}, shapes {len(forms)}")
    click.echo(f"competitions {train.number} to learn from, {test.number} held out (every {held_out}th game)")
    fitted = fit_and_report(train, test, len(forms), prior, tolerance, rounds)
    counts = np.bincount(train.teams[:, 0], minlength=len(forms) + 1)[1:]
    strengths = fitted.strengths[1:]
    seen = np.flatnonzero(counts >= 20)
    order = seen[np.argsort(strengths[seen])]
    for title, chosen in (("strongest", order[::-1][:8]), ("weakest", order[:8])):
        click.echo(f"{title} shapes (X to move):")
        for index in chosen:
            click.echo(f"  {code_text(int(forms[index]))}  {strengths[index]:.3g}  seen {counts[index]}")
    comments = [
        "Strengths of 3x3 shapes, learned by `miai fit-patterns`; see playouts/patterns.py.",
        f"{len(games)} games, {train.number} competitions, prior {prior:g}, held-out log-likelihood "
        f"{fitted.log_likelihood:.4f} against {fitted.even_log_likelihood:.4f} with equal strengths",
        "canonical code, strength, seen, shape (X to move, # the edge)",
    ]
    write_table(output, comments, table_rows(forms, strengths, counts))
