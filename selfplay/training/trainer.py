"""Trains a network from data files, in a folder that keeps its state.

    trainer = Trainer(CONFIGS["miai"], Path("runs/first"))
    while True:
        window = choose_window(games)
        goal = trainer.recipe.steps_for(window.num_played)
        trainer.train(window.files, goal - trainer.step)
        trainer.publish()

is a loop that may be killed at any instant and started again. The folder holds `checkpoints/` (see
`miai.selfplay.training.checkpoints`), `nets/` with the published weights, and `tensorboard/`.
"""

import dataclasses
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
import torch
from filelock import BaseFileLock
from torch import Tensor
from tqdm import tqdm

from miai.engine.locking import take_lock
from miai.engine.progress import progress_bar
from miai.nets.config import ConfigError, NetConfig
from miai.nets.net_files import WeightsError, komi_of, load_weights, read_sizes, save_weights
from miai.selfplay.training.checkpoints import Checkpoint, newest_checkpoint, write_checkpoint
from miai.selfplay.training.device_batches import new_loader
from miai.selfplay.training.event_log import EventLog
from miai.selfplay.training.growing import grown
from miai.selfplay.training.learner import Learner
from miai.selfplay.training.loader import BatchLoader, Order
from miai.selfplay.training.losses import MEASURES, TERMS, mean_of_known
from miai.selfplay.training.positions import PHASE_TERMS, Positions, PositionStore, by_phase
from miai.selfplay.training.published_nets import net_path, published_nets
from miai.selfplay.training.samples import TrainingBatch, write_batch
from miai.selfplay.training.training_recipe import TrainingRecipe

_STEPS_TO_SHOW = 20
"""After so many steps the losses are read from the device and shown."""


class TrainingError(RuntimeError):
    """Training that cannot begin or go on; the text says why."""


def print_line(text: str) -> None:
    """Print a line to the standard error, above a progress bar if there is one."""
    tqdm.write(text, file=sys.stderr)


class Trainer:
    """A network in training, in a folder that no other process may use until `close`."""

    def __init__(
        self,
        config: NetConfig,
        folder: Path,
        recipe: TrainingRecipe | None = None,
        device: str | None = None,
        report: Callable[[str], None] = print_line,
        start_from: Path | None = None,
    ) -> None:
        """Go on from the newest whole checkpoint of the folder, or begin.

        Args:
            config: the network's form.
            folder: made if it is missing.
            recipe: the default one if None; may change from run to run.
            device: torch's name of it; None = a GPU if there is one.
            report: told in a line of what went wrong and was left out.
            start_from: file of the network to begin with, of this form or with fewer blocks or planes; None = random
                weights.

        Raises:
            TrainingError: if the folder holds the training of another network, cannot be used, or another process
                uses it, or if `start_from` has another form; see `grown`.
            WeightsError: if `start_from` cannot be read.
        """
        self.config = config
        self.folder = folder
        self.recipe = recipe or TrainingRecipe()
        self.step = 0
        """Steps made so far."""
        self.losses: dict[str, float] = {}
        """Terms of the loss and policy accuracy, means over the last steps; without those that nothing is known of."""
        self.validation: dict[str, float] = {}
        """The same of the averaged weights on games held out, and `losses.metrics`; empty without such games."""
        self._report = report
        self._store = PositionStore(self.recipe.held_out, report, (self.recipe.lowest_komi, self.recipe.highest_komi))
        self._window: tuple[str, ...] = ()
        self._window_start = 0
        self._sizes: set[int] = set()
        self._komi: tuple[float, ...] = ()
        """The least and the greatest so far."""
        self._loader: BatchLoader | None = None
        self._seconds = 0.0
        self._is_stopping = False
        self._lock = _lock(folder)
        try:
            self._learner = Learner(config, self.recipe, _device(device))
            checkpoint = newest_checkpoint(folder / "checkpoints", report)
            if checkpoint is not None:
                self._restore(checkpoint)
            elif start_from is not None:
                self._begin_with(start_from)
            self._events = EventLog(folder / "tensorboard", self.step, report)
        except BaseException:
            self._lock.release()
            raise

    def __enter__(self) -> "Trainer":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let other processes use the folder. Saves nothing."""
        self._events.close()
        self._lock.release()

    def load(self, files: Sequence[Path]) -> Positions:
        """Return the positions of data files, as `PositionStore.load`: those loaded last time are not read again.

        Raises:
            DataError: if no file has games to learn from.
        """
        return self._store.load(files)

    def train(self, files: Sequence[Path], steps: int, total_steps: int | None = None) -> None:
        """Make `steps` more steps on the positions of these data files.

        Writes checkpoints on the way and at the end. What cannot be read or written is reported,
        and training goes on.

        Args:
            files: of `miai.selfplay.data.format`.
            steps: below 1 nothing is done.
            total_steps: of the whole training, for the learning rate; None = it ends with these.

        Raises:
            DataError: if no file has games to learn from.
            TrainingError: if they do not fit the network, or the loss is no number any more.
        """
        if steps < 1:
            return
        positions = self.load(files)
        try:
            self.config.check_size(positions.file.size)
        except ConfigError as error:
            raise TrainingError(str(error)) from None
        self._sizes.add(positions.file.size)
        komi = *self._komi, *positions.komi_learned
        self._komi = min(komi), max(komi)
        if positions.names != self._window:
            self._window, self._window_start = positions.names, self.step
        last = self.step + steps
        self._run(positions, last, total_steps or last)
        self.validate(positions)
        self.save_checkpoint()

    def stop(self) -> None:
        """Let `train` return after the step that it is at, with a checkpoint; for signal handlers and other threads."""
        self._is_stopping = True

    def speed(self) -> str:
        """Return in a sentence how fast the last training was."""
        if self._loader is None:
            return "no step was needed"
        loader, seconds = self._loader, max(self._seconds, 1e-9)
        waited = loader.waited_seconds / seconds
        return (
            f"{loader.num_read / seconds:,.0f} positions/s on {self._learner.device}; a loader thread alone writes "
            f"{loader.positions_per_second:,.0f}/s, waiting for it took {waited:.1%} of the time"
        )

    def _run(self, positions: Positions, last: int, total_steps: int) -> None:
        recipe, start = self.recipe, self._window_start
        order = Order(positions.learned, recipe.batch_size, recipe.seed, start)
        self._loader = loader = new_loader(
            positions, order, self.config.planes, recipe, self._learner.device, last - self.step
        )
        unseen: list[dict[str, Tensor]] = []
        loader.compile()
        begin = time.perf_counter()
        total = last * recipe.batch_size
        done = self.step * recipe.batch_size
        with progress_bar(total=total, done=done, unit="position", unit_scale=True) as bar:
            for batch in loader.batches(self.step - start, last - start):
                unseen.append(self._learner.learn(batch, recipe.learning_rate_at(self.step, total_steps)))
                self.step += 1
                bar.update(recipe.batch_size)
                is_last = self.step == last or self._is_stopping
                is_checkpoint = self.step % recipe.checkpoint_every == 0
                if is_checkpoint or is_last or self.step % _STEPS_TO_SHOW == 0:
                    self._show(unseen, bar)
                    unseen = []
                if is_last:
                    break
                if self.step % recipe.validate_every == 0:
                    self.validate(positions)
                    print_line(f"step {self.step:,}, held out: {self._validation_line()}")
                if is_checkpoint:
                    self.save_checkpoint()

        self._seconds = time.perf_counter() - begin
        self._is_stopping = False

    def _show(self, unseen: list[dict[str, Tensor]], bar: Any) -> None:
        self.losses = mean_of_known(unseen)
        if not torch.stack([one[name] for one in unseen for name in ("loss", "gradient")]).isfinite().all():
            raise TrainingError(
                f"the loss is no number any more before step {self.step}: a lower learning rate, and the same command, "
                "go on from the checkpoint before"
            )
        self._events.add(self.step, "training", self.losses)
        shown = {name: f"{value:.3g}" for name, value in self.losses.items() if name != "gradient"}
        bar.set_postfix(shown, refresh=False)

    def _validation_line(self) -> str:
        names = [name for name in (*TERMS, "loss", *MEASURES) if name in self.validation]
        return ", ".join(f"{name} {self.validation[name]:.4g}" for name in names) or "no games"

    def validate(self, positions: Positions) -> dict[str, float]:
        """Measure the averaged weights on the games held out; return and keep what was found, nothing without such."""
        rows = np.random.default_rng(self.recipe.seed).permutation(positions.held_out)
        rows = rows[: self.recipe.validation_positions]
        self.validation = self._learner.validate(self._held_out_batches(positions, rows))
        for phase, part in by_phase(positions, rows).items():
            found = self._learner.validate(self._held_out_batches(positions, part))
            self.validation |= {f"{name}_{phase}": found[name] for name in PHASE_TERMS if name in found}
        self._events.add(self.step, "validation", self.validation)
        return self.validation

    def _held_out_batches(self, positions: Positions, rows: np.ndarray) -> Iterator[TrainingBatch]:
        for first in range(0, len(rows), self.recipe.batch_size):
            part = rows[first : first + self.recipe.batch_size]
            unturned = np.zeros(len(part), dtype=np.int64)
            weights = self.recipe.outcome_weight, self.recipe.teacher_weight
            yield write_batch(positions.file, positions.game_of_row, part, unturned, self.config.planes, *weights)

    def save_checkpoint(self) -> Path | None:
        """Write the state; return its file, or None, reported, if it cannot be written: those before it stay."""
        values = {
            "step": self.step,
            "config": self.config.to_json(),
            "recipe": dataclasses.asdict(self.recipe),
            "window": list(self._window),
            "window_start": self._window_start,
            "sizes": sorted(self._sizes),
            "komi": list(self._komi),
            "losses": self.losses,
            "validation": self.validation,
        }
        checkpoint = Checkpoint(self._learner.tensors(), values)
        try:
            return write_checkpoint(self.folder / "checkpoints", self.step, checkpoint, self.recipe.kept_checkpoints)
        except OSError as error:
            self._report(f"no checkpoint of step {self.step}: {error.strerror or error}; training goes on")
            return None

    def _restore(self, checkpoint: Checkpoint) -> None:
        values = checkpoint.values
        if not self._has_form(values["config"]):
            raise TrainingError(f"{self.folder} holds the training of another network, {values['config']}")
        optimizer = values["recipe"].get("optimizer", "adamw")
        if optimizer != self.recipe.optimizer:
            raise TrainingError(f"{self.folder} holds a training by optimizer {optimizer}, not {self.recipe.optimizer}")
        self._learner.restore(checkpoint.tensors)
        self.step = values["step"]
        self._window, self._window_start = tuple(values["window"]), values["window_start"]
        self._sizes, self._komi = set(values.get("sizes", ())), tuple(values.get("komi", ()))
        self.losses, self.validation = values["losses"], values["validation"]

    def _has_form(self, config: str) -> bool:
        try:
            return NetConfig.from_json(config) == self.config
        except ConfigError:
            return False

    def _begin_with(self, path: Path) -> None:
        net = load_weights(path)
        weights = net.module.state_dict()
        if net.config != self.config:
            try:
                weights = grown(weights, net.config, self.config, self._learner.network.state_dict())
            except ConfigError as error:
                raise TrainingError(f"{path}: {error}") from None
        self._learner.begin_with(weights)
        self._sizes, self._komi = set(read_sizes(path)), komi_of(net.summary) or ()

    def publish(self, **facts: Any) -> Path:
        """Write the averaged weights to `nets/` under the next number, from 1; return the file.

        If the newest network there is already that of this step, nothing is written.

        Args:
            facts: more for the summary in the file, such as the command.

        Raises:
            WeightsError: if it cannot be written.
        """
        folder = self.folder / "nets"
        published = published_nets(folder)
        number = max(published, default=0) + 1
        if published:
            newest = published[number - 1]
            try:
                if load_weights(newest).summary.get("step") == self.step:
                    return newest
            except WeightsError as error:
                self._report(f"left out: {error}")
        path = net_path(folder, number)
        summary = self._summary() | facts
        save_weights(path, self._learner.averaged, self.config, summary, precision=self.recipe.stored_precision)
        return path

    def _summary(self) -> dict[str, Any]:
        return {
            "step": self.step,
            "positions": self.step * self.recipe.batch_size,
            "sizes": sorted(self._sizes),
            "komi": list(self._komi),
            "data": {"files": len(self._window), "first": self._window[:1], "last": self._window[-1:]},
            "losses": self.losses,
            "validation": self.validation,
            "recipe": dataclasses.asdict(self.recipe),
        }


def _device(name: str | None) -> torch.device:
    if name is None:
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        device = torch.device(name)
        torch.zeros(1, device=device)
    except (RuntimeError, AssertionError) as error:
        raise TrainingError(f"device {name!r} cannot be used: {str(error).splitlines()[0]}") from None
    return device


def _lock(folder: Path) -> BaseFileLock:
    """Make the folders, and hold a lock file in them."""
    folders = ("checkpoints", "nets")
    try:
        for name in folders:
            (folder / name).mkdir(parents=True, exist_ok=True)
        lock = take_lock(folder / "training.lock", *folders)
    except OSError as error:
        raise TrainingError(f"cannot write to {folder}: {error.strerror}") from None
    if lock is None:
        raise TrainingError(f"another process trains in {folder}")
    return lock
