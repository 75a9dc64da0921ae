"""`miai review`: what a player thinks of every move of finished games, and which decided them."""

import dataclasses
import functools
import sys
from collections import defaultdict
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click
from tqdm import tqdm

from miai.cli.console import replace_unknown_signs
from miai.cli.option_flags import FiniteFloat
from miai.cli.player_flags import take_options
from miai.cli.review_report import BLOCKS, HASHES, describe, describe_players, draw_graph, tabulate_players
from miai.engine.go.board_picture import can_write, choose_stones, draw_board
from miai.engine.go.points import BLACK, WHITE
from miai.engine.progress import progress_bar
from miai.players.compiling import check_parameters, compile_if_cold
from miai.players.fallback import options_on
from miai.players.option_kinds import OptionError
from miai.players.options import GameOptions, PlayerOptions
from miai.players.review import MoveReview, review_game, worst_moves

if TYPE_CHECKING:
    from miai.engine.go.game import Game
    from miai.engine.go.sgf import GameInfo


@click.command()
@click.argument("games", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@click.option(
    "--output", type=click.Path(file_okay=False, path_type=Path), help="Write the games there, with comments."
)
@click.option(
    "--worst", type=click.IntRange(0), default=3, show_default=True, help="Maximum number of moves shown per game."
)
@click.option(
    "--min-loss",
    type=FiniteFloat(0.0, 1.0),
    default=0.1,
    show_default=True,
    help="Show only moves that cost at least this much.",
)
@click.option("--boards", is_flag=True, help="Show the boards before these moves.")
@functools.partial(take_options, without=("ponder", "size", "rules"))
def command(
    games: tuple[Path, ...],
    output: Path | None,
    worst: int,
    min_loss: float,
    boards: bool,
    player_options: PlayerOptions,
    game_options: GameOptions,
) -> None:
    """Search every position of GAMES, SGF files or folders of them, with the player, and show the moves that cost most.

    Before them stand Black's chances as a graph, and how each player did. After several games a table shows what each
    player's moves cost a game.

    The cost of a move is how much lower the expected result is found after it than before. Size, rules and komi are
    those of the files, komi that of the options where a file names none.
    """
    if player_options.simulation_limit == 1:
        raise click.UsageError("a review needs a search: --simulations 2 or more, or a --strength from 5 on")
    from miai.engine.go.game_files import sgf_files
    from miai.engine.go.sgf import save_game
    from miai.players.player import Player

    replace_unknown_signs(sys.stdout)
    paths = list(dict.fromkeys(sgf_files(games)))
    loaded = _load(paths, game_options.komi)
    if not loaded:
        raise click.ClickException(f"there is no game to review in {', '.join(map(str, games))}")
    if output:
        taken = [path.name for path in (*paths, *output.glob("*"))]
        if twice := sorted(name for name in {path.name for path in paths} if taken.count(name) > 1):
            raise click.UsageError(f"--output: {output} would have two files {twice[0]}; name another folder")
    _prepare(player_options, {game.size for game, _ in loaded.values()})
    players: dict[PlayerOptions, Player] = {}
    moves_by_name: defaultdict[str, list[list[MoveReview]]] = defaultdict(list)
    points = 0
    failed = len(loaded) < len(paths)
    with progress_bar(total=sum(len(game.moves) for game, _ in loaded.values()), unit="move") as bar:
        for path, (game, info) in loaded.items():
            bar.set_description(path.name)
            try:
                options = options_on(player_options, game.size)
                if options not in players:
                    players[options] = Player(options)
                reviews = review_game(players[options], game, bar.update)
                tqdm.write(_report(path, game, info.black, info.white, info.result))
                if reviews:
                    tqdm.write(draw_graph(reviews, BLOCKS if can_write(BLOCKS, sys.stdout) else HASHES))
                    tqdm.write(describe_players(reviews, game.size))
                for color, name in ((BLACK, info.black or "Black"), (WHITE, info.white or "White")):
                    if own := [one for one in reviews if one.color == color]:
                        moves_by_name[name].append(own)
                points = max(points, game.size**2)
                for review in worst_moves(reviews, worst, min_loss):
                    tqdm.write(_show(review, game, boards))
                if output:
                    output.mkdir(parents=True, exist_ok=True)
                    comments = dict(info.comments)
                    for one in reviews:
                        comments[one.number] = "\n".join(
                            [*filter(None, [comments.get(one.number)]), describe(one, game.size)]
                        )
                    save_game(game, output / path.name, dataclasses.replace(info, comments=comments))
            except ValueError as error:
                failed = True
                tqdm.write(f"{path}: {error}")
    if any(len(its_games) > 1 for its_games in moves_by_name.values()):
        click.echo(tabulate_players(moves_by_name, points))
    if failed:
        raise click.ClickException("not all games could be reviewed")


def _load(paths: Sequence[Path], komi: float) -> "dict[Path, tuple[Game, GameInfo]]":
    """Return the games of files, and what these say of them; files that cannot be read are named."""
    from miai.engine.go.sgf import SgfError, load_game

    found = {}
    for path in paths:
        try:
            found[path] = load_game(path, default_komi=komi)
        except SgfError as error:
            tqdm.write(f"{path}: {error}")
    return found


def _prepare(options: PlayerOptions, sizes: Collection[int]) -> None:
    """Compile what the games need.

    Raises:
        OptionError: if the player can play on none of their boards; games on some of them fail one by one.
    """
    refusals = []
    for size in sorted(sizes):
        try:
            check_parameters(options, size)
            compile_if_cold(options, size)
        except OptionError as error:
            refusals.append(error)
    if len(refusals) == len(sizes):
        raise refusals[0]


def _report(path: Path, game: "Game", black: str, white: str, result: str) -> str:
    names = f"{black or 'Black'} against {white or 'White'}"
    number = len(game.moves)
    return f"{path}: {names}, {result or 'no result'}, {number} move{'' if number == 1 else 's'}"


def _show(review: MoveReview, game: "Game", boards: bool) -> str:
    text = f"  {describe(review, game.size)}"
    if not boards:
        return text
    before = game.copy()
    while len(before.moves) >= review.number:
        before.undo()
    return f"{draw_board(before, stones=choose_stones(sys.stdout))}\n{text}"
