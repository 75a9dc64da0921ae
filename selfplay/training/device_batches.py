"""Batches of positions that all lie on a GPU: written once, then gathered and turned there."""

from collections.abc import Iterator
from itertools import count

import numpy as np
import torch
from torch import Tensor

from miai.nets.symmetry import symmetry_table
from miai.selfplay.training.loader import BatchLoader, Order
from miai.selfplay.training.positions import Positions
from miai.selfplay.training.samples import TrainingBatch, new_batch
from miai.selfplay.training.training_recipe import TrainingRecipe

_CHUNK = 8192
"""Positions that are written and copied to the device at once."""
_SHARE = 0.5
"""Of the device's free memory the positions may take; the network needs the rest."""


class DeviceBatchLoader(BatchLoader):
    """Gives the batches of `BatchLoader` as tensors of a device, which keeps the positions as float16."""

    def __init__(
        self, positions: Positions, order: Order, kind: str, recipe: TrainingRecipe, device: torch.device
    ) -> None:
        super().__init__(positions, order, kind, recipe)
        self._device = device
        self._turns = torch.from_numpy(symmetry_table(positions.file.size).astype(np.int64)).to(device)

    def batches(self, first: int, last: int) -> Iterator[TrainingBatch]:
        """Yield the batches from number `first` to before `last`."""
        kept = self._copy_positions()
        place_of_row = np.full(self._positions.file.num_rows, -1)
        place_of_row[self._positions.learned] = np.arange(len(self._positions.learned))
        for number in range(first, last):
            rows, symmetries = self._order.draw(number)
            places, turns = (torch.from_numpy(one).to(self._device) for one in (place_of_row[rows], symmetries))
            self.num_read += len(rows)
            yield TrainingBatch(*(_turned(whole[places].float(), self._turns[turns]) for whole in kept))

    def _copy_positions(self) -> TrainingBatch:
        """Return all positions to learn from, unturned."""
        rows = self._positions.learned
        parts = (rows[first : first + _CHUNK] for first in range(0, len(rows), _CHUNK))
        written = self._write_ahead((part, np.zeros(len(part), dtype=np.int64)) for part in parts)
        forms = new_batch(1, self._kind, self._positions.file.size)
        kept = TrainingBatch(
            *(torch.empty((len(rows), *one.shape[1:]), dtype=torch.float16, device=self._device) for one in forms)
        )
        for first, batch in zip(count(0, _CHUNK), written):
            for array, whole in zip(batch, kept, strict=True):
                whole[first : first + len(array)] = torch.from_numpy(array)
        return kept


def _turned(values: Tensor, turns: Tensor) -> Tensor:
    """Return values [batch, ...] with those of points turned, each as its row of `turns` [batch, points + 1] says."""
    if values.dim() == 4:
        where = turns[:, None, :-1].expand(-1, values.shape[1], -1)
        return values.flatten(2).gather(2, where).view(values.shape)
    if values.dim() == 2 and values.shape[1] >= turns.shape[1] - 1:
        return values.gather(1, turns[:, : values.shape[1]])
    return values


def new_loader(
    positions: Positions, order: Order, kind: str, recipe: TrainingRecipe, device: torch.device, steps: int
) -> BatchLoader:
    """Return what gives batches for `steps` steps: from a GPU's memory if that has room and each position is used."""
    if device.type != "cuda" or steps * recipe.batch_size < len(positions.learned):
        return BatchLoader(positions, order, kind, recipe)
    bytes_each = sum(2 * array.size for array in new_batch(1, kind, positions.file.size))
    if bytes_each * len(positions.learned) > _SHARE * torch.cuda.mem_get_info(device)[0]:
        return BatchLoader(positions, order, kind, recipe)
    return DeviceBatchLoader(positions, order, kind, recipe, device)
