"""`miai fit-moves`: learn the strengths of the features that the search's prior knowledge is made of, from games.

Every move of the games won a competition against all other legal moves but those that fill an own eye; see
`miai.playouts.move_features` for the features and `miai.fitting.bradley_terry` for the model. The first moves of a game can be
left out, because openings generated for a match are nobody's choice.
"""

from pathlib import Path

import click
import numpy as np

from miai.engine.go.game import Game
from miai.engine.go.game_files import positions_of_game
from miai.fitting.bradley_terry import Competitions, winner_ranks
from miai.fitting.fit_report import fit_and_report, read_enough_games, split, write_table
from miai.playouts.move_features import FEATURES, GROUPS, NO_SHAPE, STRENGTHS_FILE, list_featured_moves
from miai.playouts.patterns import canonical_codes, code_text
from miai.playouts.scratch import new_scratch


def competitions_of_game(game: Game, skip: int) -> list[tuple[np.ndarray, int]]:
    """Return each competition in a game: int32 [candidates, 1 + groups], the code first, and who won."""
    found = []
    scratch = new_scratch(game.size)[0]
    rows = game.size**2 + 1
    codes, moves = np.zeros(rows, dtype=np.int32), np.zeros(rows, dtype=np.int64)
    teams = np.zeros((rows, len(GROUPS)), dtype=np.int32)
    for number, (board, move) in enumerate(positions_of_game(game)):
        count = list_featured_moves(board, scratch, moves, codes, teams)
        played = np.flatnonzero(moves[:count] == move)
        if number >= skip and count >= 2 and len(played):
            found.append((np.column_stack([codes[:count], teams[:count]]), int(played[0])))
    return found


def with_shapes_numbered(games: Competitions, forms: np.ndarray) -> Competitions:
    """Replace the codes in the first column by members behind the features: places in `forms` + len(FEATURES).

    Shapes that are not among `forms` are nobody.
    """
    codes = games.teams[:, 0].astype(np.int64)
    canonical = np.where(codes == NO_SHAPE, NO_SHAPE, canonical_codes(np.maximum(codes, 0)))
    place = np.minimum(np.searchsorted(forms, canonical), len(forms) - 1)
    members = np.where(forms[place] == canonical, len(FEATURES) + place, 0)
    return Competitions(np.column_stack([members, games.teams[:, 1:]]).astype(np.int32), games.starts, games.winners)


def shapes_in(games: Competitions, least: int) -> np.ndarray:
    """Return, ascending, the canonical codes seen at least so often."""
    codes = games.teams[:, 0].astype(np.int64)
    forms, counts = np.unique(canonical_codes(codes[codes != NO_SHAPE]), return_counts=True)
    return np.asarray(forms[counts >= least])


def table_rows(forms: np.ndarray, strengths: np.ndarray, counts: np.ndarray) -> list[str]:
    """Return the lines of the table that `playouts/move_features.py` reads; features never seen are left out."""
    rows = [
        f"{name} {strengths[index]:.4g} {counts[index]}"
        for index, name in enumerate(FEATURES)
        if index and counts[index]
    ]
    for place, form in enumerate(forms.tolist()):
        index = len(FEATURES) + place
        rows.append(f"shape {form} {strengths[index]:.4g} {counts[index]} {code_text(form)}")
    return rows


@click.command()
@click.argument("games_folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--output", type=click.Path(dir_okay=False, path_type=Path), default=STRENGTHS_FILE, show_default=True)
@click.option("--skip", type=int, default=0, show_default=True, help="Leave out the first moves of each game.")
@click.option("--least", type=int, default=20, show_default=True, help="Learn shapes seen at least so often.")
@click.option("--prior", type=float, default=1.0, show_default=True, help="Virtual wins and losses of each feature.")
@click.option("--held-out", type=int, default=10, show_default=True, help="Every N-th game is kept to test on.")
@click.option("--tolerance", type=float, default=1e-2, show_default=True, help="Largest step (log) at the end.")
@click.option("--rounds", type=int, default=200, show_default=True, help="Stop after this many rounds at the latest.")
def command(
    games_folder: Path,
    output: Path,
    skip: int,
    least: int,
    prior: float,
    held_out: int,
    tolerance: float,
    rounds: int,
) -> None:
    """Learn the strengths of moves' features from the SGF files in GAMES_FOLDER and its subfolders."""
    games, num_broken = read_enough_games(games_folder, held_out)
    found = [competitions_of_game(game, skip) for game in games]
    train, test = split(found, held_out, 1 + len(GROUPS), "moves")
    forms = shapes_in(train, least)
    if not len(forms):
        raise click.ClickException(f"no shape was seen {least} times; lower --least or give more games")
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
