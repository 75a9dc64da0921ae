"""Run what is missing of an experiment, behind a progress bar."""

from pathlib import Path

from miai.engine.progress import progress_bar
from miai.experiments.running.pieces import ExperimentPlan, has_pieces, is_done, keep_piece, pieces_of, run_timed
from miai.experiments.running.workers import LocalPieceWorkers, PieceWorkers


class Interrupted(Exception):
    """A run that the user stopped."""


def run_with_bar(plan: ExperimentPlan, folder: Path, workers: PieceWorkers, unit: str) -> None:
    """Run what is missing behind a progress bar that counts rows as `unit` and tells the time left.

    On this machine the first piece of a folder compiles for the other processes.

    Raises:
        Interrupted: by the user; says how to go on.
        PiecesFailed: if the workers cannot do it.
    """
    pieces = pieces_of(plan)
    missing = [piece for piece in pieces if not is_done(plan, folder, piece)]
    total = sum(map(plan.rows_of, pieces))
    done = total - sum(map(plan.rows_of, missing))
    try:
        with progress_bar(total=total, done=done, unit=unit) as bar:
            if missing and not has_pieces(folder) and isinstance(workers, LocalPieceWorkers):
                first = missing.pop(0)
                keep_piece(folder, first, run_timed(plan, first))
                bar.update(plan.rows_of(first))
            for piece, results in workers.run(plan, missing):
                keep_piece(folder, piece, results)
                bar.update(plan.rows_of(piece))
    except KeyboardInterrupt:
        raise Interrupted(f"interrupted; the same command goes on, results so far are in {folder}") from None
