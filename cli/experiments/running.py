"""How the experiments' commands run their pieces."""

from pathlib import Path

import click

from miai.experiments.experiment_plan import ExperimentPlan, Interrupted, run_with_bar


def run_or_exit(plan: ExperimentPlan, folder: Path, num_processes: int, unit: str) -> None:
    """Run what is missing of an experiment; when interrupted, say how to go on and end the command."""
    try:
        run_with_bar(plan, folder, num_processes, unit)
    except Interrupted as interrupted:
        raise click.ClickException(str(interrupted)) from None
