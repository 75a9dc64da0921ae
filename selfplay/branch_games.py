"""`miai branch-games`: games that leave other games by random moves and are then played to the end.

A search looks at all moves of a position, a game shows only good ones. A branch begins where a game was after some of
its moves and one to three random moves more; from there on a player plays both sides. Its record starts with that
position as set-up stones, so that whoever learns from it sees none of the random moves.
"""

import random
from pathlib import Path

import click
from tqdm import tqdm

from miai.engine.go.eyes import is_own_eye
from miai.engine.go.game import Game
from miai.engine.go.game_files import read_games
from miai.engine.go.points import MAX_KOMI, opponent
from miai.engine.go.sgf import GameInfo, save_game
from miai.players.options import PlayerOptions
from miai.players.player import Player

_MOST_RANDOM_MOVES = 3
_KOMI_SPREAD = 12
"""Points by which a branch's komi is at most higher or lower than the game's: branches should be undecided too."""


def branch_off(game: Game, draw: random.Random) -> Game | None:
    """Return a game that begins at a random position of `game` after some random moves; None if there were none left.

    The random moves are legal and fill no own eye.
    """
    number = draw.randrange(len(game.moves) + 1)
    komi = game.komi + draw.randint(-_KOMI_SPREAD, _KOMI_SPREAD)
    branch = Game(game.size, min(MAX_KOMI, max(-MAX_KOMI, komi)), game.rules)
    branch.set_up(game.setup_stones, game.moves[0][0] if game.moves else game.to_play)
    for color, move in game.moves[:number]:
        branch.play(color, move)
    color = branch.to_play
    for _ in range(draw.randint(1, _MOST_RANDOM_MOVES)):
        moves = [point for point in branch.legal_points(color) if not is_own_eye(branch.board, point, color)]
        if not moves:
            return None
        branch.play(color, draw.choice(moves))
        color = opponent(color)
    branch.set_up(branch.stones(), color)
    return branch


def play_to_end(game: Game, player: Player) -> None:
    """Let a player that never resigns play both sides until two passes, or 3·size² moves."""
    player.new_game()
    while not game.is_over and len(game.moves) < 3 * game.size**2:
        color = game.to_play
        game.play(color, player.choose(game, color).move_if_played_on)


def _result_text(game: Game) -> str:
    score = game.score()
    return f"{'B' if score > 0 else 'W'}+{abs(score):g}" if score else "0"


@click.command()
@click.argument("folders", nargs=-1, required=True, type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.argument("output", type=click.Path(file_okay=False, path_type=Path))
@click.option("--games", "number", type=click.IntRange(1), default=1000, show_default=True, help="Branches to play.")
@click.option("--simulations", type=click.IntRange(1), default=100, show_default=True, help="Simulations a move.")
@click.option("--seed", type=int, default=1, show_default=True, help="Seed of the branches and the player.")
def command(folders: tuple[Path, ...], output: Path, number: int, simulations: int, seed: int) -> None:
    """Play branches of the SGF games in FOLDERS and write them into OUTPUT; those that are there already stay."""
    games = [game for folder in folders for game in read_games(folder)[0]]
    if not games:
        raise click.ClickException(f"no readable games in {', '.join(map(str, folders))}")
    output.mkdir(parents=True, exist_ok=True)
    player = Player(PlayerOptions(simulations=simulations, seed=seed, resign_below=0.0))
    for index in tqdm(range(number), unit="game", disable=None):
        path = output / f"{index + 1:05d}.sgf"
        if path.exists():
            continue
        draw = random.Random(f"miai branch {seed} {index}")
        branch = None
        while branch is None:
            branch = branch_off(draw.choice(games), draw)
        play_to_end(branch, player)
        name = f"{simulations} simulations"
        save_game(branch, path, GameInfo(black=name, white=name, result=_result_text(branch)))
    player.close()
    click.echo(f"wrote {number} games to {output}")
