"""Processes that label pieces: of this machine, or a cluster's."""

import functools
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from concurrent.futures.process import BrokenProcessPool
from itertools import islice

import numpy as np

from miai.engine.processes import kill_pool, start_pool
from miai.nets.inference import BackendError
from miai.nets.net_files import WeightsError
from miai.selfplay.data.format import GameFile
from miai.selfplay.data.labels import Labels, round_opinions
from miai.selfplay.generation.workers import WorkersFailed
from miai.selfplay.labelling.label_run import Labelled
from miai.selfplay.labelling.pieces import Piece
from miai.selfplay.labelling.teacher import Teacher, TeacherOptions

_PIECES_AHEAD = 2
"""For each process, so that none waits for the next."""


class ThisProcess:
    """Labels one piece after the other."""

    def __init__(self, options: TeacherOptions) -> None:
        self._teacher = Teacher(options)

    def label(self, pieces: Iterable[Piece]) -> Iterator[Labelled]:
        """Yield each piece as it is finished."""
        for piece in pieces:
            yield Labelled(piece, round_opinions(self._teacher.judge(piece.load(), piece.rows)))


class LocalLabellers:
    """Labels pieces on several cores, each process with a network of its own."""

    def __init__(self, options: TeacherOptions, processes: int) -> None:
        self._options = options
        self._num_processes = processes

    def label(self, pieces: Iterable[Piece]) -> Iterator[Labelled]:
        """Yield each piece as it is finished.

        Raises:
            BackendError, WeightsError: if the network cannot be loaded.
            WorkersFailed: if a process fails or dies.
        """
        upcoming = iter(pieces)
        under_way: dict[Future[Labels], Piece] = {}
        pool = start_pool(self._num_processes)
        try:
            while True:
                for piece in islice(upcoming, _PIECES_AHEAD * self._num_processes - len(under_way)):
                    under_way[pool.submit(_label, self._options, piece.load(), piece.rows)] = piece
                if not under_way:
                    return
                for done in wait(under_way, return_when=FIRST_COMPLETED).done:
                    yield Labelled(under_way.pop(done), done.result())
        except BrokenProcessPool:
            raise WorkersFailed("a process that labels has died; the same command goes on") from None
        except (BackendError, WeightsError):
            raise
        except (ValueError, RuntimeError) as error:
            raise WorkersFailed(f"{type(error).__name__}: {error}") from error
        finally:
            kill_pool(pool)


_teacher = functools.lru_cache(maxsize=1)(Teacher)
"""This process's."""


def _label(options: TeacherOptions, file: GameFile, rows: np.ndarray) -> Labels:
    return round_opinions(_teacher(options).judge(file, rows))
