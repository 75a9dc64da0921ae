"""How the experiments' commands run their pieces."""

from pathlib import Path

import click

from miai.engine.files import discard_if_failed
from miai.experiments.experiment_plan import ExperimentPlan, Interrupted, check_folder, run_with_bar


def run_or_exit(plan: ExperimentPlan, folder: Path, num_processes: int, unit: str) -> None:
    """Run what is missing of an experiment in its folder; when interrupted, say how to go on and end the command.

    A folder that belongs to another experiment is refused; a new one is gone if the run fails before a piece is done.
    """
    with discard_if_failed(folder, "*.npz"):
        try:
            check_folder(plan, folder)
        except ValueError as error:
            raise click.UsageError(str(error)) from None
        try:
            run_with_bar(plan, folder, num_processes, unit)
        except Interrupted as interrupted:
            raise click.ClickException(str(interrupted)) from None
