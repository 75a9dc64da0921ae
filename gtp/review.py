"""`miai review`: what a player thinks of every move of finished games, and which decided them."""

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click
from tqdm import tqdm

from engine.go.points import BLACK, vertex_of
from gtp.fallback import options_on
from gtp.flags import take_options
from gtp.options import GameOptions, PlayerOptions
from gtp.warmup import check_parameters, compile_if_cold

if TYPE_CHECKING:
    from engine.go.game import Game
    from gtp.player import Player

_LINE_LENGTH = 6
"""Moves of a better variation that are shown."""


class Judgement(NamedTuple):
    """What a search says of a move. Values are expected results, 0 to 1, of the player who made it."""

    number: int
    """Of the move in the game, from 1."""
    color: int
    move: int
    before: float
    """If the best move were played."""
    after: float
    """After this move."""
    variation: tuple[int, ...]
    """What the search would have played; its first move is the best."""

    @property
    def loss(self) -> float:
        """What the move cost; 0 for what the search would have played itself."""
        return 0.0 if self.move == self.variation[0] else max(0.0, self.before - self.after)


def review_game(player: "Player", game: "Game") -> list[Judgement]:
    """Search every position of a game; return what came of it, move by move. The game stays as it is."""
    replayed = game.copy()
    for _ in game.moves:
        replayed.undo()
    player.new_game()
    judgements: list[Judgement] = []
    report = None
    for number, (color, move) in enumerate(game.moves, start=1):
        if report is None or report.color != color:  # somebody moved twice
            report = player.judge(replayed, color)
        before, variation = report.moves[0].value, report.moves[0].variation
        replayed.play(color, move)
        if replayed.is_over:
            report, after = None, _result(replayed, color)
        else:
            report = player.judge(replayed, replayed.to_play)
            after = report.moves[0].value if report.color == color else 1.0 - report.moves[0].value
        judgements.append(Judgement(number, color, move, before, after, variation))
    return judgements


def _result(game: "Game", color: int) -> float:
    """Return 1 for a win as the board is counted, 0.5 for a draw."""
    score = game.score() if color == BLACK else -game.score()
    return 0.5 if score == 0 else float(score > 0)


def worst_moves(judgements: list[Judgement], number: int, least: float) -> list[Judgement]:
    """Return the moves of both players that cost most, at least `least` each, in the order of the game."""
    costly = sorted((one for one in judgements if one.loss >= least), key=lambda one: -one.loss)
    return sorted(costly[:number])


def describe(judgement: Judgement, size: int) -> str:
    """Return a line on a move: `White 34 D4: 62 % before, 18 % after; better: E5 E6 C3`."""
    color = "Black" if judgement.color == BLACK else "White"
    text = f"{color} {judgement.number} {vertex_of(judgement.move, size)}: {judgement.before:.0%} before, "
    text += f"{judgement.after:.0%} after"
    if judgement.loss == 0.0:
        return text
    line = " ".join(vertex_of(move, size) for move in judgement.variation[:_LINE_LENGTH])
    return f"{text}; better: {line}"


@click.command(short_help="Search every position of finished games, and show the worst moves.")
@click.argument("games", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--output", type=click.Path(file_okay=False, path_type=Path), help="Write the games there, with comments."
)
@click.option("--worst", type=click.IntRange(0), default=3, show_default=True, help="Show so many moves of a game.")
@click.option(
    "--least", type=click.FloatRange(0.0, 1.0), default=0.1, show_default=True, help="Show those that cost so much."
)
@click.option("--boards", is_flag=True, help="Show the boards before them.")
@take_options
def command(
    games: tuple[Path, ...],
    output: Path | None,
    worst: int,
    least: float,
    boards: bool,
    player_options: PlayerOptions,
    game_options: GameOptions,
) -> None:
    """Search every position of the SGF files GAMES with the player, and show the moves that cost most.

    The cost of a move is how much lower the expected result is found after it than before. Size, rules and komi are
    those of the files, komi that of the options where a file names none.
    """
    check_parameters(player_options, game_options.size)
    compile_if_cold(player_options, game_options.size)
    from engine.go.sgf import SgfError, load_game, save_game
    from gtp.player import Player

    if output:
        taken = [path.name for path in (*games, *output.glob("*"))]
        if twice := sorted(name for name in {path.name for path in games} if taken.count(name) > 1):
            raise click.UsageError(f"--output: {output} would have two files {twice[0]}; name another folder")
    players: dict[PlayerOptions, Player] = {}
    failed = False
    for path in tqdm(games, unit="game", disable=len(games) < 2):
        try:
            game, info = load_game(path, default_komi=game_options.komi)
            options = options_on(player_options, game.size)
            if options not in players:
                players[options] = Player(options)
            judgements = review_game(players[options], game)
            tqdm.write(_report(path, game, info.black, info.white, info.result))
            for judgement in worst_moves(judgements, worst, least):
                tqdm.write(_show(judgement, game, boards))
            if output:
                output.mkdir(parents=True, exist_ok=True)
                comments = dict(info.comments)
                for one in judgements:
                    comments[one.number] = "\n".join(
                        [*filter(None, [comments.get(one.number)]), describe(one, game.size)]
                    )
                save_game(game, output / path.name, dataclasses.replace(info, comments=comments))
        except (SgfError, ValueError) as error:
            failed = True
            tqdm.write(f"{path}: {error}")
    if failed:
        raise click.ClickException("not all games could be reviewed")


def _report(path: Path, game: "Game", black: str, white: str, result: str) -> str:
    names = f"{black or 'Black'} against {white or 'White'}"
    return f"{path}: {names}, {result or 'no result'}, {len(game.moves)} moves"


def _show(judgement: Judgement, game: "Game", boards: bool) -> str:
    from gtp.board_picture import draw_board

    text = f"  {describe(judgement, game.size)}"
    if not boards:
        return text
    before = game.copy()
    while len(before.moves) >= judgement.number:
        before.undo()
    return f"{draw_board(before)}\n{text}"
