"""What the commands of Fernando & Müller's experiments share: what F and MCTS(P) are."""

import functools
from collections.abc import Callable
from typing import Any, TypeVar

import click

from miai.experiments.fernando_muller.mcts_of_policies import KNOWLEDGE, NUMBERS, PAPERS_READING, MctsReading
from miai.experiments.fernando_muller.published import BASES
from miai.players.options import PRIORS

Command = TypeVar("Command", bound=Callable[..., Any])

take_base = click.option(
    "--base",
    type=click.Choice(BASES),
    default=BASES[0],
    show_default=True,
    help="What F is: as in the paper's revision of Fuego, the same layers in miai's forms, or with nakade "
    "and clump correction.",
)


def take_mcts(command: Command) -> Command:
    """Give a click command the options `--prior`, `--numbers` and `--without`, as `reading: MctsReading`."""

    @functools.wraps(command)
    def read_and_run(*args: Any, **named: Any) -> Any:
        without = named.pop("without")
        chosen = tuple(name for name in KNOWLEDGE if name in without)
        return command(*args, reading=MctsReading(named.pop("prior"), named.pop("numbers"), chosen), **named)

    decorated: Any = read_and_run
    for option in (
        click.option(
            "--without",
            type=click.Choice(tuple(KNOWLEDGE)),
            multiple=True,
            help="What MCTS(P) does without, whatever P: prior knowledge of moves, all-moves-as-first; repeatable.",
        ),
        click.option(
            "--numbers",
            type=click.Choice(tuple(NUMBERS)),
            default=PAPERS_READING.numbers,
            show_default=True,
            help="Parameters of MCTS(P): as in the paper's revision of Fuego, the same with all-moves-as-first "
            "statistics of the rule rave, or miai's own.",
        ),
        click.option(
            "--prior",
            type=click.Choice(PRIORS),
            default=PAPERS_READING.prior,
            show_default=True,
            help="Prior knowledge of moves: strengths learned from games, whatever P's layers propose, or what P "
            "proposes in the paper's revision of Fuego.",
        ),
    ):
        decorated = option(decorated)
    return decorated
