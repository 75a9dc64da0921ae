"""`miai branch-games`: games to learn from that branch off other games."""

import random
from pathlib import Path

import click

from miai.cli.option_flags import SEED
from miai.engine.files import discard_if_failed
from miai.engine.go.game_files import read_games
from miai.engine.go.points import format_score
from miai.engine.go.sgf import GameInfo, save_game
from miai.engine.progress import progress_bar
from miai.players.options import PlayerOptions
from miai.players.player import Player
from miai.selfplay.branch_games import branch_off, play_to_end
from miai.selfplay.generation.game import game_seed


@click.command()
@click.argument("folders", nargs=-1, required=True, type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.argument("output", type=click.Path(file_okay=False, path_type=Path))
@click.option("--games", "number", type=click.IntRange(1), default=1000, show_default=True, help="Branches to play.")
@click.option("--simulations", type=click.IntRange(1), default=100, show_default=True, help="Simulations a move.")
@click.option("--seed", type=SEED, default=1, show_default=True, help="Seed of the branches and the player.")
def command(folders: tuple[Path, ...], output: Path, number: int, simulations: int, seed: int) -> None:
    """Play branches of the SGF games in FOLDERS and write them into OUTPUT; those that are there already stay."""
    games = [read.game for folder in folders for read in read_games(folder)[0]]
    if not games:
        raise click.ClickException(f"no readable games in {', '.join(map(str, folders))}")
    with discard_if_failed(output, "*.sgf"):
        output.mkdir(parents=True, exist_ok=True)
        player = Player(PlayerOptions(simulations=simulations, resign_below=0.0))
        for index in progress_bar(range(number), unit="game"):
            path = output / f"{index + 1:05d}.sgf"
            if path.exists():
                continue
            rng = random.Random(f"miai branch {seed} {index}")
            branch = None
            while branch is None:
                branch = branch_off(rng.choice(games), rng)
            player.set_seed(game_seed(seed, index))  # a resumed run plays the same games
            play_to_end(branch, player)
            name = f"{simulations} simulations"
            save_game(branch, path, GameInfo(black=name, white=name, result=format_score(branch.score())))
        player.close()
    click.echo(f"wrote {number} games to {output}")
