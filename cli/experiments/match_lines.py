"""What the commands of experiments whose lines are matches share."""

import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from miai.cli.experiments.running import Runner, take_seed
from miai.experiments.matches.game_rows import COUNTINGS
from miai.experiments.matches.match_lines import SIZE, MatchLinesPlan, check_programs, close_engines
from miai.experiments.running.pieces import Results, load_results
from miai.experiments.running.workers import PiecesFailed

Command = TypeVar("Command", bound=Callable[..., Any])


def take_match_lines(lines: tuple[str, ...], default: str, games: int, counting: str) -> Callable[[Command], Command]:
    """Give a click command the options `--line`, `--games`, `--counting` and `--seed`."""

    def decorate(command: Command) -> Command:
        decorated: Any = command
        for option in (
            take_seed("games and openings"),
            click.option(
                "--counting",
                type=click.Choice(COUNTINGS),
                default=counting,
                show_default=True,
                help="Independent games from the empty board, or pairs of games from fair openings.",
            ),
            click.option(
                "--games",
                type=click.IntRange(2),
                default=games,
                show_default=True,
                help="Games per line; an even number.",
            ),
            click.option(
                "--line",
                "chosen",
                type=click.Choice(lines),
                multiple=True,
                metavar="LINE",
                help=f"What is played, repeatable: {', '.join(lines)}. [default: {default}]",
            ),
        ):
            decorated = option(decorated)
        return decorated

    return decorate


def play_lines(plan: MatchLinesPlan, folder: Path, runner: Runner) -> tuple[MatchLinesPlan, Results, dict[str, str]]:
    """Play what is missing of match lines; return the plan with its openings, all results and the programs' names.

    Ends the command if that is not possible.
    """
    if plan.games % 2:
        raise click.UsageError(f"--games {plan.games} is not allowed (allowed: an even number)")
    try:
        for line in plan.lines:
            if line.name in plan.chosen:
                line.contestants()
        programs = check_programs(plan)
        runner.begin(plan, folder)
        if plan.counting == "pairs":
            openings = runner.draw_openings(plan, folder, plan.games, SIZE, plan.opening_komi, plan.seed, plan.rules)
            plan = dataclasses.replace(plan, openings=openings)
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    except PiecesFailed as error:
        raise click.ClickException(str(error)) from None
    try:
        runner.run(plan, folder, "game")
    finally:
        close_engines()
    return plan, load_results(plan, folder), programs
