"""The `miai` command: a group of subcommands that are loaded when they are used."""

import errno
import os
import sys
from typing import Any

import click

from miai.cli.lazy_group import LazyCommand, LazyGroup
from miai.engine.extras import describe_missing
from miai.engine.search.rule_names import RuleFailure

COMMANDS = {
    "play": LazyCommand("miai.cli.play", "Play a game in the terminal."),
    "web": LazyCommand("miai.cli.web", "Play, analyse and watch the search in the browser."),
    "gtp": LazyCommand("miai.cli.gtp", "Serve a GUI or another program over GTP."),
    "analysis": LazyCommand("miai.cli.analysis", "Analyse positions for KaTrain and other tools made for KataGo."),
    "review": LazyCommand("miai.cli.review", "Search every position of finished games, and show the worst moves."),
    "match": LazyCommand("miai.cli.match", "Let two players play a match."),
    "compare": LazyCommand("miai.cli.compare", "Show what players' moves lose in positions of recorded games."),
    "round-robin": LazyCommand("miai.cli.round_robin", "Let several players play each other, and rate them."),
    "ratings": LazyCommand("miai.cli.ratings", "Add up results of gogui-twogtp and of matches, and rate the players."),
    "tune": LazyCommand("miai.cli.tune", "Find better numbers for a player."),
    "cgos": LazyCommand("miai.cli.cgos", "Play on CGOS, the Computer Go Server."),
    "selfplay": LazyCommand("miai.cli.selfplay", "Generate training games by self-play."),
    "import-games": LazyCommand("miai.cli.import_games", "Make data to learn from out of SGF games."),
    "label": LazyCommand("miai.cli.label", "Ask a teacher about every position of recorded games."),
    "regret": LazyCommand("miai.cli.regret", "Show what networks' best moves lose by a teacher."),
    "rules": LazyCommand("miai.cli.list_rules", "List the search rules, their parameters and sources."),
    "bench": LazyCommand("miai.cli.bench", "Measure speed."),
    "experiment": LazyCommand("miai.cli.experiments", "Repeat the papers' experiments."),
    "doctor": LazyCommand("miai.cli.doctor", "Show what a bug report needs: versions, processor, speed."),
    "warmup": LazyCommand("miai.cli.warmup", "Compile everything now, so that the first start is quick."),
    "train": LazyCommand("miai.cli.train", "Train a network from files of games."),
    "loop": LazyCommand("miai.cli.loop", "Alternate self-play and training."),
    "fit-moves": LazyCommand("miai.cli.fit_moves", "Learn what the search knows of moves beforehand."),
    "fit-patterns": LazyCommand("miai.cli.fit_patterns", "Learn pattern strengths for the playouts."),
    "fit-outcomes": LazyCommand("miai.cli.fit_outcomes", "Learn to estimate win, draw and loss from games."),
    "branch-games": LazyCommand("miai.cli.branch_games", "Play games to learn from that branch off other games."),
}


class CommandLine(LazyGroup):
    """The group of all subcommands: what the system refuses them ends in one line."""

    def invoke(self, ctx: click.Context) -> Any:
        if sys.stderr is None:
            sys.stderr = open(os.devnull, "w")
        if sys.stdout is None:
            raise click.ClickException("the standard output is closed")
        try:
            return super().invoke(ctx)
        except ModuleNotFoundError as error:
            raise click.ClickException(describe_missing(error)) from None
        except RuleFailure as error:
            raise click.ClickException(str(error)) from None
        except OSError as error:
            if error.errno == errno.EPIPE:
                raise  # the reader has seen enough: click ends quietly
            _drop_unwritable_output()
            reason = error.strerror or str(error) or type(error).__name__
            raise click.ClickException(f"{error.filename}: {reason}" if error.filename else reason) from None
        except MemoryError as error:
            raise click.ClickException(f"there is not enough memory: {error}".rstrip(": ")) from None


def _drop_unwritable_output() -> None:
    """Forget what standard output does not take, or Python complains once more as it ends."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@click.group(cls=CommandLine, lazy_commands=COMMANDS, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="miai", message="miai %(version)s")
def main() -> None:
    """miai plays 9x9 Go (2x2 to 19x19), and lets you change how.

    Start with `miai play`. Every command explains itself: `miai play --help`.
    """


if __name__ == "__main__":
    main()
