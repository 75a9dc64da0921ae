"""The points of a tuning in the order in which they were proposed, and the optimum once it is chosen: `points.json`.

Needs nothing of the extra `tune`, so that kept runs can be read without it.
"""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from miai.engine.files import write_file
from miai.match.results import MatchFolderError
from miai.tuning.search_space import Values

POINTS_FILE = "points.json"


class PublishedPoint(NamedTuple):
    """A point of a paper's."""

    name: str
    values: Values
    score: float
    """0 to 1."""


@dataclass
class KeptPoints:
    """What the file says."""

    points: list[Values] = field(default_factory=list)
    optima: dict[int, Values] = field(default_factory=dict)
    """By the number of points."""

    def write(self, folder: Path) -> None:
        """Write them into a tuning's folder."""
        content = {"points": self.points, "optima": self.optima}
        write_file(folder / POINTS_FILE, json.dumps(content) + "\n")


def read_points(folder: Path, num_parameters: int) -> KeptPoints:
    """Return the points of a tuning's folder, none if it is new.

    Raises:
        MatchFolderError: if the file cannot be read.
    """
    file = folder / POINTS_FILE
    if not file.exists():
        return KeptPoints()
    found = read_object(file)
    try:
        rows = [*found["points"], *found["optima"].values()]
        if all(len(row) == num_parameters and all(isinstance(one, (int, float)) for one in row) for row in rows):
            optima = {int(number): tuple(values) for number, values in found["optima"].items()}
            return KeptPoints([tuple(values) for values in found["points"]], optima)
    except (KeyError, TypeError, AttributeError, ValueError):
        pass
    raise MatchFolderError(f"{file} is damaged: choose another --output")


def read_object(file: Path) -> dict[str, Any]:
    """Return what a JSON file of a tuning's folder says; raises MatchFolderError if it is none."""
    try:
        found = json.loads(file.read_text())
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise MatchFolderError(f"{file} is damaged: choose another --output")
    return found
