"""`miai fit-patterns`: learn how strong each 3x3 shape is, from games.

The model is the one that the layer `biased_pattern` draws by. Wherever a game move was one of two or more moves
that the layer would have proposed, and no earlier layer of the policy `fuego` had anything to say, that move
won a competition: with probability strength / sum of the strengths of all proposed moves (a Bradley–Terry model
of groups of one). Moves outside the layer's set are no competitions, because there the layer has no say.

The strengths that make the games most probable are found by minorization–maximization (Coulom 2007, "Computing
Elo ratings of move patterns in the game of Go", section 2.2):

    γ_i ← W_i / Σ_j (n_ij / E_j)

W_i the wins of shape i, n_ij how often it takes part in competition j, E_j the sum of strengths there. As there,
each shape has a prior: virtual wins and as many losses against a strength of 1. Turned and mirrored forms of a
shape are one shape.
"""

from dataclasses import dataclass
from pathlib import Path

import click
import numpy as np
from tqdm import tqdm

from engine.go.board import new_board, place_stone, play
from engine.go.game import Game
from engine.go.sgf import SgfError, load_game
from playouts.pattern_moves import propose_patterns
from playouts.patterns import STRENGTHS_FILE, canonical_codes, code_text, matched_codes, pattern_code
from playouts.policy import LAYER_ORDER
from playouts.scratch import new_scratch

_EARLIER = tuple(layer.propose for layer in LAYER_ORDER[: [layer.name for layer in LAYER_ORDER].index("pattern")])


@dataclass(frozen=True)
class Competitions:
    """Competitions between shapes, one after the other."""

    shapes: np.ndarray
    """int64: the shapes of all candidates, as indices of `forms`."""
    starts: np.ndarray
    """int64 [competitions]: where each competition begins in `shapes`."""
    winners: np.ndarray
    """int64 [competitions]: index in `shapes` of the move that was played."""

    @property
    def number(self) -> int:
        """How many competitions there are."""
        return len(self.starts)


def competitions_of_game(game: Game) -> list[tuple[list[int], int]]:
    """Return, for each competition in a game, the canonical codes of the candidates and which of them was played."""
    found = []
    boards = new_board(game.size)
    for point, color in game.setup_stones.items():
        place_stone(boards[0], point, color)
    scratch = new_scratch(game.size)[0]
    for color, move in game.moves:
        boards[0]["to_play"] = color
        if not any(propose(boards[0], scratch) for propose in _EARLIER):
            count = propose_patterns(boards[0], scratch)
            candidates = scratch["moves"][:count].tolist()
            if count >= 2 and move in candidates:
                codes = np.array([pattern_code(boards[0], candidate) for candidate in candidates])
                found.append((canonical_codes(codes).tolist(), candidates.index(move)))
        play(boards[0], move)
    return found


def gather(found: list[tuple[list[int], int]], forms: np.ndarray) -> Competitions:
    """Put competitions into arrays; `forms` are the canonical codes, ascending."""
    sizes = np.array([len(codes) for codes, _ in found], dtype=np.int64)
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int64) if found else np.zeros(0, dtype=np.int64)
    codes = np.array([code for codes, _ in found for code in codes], dtype=np.int64)
    played = np.array([index for _, index in found], dtype=np.int64)
    return Competitions(np.searchsorted(forms, codes), starts, starts + played)


def log_likelihood(strengths: np.ndarray, games: Competitions) -> float:
    """Return the mean logarithm of the probability that the model gives to the moves played."""
    sums = np.add.reduceat(strengths[games.shapes], games.starts)
    return float(np.mean(np.log(strengths[games.shapes[games.winners]] / sums)))


def fit(games: Competitions, num_shapes: int, prior: float, tolerance: float, limit: int) -> tuple[np.ndarray, int]:
    """Return the strengths, float64 [shapes], and after how many rounds none moved by more than `tolerance` (in log).

    `prior` is the number of virtual wins, and of losses, of each shape against a strength of 1.
    """
    sizes = np.diff(np.append(games.starts, len(games.shapes)))
    competition = np.repeat(np.arange(games.number), sizes)
    wins = np.bincount(games.shapes[games.winners], minlength=num_shapes) + prior
    strengths = np.ones(num_shapes)
    for rounds in range(1, limit + 1):
        sums = np.add.reduceat(strengths[games.shapes], games.starts)
        opposition = np.bincount(games.shapes, weights=1.0 / sums[competition], minlength=num_shapes)
        updated = wins / (opposition + 2.0 * prior / (strengths + 1.0))
        moved = float(np.max(np.abs(np.log(updated / strengths))))
        strengths = updated
        if moved < tolerance:
            return strengths, rounds
    return strengths, limit


def write_strengths(path: Path, forms: np.ndarray, strengths: np.ndarray, counts: np.ndarray, comment: str) -> None:
    """Write the table that `playouts/patterns.py` reads; shapes never seen are left out (their strength is 1)."""
    lines = [
        "# Strengths of 3x3 shapes, learned by `miai fit-patterns`; see playouts/patterns.py.",
        f"# {comment}",
        "# canonical code, strength, seen, shape (X to move, # the edge)",
    ]
    for form, strength, count in zip(forms.tolist(), strengths, counts.tolist(), strict=True):
        if count:
            lines.append(f"{form} {strength:.4g} {count} {code_text(form)}")
    path.write_text("\n".join(lines) + "\n")


def read_competitions(paths: list[Path]) -> tuple[list[list[tuple[list[int], int]]], int]:
    """Return each game's competitions, and how many files could not be read."""
    games = []
    num_broken = 0
    for path in tqdm(paths, unit="game", disable=None):
        try:
            game, _ = load_game(path)
        except SgfError as error:
            click.echo(f"{path}: {error}", err=True)
            num_broken += 1
            continue
        games.append(competitions_of_game(game))
    return games, num_broken


@click.command()
@click.argument("games_folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--output", type=click.Path(dir_okay=False, path_type=Path), default=STRENGTHS_FILE, show_default=True)
@click.option("--prior", type=float, default=2.0, show_default=True, help="Virtual wins and losses of each shape.")
@click.option("--held-out", type=int, default=10, show_default=True, help="Every N-th game is kept to test on.")
@click.option("--tolerance", type=float, default=1e-4, show_default=True, help="Largest step (log) at the end.")
@click.option("--rounds", type=int, default=2000, show_default=True, help="Stop after this many rounds at the latest.")
def command(games_folder: Path, output: Path, prior: float, held_out: int, tolerance: float, rounds: int) -> None:
    """Learn the strengths of 3x3 shapes from the SGF files in GAMES_FOLDER and its subfolders."""
    paths = sorted(games_folder.rglob("*.sgf"))
    games, num_broken = read_competitions(paths)
    if len(games) < 2 or held_out < 2:
        raise click.ClickException(f"{len(games)} readable games in {games_folder}, {num_broken} broken: too few")
    forms = np.unique(canonical_codes(matched_codes()))
    train = gather([one for index, game in enumerate(games) if index % held_out for one in game], forms)
    test = gather([one for game in games[::held_out] for one in game], forms)
    if not train.number or not test.number:
        raise click.ClickException("these games hold too few competitions between shapes")
    strengths, num_rounds = fit(train, len(forms), prior, tolerance, rounds)
    even = np.ones(len(forms))
    click.echo(f"games {len(games)}, broken {num_broken}, shapes {len(forms)}")
    click.echo(f"competitions {train.number} to learn from, {test.number} held out (every {held_out}th game)")
    click.echo(f"converged in {num_rounds} rounds" if num_rounds < rounds else f"not converged in {rounds} rounds")
    for name, part in (("learned from", train), ("held out", test)):
        fitted, equal = log_likelihood(strengths, part), log_likelihood(even, part)
        click.echo(f"mean log-likelihood, {name}: {fitted:.4f} (all equal: {equal:.4f})")
    counts = np.bincount(train.shapes, minlength=len(forms))
    seen = np.flatnonzero(counts >= 20)
    order = seen[np.argsort(strengths[seen])]
    for title, chosen in (("strongest", order[::-1][:8]), ("weakest", order[:8])):
        click.echo(f"{title} shapes (X to move):")
        for index in chosen:
            click.echo(f"  {code_text(int(forms[index]))}  {strengths[index]:.3g}  seen {counts[index]}")
    comment = f"{len(games)} games, {train.number} competitions, prior {prior:g}, held-out log-likelihood "
    comment += f"{log_likelihood(strengths, test):.4f} against {log_likelihood(even, test):.4f} with equal strengths"
    write_strengths(output, forms, strengths, counts, comment)
    click.echo(f"wrote {output}")
