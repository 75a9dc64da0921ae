"""Processes that label pieces: of this machine, or a cluster's."""

import multiprocessing
import signal
import threading
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from itertools import islice

import numpy as np

from miai.selfplay.data.format import GameFile
from miai.selfplay.data.labels import Labels, round_opinions
from miai.selfplay.generation.workers import WorkersFailed, end_with_driver
from miai.selfplay.labelling.pieces import Piece
from miai.selfplay.labelling.run import Labelled
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
            WorkersFailed: if a process fails or dies.
        """
        upcoming = iter(pieces)
        under_way: dict[Future[Labels], Piece] = {}
        context = multiprocessing.get_context("spawn")
        pool = ProcessPoolExecutor(self._num_processes, context, _begin, (self._options,))
        try:
            while True:
                for piece in islice(upcoming, _PIECES_AHEAD * self._num_processes - len(under_way)):
                    under_way[pool.submit(_label, piece.load(), piece.rows)] = piece
                if not under_way:
                    return
                for done in wait(under_way, return_when=FIRST_COMPLETED).done:
                    yield Labelled(under_way.pop(done), done.result())
        except BrokenProcessPool:
            raise WorkersFailed("a process that labels has died; the same command goes on") from None
        except (ValueError, RuntimeError) as error:
            raise WorkersFailed(f"{type(error).__name__}: {error}") from error
        finally:
            for process in list((pool._processes or {}).values()):
                process.kill()
            pool.shutdown(cancel_futures=True)


_teacher: Teacher | None = None
"""This process's."""


def _begin(options: TeacherOptions) -> None:
    global _teacher
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the driver decides
    threading.Thread(target=end_with_driver, daemon=True).start()
    _teacher = Teacher(options)


def _label(file: GameFile, rows: np.ndarray) -> Labels:
    assert _teacher is not None
    return round_opinions(_teacher.judge(file, rows))
