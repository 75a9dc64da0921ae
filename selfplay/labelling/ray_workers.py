"""Workers on a Ray cluster that label pieces, which the driver reads, sends and gathers.

miai must be installed on all machines, in the same version. The teacher's file is sent to them.
"""

import dataclasses
import functools
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import ray

from miai.engine.ray_cluster import connect, local_copy, run_tasks
from miai.selfplay.data.format import GameFile
from miai.selfplay.data.labels import Labels, round_opinions
from miai.selfplay.generation.workers import WorkersFailed
from miai.selfplay.labelling.label_run import Labelled
from miai.selfplay.labelling.pieces import Piece
from miai.selfplay.labelling.teacher import Teacher, TeacherOptions


class RayLabellers:
    """Labels pieces wherever the cluster has processors to spare."""

    def __init__(self, options: TeacherOptions, address: str) -> None:
        """Connect to a cluster.

        Args:
            options: of the teacher.
            address: what `ray.init` takes: `auto`, `local`, or `HOST:PORT`.

        Raises:
            WorkersFailed: if there is no cluster there.
        """
        connect(address, WorkersFailed)
        self._setup = ray.put((options, options.net.read_bytes()))

    def label(self, pieces: Iterable[Piece]) -> Iterator[Labelled]:
        """Yield each piece as it is finished. Those of a lost machine or process are labelled again.

        Raises:
            WorkersFailed: if a piece fails by an error, or tasks are lost again and again.
        """
        for piece, labels in run_tasks(pieces, self._submit, WorkersFailed, "pieces"):
            yield Labelled(piece, labels)

    def _submit(self, piece: Piece) -> Any:
        return _label.remote(self._setup, piece.load(), piece.rows)


@ray.remote(max_retries=0, num_cpus=1)
def _label(setup: tuple[TeacherOptions, bytes], file: GameFile, rows: np.ndarray) -> Labels:
    options, net = setup
    return round_opinions(_teacher(options, net).judge(file, rows))


@functools.lru_cache(maxsize=1)
def _teacher(options: TeacherOptions, net: bytes) -> Teacher:
    """Return the teacher, from a file of this machine; it is kept from piece to piece."""
    return Teacher(dataclasses.replace(options, net=local_copy(options.net.name, net)))
