"""What is known of every experiment: what of which paper it repeats, its full size, and how a kept run is read.

An experiment joins by a declaration in the module of its command, `experiments = (Experiment(…),)`; `miai experiment
all` and `docs/make_results.py` then know it.
"""

import importlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from miai.experiments.comparisons import Comparison
from miai.experiments.running.pieces import Results, load_pieces

JONES = "Jones 2021"
COULOM = "Coulom 2006"
FERNANDO_MULLER = "Fernando & Müller 2013"
LI_LIM = "Li & Lim"
HOLDEN = "Holden"
OURS = "of our own"
"""What no paper has."""


@dataclass(frozen=True)
class KeptRun:
    """The raw results of a run, as its folder keeps them."""

    folder: Path
    signature: Mapping[str, Any]
    """Of its plan: what decides the results."""
    pieces: tuple[int, ...]
    """The numbers of its pieces, ascending."""
    results: Results
    """Their rows by name, in this order."""

    @property
    def settings(self) -> dict[str, Any]:
        """Return the plan without the experiment's name."""
        return {name: value for name, value in self.signature.items() if name != "experiment"}

    @property
    def hours(self) -> float:
        """Return what all rows took, in hours of one core."""
        return float(self.results["seconds"].sum()) / 3600.0

    def num_leading(self) -> int:
        """Return how many pieces there are before the first that is missing: a run that was stopped has gaps.

        Raises:
            ValueError: if the very first is missing.
        """
        number = next((place for place, piece in enumerate(self.pieces) if piece != place), len(self.pieces))
        if number == 0:
            raise ValueError(f"{self.folder} has not its first piece")
        return number


@dataclass(frozen=True)
class Account:
    """What a run came to."""

    command: str
    """That makes such a run; several, a line each, where not all lines of the paper's table had as many games."""
    size: str
    """How much was run, as `19,500 games`."""
    parts: Mapping[str, Sequence[Comparison]]
    """What the paper prints and ours, by table or figure; those that print nothing have no entries."""
    table: str
    """In Markdown."""
    figures: Mapping[str, Callable[[Path], None]] = field(default_factory=dict)
    """What draws each figure into an SVG file, by name."""
    answers: Mapping[str, str] = field(default_factory=dict)
    """Tables in Markdown that answer questions beyond the paper's, by name: for pages of their own."""


@dataclass(frozen=True)
class Experiment:
    """An experiment as `miai experiment all` runs it and the book of results shows it."""

    name: str
    """Of its folder."""
    words: tuple[str, ...]
    """Of the command, after `miai experiment`."""
    paper: str
    parts: str
    """Tables and figures of the paper, in words."""
    unit: str
    """What a row of the results is, in the plural."""
    option: str
    """The option that says how much is run."""
    full: int
    """Its value at full size."""
    floor: int
    """The least value that says anything: below it `miai experiment all` leaves the experiment out."""
    smallest: int
    """The value at which the cost is measured."""
    rows: Callable[[int], int]
    """How many rows a value of the option makes."""
    account: str
    """`module:function` that makes an `Account` of a `KeptRun`."""
    recognizes: Callable[[Mapping[str, Any]], bool]
    """Whether a plan's signature is this experiment's."""
    sample: tuple[str, ...] = ()
    """Options that make the run by which the cost is measured a part of it, where the smallest size takes long."""
    sample_apart: bool = False
    """Whether that run is none of the full one's, and has a folder of its own."""
    sample_cost: float = 1.0
    """What a row of that run costs, where one of the full run costs 1."""
    needs_games: bool = False
    """Whether the command reads games by `--from`."""
    step: int = 1
    """What the value must be a multiple of."""
    line_costs: tuple[float, ...] = ()
    """How many times as long as a row of the sample one of each line takes, by its place; none = all alike."""
    work: Callable[[int], float] | None = None
    """How many rows of the sample take as long as a value of the option does; None = as many as it makes."""

    @property
    def full_size(self) -> str:
        """Return the full size in words."""
        return f"{self.rows(self.full):,} {self.unit}"

    @property
    def command(self) -> str:
        """Return the command at full size."""
        source = " --from GAMES" if self.needs_games else ""
        return f"miai experiment {' '.join(self.words)} {self.option} {self.full}{source}"

    def work_of(self, value: int) -> float:
        """Return how many rows of the sample take as long as a value of the option does."""
        return self.work(value) if self.work else float(self.rows(value))

    def account_of(self, run: KeptRun) -> Account:
        """Return what a run came to."""
        module, _, function = self.account.partition(":")
        found: Account = getattr(importlib.import_module(module), function)(run)
        return found


def is_experiment(name: str) -> Callable[[Mapping[str, Any]], bool]:
    """Return what recognizes signatures that name their experiment."""
    return lambda signature: signature.get("experiment") == name


def read_run(folder: Path) -> KeptRun | None:
    """Return what a folder keeps of a run: `plan.json`, with `pieces.npz` or files in `pieces`, or both.

    None if there is no plan or no whole piece.

    Raises:
        ValueError: if a file cannot be read.
    """
    path = folder / "plan.json"
    if not path.is_file():
        return None
    try:
        signature = json.loads(path.read_text())
    except (OSError, ValueError):
        raise ValueError(f"{path} is not readable") from None
    found = load_pieces(folder)
    if not found or not isinstance(signature, dict):
        return None
    pieces = tuple(sorted(found))
    names = found[pieces[0]]
    return KeptRun(
        folder, signature, pieces, {name: np.concatenate([found[piece][name] for piece in pieces]) for name in names}
    )


def command_line(name: str, options: Mapping[str, tuple[object, object]]) -> str:
    """Return the command that makes a run.

    Args:
        name: of the experiment's command.
        options: by name the value and the default; a tuple as value is repeated; what is at its default is left out.
    """
    words = ["miai", "experiment", name]
    for option, (value, default) in options.items():
        if value == default or value is None:
            continue
        for one in value if isinstance(value, tuple) else (value,):
            words += [option, f"{one:.12g}" if isinstance(one, float) else str(one)]
    return " ".join(words)


def commands_of_lines(
    name: str,
    option: str,
    games: Mapping[str, int],
    default: Sequence[str],
    options: Mapping[str, tuple[object, object]],
) -> str:
    """Return the commands that make a run whose lines had different numbers of games, a line each.

    Args:
        name: of the experiment's command.
        option: that chooses a line.
        games: what `--games` must be for each line that was played, in order.
        default: the lines that are played unless some are chosen.
        options: the others, see `command_line`; `--games` among them says its default.
    """
    commands = []
    for number in dict.fromkeys(games.values()):
        lines = tuple(line for line, one in games.items() if one == number)
        told = {option: (() if lines == tuple(default) else lines, ()), **options}
        commands.append(command_line(name, told | {"--games": (number, options["--games"][1])}))
    return "\n".join(commands)


def rows_of_lines(results: Results, names: Sequence[str]) -> dict[str, int]:
    """Return how many rows each line has that has any, by its name, in the order of the names."""
    rows = np.bincount(results["line"], minlength=len(names))
    return {name: int(number) for name, number in zip(names, rows, strict=True) if number}
