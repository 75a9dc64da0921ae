"""Which position comes when, and batches written ahead by other threads while the network learns."""

import time
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import islice

import numpy as np

from miai.nets.symmetry import NUM_SYMMETRIES
from miai.selfplay.training.positions import Positions
from miai.selfplay.training.samples import TrainingBatch, write_batch
from miai.selfplay.training.training_recipe import TrainingRecipe


class Order:
    """The order of positions: one shuffled pass through all of them after another.

    What comes in a batch follows from the seeds and the batch's number alone, so that a training that was stopped
    goes on with the very batches that it would have had.
    """

    def __init__(self, rows: np.ndarray, batch_size: int, *seeds: int) -> None:
        """Order `rows`, int64 [positions]."""
        self._rows = rows
        self._batch_size = batch_size
        self._seeds = seeds
        self._passes: dict[int, np.ndarray] = {}

    def draw(self, batch: int) -> tuple[np.ndarray, np.ndarray]:
        """Return rows and symmetries, int64 [batch_size] each, of a batch, 0 for the first."""
        number = len(self._rows)
        places = np.arange(batch * self._batch_size, (batch + 1) * self._batch_size)
        wanted = {int(number_of_pass) for number_of_pass in places // number}
        self._passes = {one: self._pass(one) for one in wanted}
        rows = np.empty(len(places), dtype=np.int64)
        for one, shuffled in self._passes.items():
            inside = places // number == one
            rows[inside] = shuffled[places[inside] % number]
        rng = np.random.default_rng([*self._seeds, 1, batch])
        return rows, rng.integers(NUM_SYMMETRIES, size=self._batch_size)

    def _pass(self, number: int) -> np.ndarray:
        if number in self._passes:
            return self._passes[number]
        return self._rows[np.random.default_rng([*self._seeds, 0, number]).permutation(len(self._rows))]


class BatchLoader:
    """Writes batches ahead in threads of its own."""

    def __init__(self, positions: Positions, order: Order, kind: str, recipe: TrainingRecipe) -> None:
        self._positions = positions
        self._order = order
        self._kind = kind
        self._recipe = recipe
        self.num_read = 0
        """Positions that `batches` yielded so far."""
        self.num_written = 0
        """Positions that threads wrote so far."""
        self.busy_seconds = 0.0
        """Processor time that writing them took, all threads together."""
        self.waited_seconds = 0.0
        """How long `batches` had to wait for one."""

    @property
    def positions_per_second(self) -> float:
        """How many positions a thread writes in a second of processor time."""
        return self.num_written / max(self.busy_seconds, 1e-9)

    def batches(self, first: int, last: int) -> Iterator[TrainingBatch]:
        """Yield the batches from number `first` to before `last`."""
        for batch in self._write_ahead(self._order.draw(number) for number in range(first, last)):
            self.num_read += len(batch.planes)
            yield batch

    def _write_ahead(self, parts: Iterator[tuple[np.ndarray, np.ndarray]]) -> Iterator[TrainingBatch]:
        """Yield a batch for each pair of rows and symmetries, in order, a few of them ahead."""
        with ThreadPoolExecutor(self._recipe.loader_threads, thread_name_prefix="loader") as pool:

            def write_next() -> list[Future[tuple[TrainingBatch, float]]]:
                return [pool.submit(self._write, *part) for part in islice(parts, 1)]

            ahead = deque(future for _ in range(self._recipe.loader_threads + 1) for future in write_next())
            while ahead:
                begin = time.perf_counter()
                batch, seconds = ahead.popleft().result()
                self.waited_seconds += time.perf_counter() - begin
                self.busy_seconds += seconds
                self.num_written += len(batch.planes)
                ahead.extend(write_next())
                yield batch

    def compile(self) -> None:
        """Compile what writes batches, which is not what takes time later."""
        self._write(self._positions.learned[:1], np.zeros(1, dtype=np.int64))

    def _write(self, rows: np.ndarray, symmetries: np.ndarray) -> tuple[TrainingBatch, float]:
        begin = time.thread_time()
        file, game_of_row = self._positions.file, self._positions.game_of_row
        weights = self._recipe.outcome_weight, self._recipe.teacher_weight, self._recipe.mistake_weight
        batch = write_batch(file, game_of_row, rows, symmetries, self._kind, *weights)
        return batch, time.thread_time() - begin
