"""`miai experiment`: the group of experiments, each loaded when it is used."""

import click

from miai.cli.lazy_group import LazyCommand, LazyGroup

EXPERIMENTS = {
    "backups": LazyCommand("miai.cli.experiments.backups", "Backup operators against each other (Coulom 2006)."),
    "trees": LazyCommand("miai.cli.experiments.trees", "Searches on simulated game trees (Jones 2021, section 4)."),
    "tactics": LazyCommand("miai.cli.experiments.tactics", "Simulations that rules need for tactical 9x9 positions."),
    "blunders": LazyCommand(
        "miai.cli.experiments.blunders", "Blunders of policies, judged by a search (Fernando & Müller 2013, table 3)."
    ),
    "fair-komi": LazyCommand(
        "miai.cli.experiments.fair_komi", "Points that policies lose, by fair komi (Fernando & Müller 2013, table 4)."
    ),
    "crazy-stone": LazyCommand(
        "miai.cli.experiments.crazy_stone",
        "Crazy Stone of 2006 against GNU Go, one part exchanged at a time (Coulom 2006).",
    ),
    "dominance": LazyCommand(
        "miai.cli.experiments.dominance", "Holden's search against others, its mixture swept, draws, ideas."
    ),
    "policies": LazyCommand(
        "miai.cli.experiments.policies", "Searches with variants of the policy (Fernando & Müller 2013, table 2)."
    ),
}


@click.group(cls=LazyGroup, lazy_commands=EXPERIMENTS)
def command() -> None:
    """Repeat the papers' experiments: raw results, tables and plots in a folder."""
