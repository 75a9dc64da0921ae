"""`miai compare`: what players' moves lose in positions of recorded games."""

import itertools
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click
from tqdm import tqdm

from miai.cli.error_text import error_after
from miai.engine.progress import progress_bar
from miai.match.contestants import agree_on_game, read_contestant

if TYPE_CHECKING:
    from miai.match.comparison import Comparison

_JUDGE = "net:simulations=5000"
_MISTAKE = 0.05


@click.command()
@click.argument("players", metavar="PLAYER...", nargs=-1, required=True)
@click.option(
    "--games",
    type=click.Path(exists=True, path_type=Path),
    multiple=True,
    required=True,
    help="SGF file or folder that positions are drawn from; repeatable.",
)
@click.option(
    "--judge", metavar="PLAYER", default=_JUDGE, show_default=True, help="One of miai's players, best a stronger one."
)
@click.option(
    "--positions", type=click.IntRange(1), default=300, show_default=True, help="Maximum number of positions."
)
@click.option(
    "--seed", type=click.IntRange(0), default=1, show_default=True, help="Random seed of the sample and of the players."
)
@click.option(
    "--parallel", type=click.IntRange(1, 256), default=1, show_default=True, help="Players that think at once."
)
@click.option(
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Keep moves and judgements; the next run asks less.",
)
def command(
    players: tuple[str, ...],
    games: tuple[Path, ...],
    judge: str,
    positions: int,
    seed: int,
    parallel: int,
    output: Path | None,
) -> None:
    """Show what players' moves lose in positions of recorded games: an answer in a fraction of a match's time.

    A PLAYER is a preset, a config file or a GTP command, as in `miai match`. Positions are those where the judge leaves
    open who wins. A move loses what the judge expects after the best of the players' moves there minus what it expects
    after this one. Differences to the first player are paired, over the same positions; ± is a standard error over
    games. A judge favours players with its own network.
    """
    from miai.engine.go.game_files import sgf_files
    from miai.match.answer_file import AnswerFile, AnswerFileError
    from miai.match.comparison import (
        ComparisonFailed,
        Judge,
        ask_players,
        choose_open,
        disputed_moves,
        judge_moves,
    )
    from miai.match.position_sample import draw_positions
    from miai.players.options import GameOptions

    def warn(text: str) -> None:
        tqdm.write(f"miai: {text}", file=sys.stderr)

    if len(players) < 2:
        raise click.UsageError("there are too few players (allowed: two or more)")
    try:
        contestants = [read_contestant(text) for text in players]
        judging = read_contestant(judge)
        if (options := judging.options) is None:
            raise click.UsageError(f"--judge: {judge!r} is not allowed (allowed: one of miai's players)")
        answers = AnswerFile(output)
        drawn = draw_positions(sgf_files(games), seed, warn)
        first = next(drawn, None)
        if first is None:
            raise click.ClickException("--games has no position to compare players in")
        game = {"size": first.game.size, "komi": first.game.komi, "rules": GameOptions.rules}
        agree_on_game(game, [*contestants, judging], "the first position")
        sitting = Judge(options, first.game.size, parallel, answers)
    except (ValueError, AnswerFileError) as error:
        raise click.UsageError(str(error)) from None
    try:
        with progress_bar(total=positions, unit="position") as bar:
            chosen = choose_open(itertools.chain([first], drawn), positions, sitting, bar.update)
        with progress_bar(total=len(chosen) * len(players), unit="move") as bar:
            choices = ask_players(contestants, chosen, seed, parallel, answers, bar.update)
        with progress_bar(total=len(disputed_moves(choices)), unit="judgement") as bar:
            found = judge_moves(choices, chosen, sitting, bar.update)
    except (ComparisonFailed, AnswerFileError) as error:
        raise click.ClickException(str(error)) from None
    except KeyboardInterrupt:
        click.echo("interrupted" + (": the same command goes on" if output else ""), err=True)
        sys.exit(130)
    finally:
        sitting.close()
    click.echo(_table(players, found))


def _table(players: tuple[str, ...], found: "Comparison") -> str:
    from tabulate import tabulate

    headers = ["", "loss, %", "against the first", "other moves, %", f"losing > {100 * _MISTAKE:g} %, %"]
    headers += ["simulations a move", "seconds a move"]
    rows = []
    for number in range(len(players)):
        mean, error = (100 * value for value in found.loss(number))
        more, more_error = (100 * value for value in found.loss(number, 0))
        simulations = found.simulations(number)
        rows.append(
            [
                str(number + 1),
                f"{mean:.2f}{error_after(error, 2)}",
                f"{more:+.2f}{error_after(more_error, 2)}" if number else "",
                f"{100 * found.differing(number, 0):.0f}" if number else "",
                f"{100 * float((found.losses[number] > _MISTAKE).mean()):.1f}",
                "" if simulations is None else f"{simulations:,.0f}",
                f"{found.seconds(number):.3f}",
            ]
        )
    names = "\n".join(f"{number}: {label}" for number, label in enumerate(players, start=1))
    table = tabulate(rows, headers, tablefmt="github", disable_numparse=True)
    return f"{len(found.games):,} positions of {len(set(found.games.tolist())):,} games\n\n{names}\n\n{table}"
