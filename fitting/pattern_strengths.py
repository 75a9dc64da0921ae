"""`miai fit-patterns`: learn how strong each 3x3 shape of the playouts is, from games.

The model is the one that the layer `biased_pattern` draws by. Wherever a game move was one of two or more moves
that the layer would have proposed, and no earlier layer of the policy `fuego` had anything to say, that move
won a competition: with probability strength / sum of the strengths of all proposed moves (`miai.fitting.bradley_terry`
with teams of one). Moves outside the layer's set are no competitions, because there the layer has no say. Turned and
mirrored forms of a shape are one shape.
"""

from pathlib import Path

import click
import numpy as np

from miai.engine.go.game import Game
from miai.engine.go.game_files import positions_of_game
from miai.fitting.fit_report import fit_and_report, read_enough_games, split, write_table
from miai.playouts.pattern_moves import propose_patterns
from miai.playouts.patterns import STRENGTHS_FILE, canonical_codes, code_text, matched_codes, pattern_code
from miai.playouts.policy import LAYER_ORDER
from miai.playouts.scratch import new_scratch

_EARLIER = tuple(layer.propose for layer in LAYER_ORDER[: [layer.name for layer in LAYER_ORDER].index("pattern")])


def competitions_of_game(game: Game, forms: np.ndarray) -> list[tuple[np.ndarray, int]]:
    """Return each competition in a game: the candidates' shapes, one by one as places in `forms` + 1, and who won.

    `forms` are the canonical codes, ascending.
    """
    found = []
    scratch = new_scratch(game.size)[0]
    for board, move in positions_of_game(game):
        if not any(propose(board, scratch) for propose in _EARLIER):
            count = propose_patterns(board, scratch)
            candidates = scratch["moves"][:count].tolist()
            if count >= 2 and move in candidates:
                codes = np.array([pattern_code(board, candidate) for candidate in candidates])
                shapes = 1 + np.searchsorted(forms, canonical_codes(codes))
                found.append((shapes[:, None], candidates.index(move)))
    return found


def table_rows(forms: np.ndarray, strengths: np.ndarray, counts: np.ndarray) -> list[str]:
    """Return the lines of the table that `playouts/patterns.py` reads; shapes never seen are left out: they count 1."""
    return [
        f"{form} {strength:.4g} {count} {code_text(form)}"
        for form, strength, count in zip(forms.tolist(), strengths, counts.tolist(), strict=True)
        if count
    ]


@click.command()
@click.argument("games_folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--output", type=click.Path(dir_okay=False, path_type=Path), default=STRENGTHS_FILE, show_default=True)
@click.option("--prior", type=float, default=2.0, show_default=True, help="Virtual wins and losses of each shape.")
@click.option("--held-out", type=int, default=10, show_default=True, help="Every N-th game is kept to test on.")
@click.option("--tolerance", type=float, default=1e-4, show_default=True, help="Largest step (log) at the end.")
@click.option("--rounds", type=int, default=2000, show_default=True, help="Stop after this many rounds at the latest.")
def command(games_folder: Path, output: Path, prior: float, held_out: int, tolerance: float, rounds: int) -> None:
    """Learn the strengths of 3x3 shapes from the SGF files in GAMES_FOLDER and its subfolders."""
    forms = np.unique(canonical_codes(matched_codes()))
    games, num_broken = read_enough_games(games_folder, held_out)
    found = [competitions_of_game(game, forms) for game in games]
    train, test = split(found, held_out, 1, "competitions between shapes")
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
