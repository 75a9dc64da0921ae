"""Experiments in pieces: work that other processes do and files keep, so that a run goes on where it was stopped."""

import io
import json
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from tqdm import tqdm

from miai.engine.files import write_file


class Interrupted(Exception):
    """A run that the user stopped."""


class ExperimentPlan(Protocol):
    """What an experiment runs: pieces of work that do not depend on each other."""

    @property
    def num_pieces(self) -> int:
        """How many pieces there are."""

    def rows_of(self, piece: int) -> int:
        """Return how many rows of results a piece has."""

    def run_piece(self, piece: int) -> dict[str, np.ndarray]:
        """Do a piece; return arrays by name with `rows_of(piece)` rows each."""

    def signature(self) -> dict[str, Any]:
        """Return what must agree for pieces to belong together, in plain values; what may grow later is not in it."""


def check_folder(plan: ExperimentPlan, folder: Path) -> None:
    """Begin a folder, or make sure that one begun before belongs to the same experiment.

    Raises:
        ValueError: if it does not.
    """
    path = folder / "plan.json"
    if path.exists():
        if json.loads(path.read_text()) != plan.signature():
            raise ValueError(f"{folder} holds another experiment; choose another --output")
        return
    folder.mkdir(parents=True, exist_ok=True)
    write_file(path, json.dumps(plan.signature(), indent=1) + "\n")


def piece_file(folder: Path, piece: int) -> Path:
    """Return where a piece's results are kept."""
    return folder / "pieces" / f"{piece:06d}.npz"


def is_done(plan: ExperimentPlan, folder: Path, piece: int) -> bool:
    """Tell whether the file of a piece is there, is whole, and holds all rows that the plan wants of it."""
    wanted = plan.rows_of(piece)
    try:
        with np.load(piece_file(folder, piece)) as data:
            return len(data.files) > 0 and all(len(data[name]) >= wanted for name in data.files)
    except (OSError, ValueError, KeyError, EOFError):
        return False


def do_piece(plan: ExperimentPlan, folder: Path, piece: int) -> int:
    """Run a piece and keep its results; the file appears only once it is whole. Return its number of rows."""
    results: dict[str, Any] = plan.run_piece(piece)
    path = piece_file(folder, piece)
    path.parent.mkdir(parents=True, exist_ok=True)
    content = io.BytesIO()
    np.savez(content, **results)
    write_file(path, content.getvalue())
    return plan.rows_of(piece)


def run_plan(plan: ExperimentPlan, folder: Path, num_processes: int) -> Iterator[int]:
    """Run the pieces that are not done yet, over several processes; yield the number of rows as each is done."""
    missing = [piece for piece in range(plan.num_pieces) if not is_done(plan, folder, piece)]
    if num_processes == 1:
        for piece in missing:
            yield do_piece(plan, folder, piece)
        return
    with ProcessPoolExecutor(num_processes) as pool:
        futures = [pool.submit(do_piece, plan, folder, piece) for piece in missing]
        try:
            for future in as_completed(futures):
                yield future.result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def run_with_bar(plan: ExperimentPlan, folder: Path, num_processes: int, unit: str) -> None:
    """Run what is missing behind a progress bar that counts rows as `unit`; the first piece compiles for the others.

    Raises:
        Interrupted: by the user; says how to go on.
    """
    rows = [plan.rows_of(piece) for piece in range(plan.num_pieces)]
    done = sum(rows[piece] for piece in range(plan.num_pieces) if is_done(plan, folder, piece))
    try:
        with tqdm(total=sum(rows), initial=done, unit=unit, disable=None) as bar:
            if done == 0:  # compile once, not in every process
                bar.update(do_piece(plan, folder, 0))
            for number in run_plan(plan, folder, num_processes):
                bar.update(number)
    except KeyboardInterrupt:
        raise Interrupted(f"interrupted; the same command goes on, finished pieces stay in {folder}") from None


def load_results(plan: ExperimentPlan, folder: Path) -> dict[str, np.ndarray]:
    """Return the rows of all pieces, by name."""
    found: dict[str, list[np.ndarray]] = {}
    for piece in range(plan.num_pieces):
        with np.load(piece_file(folder, piece)) as data:
            for name in data.files:
                found.setdefault(name, []).append(data[name][: plan.rows_of(piece)])
    return {name: np.concatenate(parts) for name, parts in found.items()}
