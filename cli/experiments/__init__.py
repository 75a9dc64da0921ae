"""`miai experiment`: the group of experiments, each loaded when it is used."""

import click

from miai.cli.lazy_group import LazyCommand, LazyGroup

EXPERIMENTS = {
    "all": LazyCommand("miai.cli.experiments.all", "Every experiment at the size that a budget of hours allows."),
    "backups": LazyCommand("miai.cli.experiments.backups", "Backup operators against each other (Coulom 2006)."),
    "crazy-stone": LazyCommand(
        "miai.cli.experiments.crazy_stone",
        "Crazy Stone of 2006 against GNU Go, one part exchanged at a time (Coulom 2006).",
    ),
    "policies": LazyCommand(
        "miai.cli.experiments.policies", "Searches with variants of the policy (Fernando & Müller 2013, table 2)."
    ),
    "blunders": LazyCommand(
        "miai.cli.experiments.blunders", "Blunders of policies, judged by a search (Fernando & Müller 2013, table 3)."
    ),
    "fair-komi": LazyCommand(
        "miai.cli.experiments.fair_komi", "Points that policies lose, by fair komi (Fernando & Müller 2013, table 4)."
    ),
    "dominance": LazyCommand(
        "miai.cli.experiments.dominance", "Dominance against other searches, its mixture swept, draws, ideas (Holden)."
    ),
    "trees": LazyCommand("miai.cli.experiments.trees", "Searches on simulated game trees (Jones 2021, section 4)."),
    "esprit": LazyCommand(
        "miai.cli.experiments.esprit", "ESPRIT against PUCT and waves against virtual loss on Go (Jones 2021)."
    ),
    "backups-go": LazyCommand(
        "miai.cli.experiments.backups_go", "Backup rules in Go with a network (Li & Lim, tables 1 to 5)."
    ),
    "tune-backup": LazyCommand(
        "miai.cli.experiments.tune_backup", "Six knots of a backup's weights, tuned (Li & Lim, sections 3 and 4)."
    ),
    "tactics": LazyCommand("miai.cli.experiments.tactics", "Simulations that rules need for tactical 9x9 positions."),
}
"""By paper, in the order of the book."""


@click.group(cls=LazyGroup, lazy_commands=EXPERIMENTS)
def command() -> None:
    """Repeat the papers' experiments: raw results, tables and plots in a folder."""
