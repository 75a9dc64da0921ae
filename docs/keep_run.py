"""Keep the raw results of an experiment in results/papers, where a later run extends them.

    python docs/keep_run.py FOLDER NAME

`miai experiment … --output results/papers/NAME` goes on from what is kept; the same command with this folder adds its
new pieces. Nothing that is kept is dropped: of another run of the same plan only the pieces that are not kept yet, or
that have more rows, are added.
"""

import json
import shutil
import sys
from pathlib import Path

from miai.experiments.fernando_muller.annotations import FOLDER
from miai.experiments.fernando_muller.policy_errors import SEARCHES
from miai.experiments.running.pieces import differences, lock_run, pack_file, pack_pieces
from miai.tuning.points import POINTS_FILE, KeptPoints

KEPT = Path(__file__).resolve().parents[1] / "results" / "papers"


def keep_run(folder: Path, name: str) -> int:
    """Add the pieces of a run, its plan, a tuning's points, annotated positions and searches to results/papers/NAME.

    Returns:
        how many pieces are kept then.

    Raises:
        ValueError: if there are none, or others are kept under this name.
    """
    target = KEPT / name
    plan = (folder / "plan.json").read_text()
    with lock_run(target):
        _check_plan(target, plan)
        _keep_points(folder, target)
        number = _keep_pieces(folder, target, plan)
        for searches in sorted((folder / SEARCHES).glob("*/plan.json")):
            _keep_pieces(searches.parent, target / SEARCHES / searches.parent.name, searches.read_text())
        if folder.resolve() != target:
            for path in sorted((folder / FOLDER).glob("*.sgf")):
                if not (copy := target / FOLDER / path.name).exists():
                    copy.parent.mkdir(exist_ok=True)
                    shutil.copy(path, copy)
    return number


def _keep_points(folder: Path, target: Path) -> None:
    """Keep points and optima of a tuning, if it is one; raises ValueError if others are kept: the pieces would mix."""
    if not (file := folder / POINTS_FILE).exists():
        return
    kept, found = target / POINTS_FILE, json.loads(file.read_text())
    if kept.exists():
        before = json.loads(kept.read_text())
        points, optima = found["points"], before["optima"] | found["optima"]
        if before["points"][: len(points)] != points[: len(before["points"])]:
            raise ValueError(f"{target} has other points than {folder}")
        if optima != found["optima"] | before["optima"]:
            raise ValueError(f"{target} has another optimum than {folder}")
        found = {"points": max(points, before["points"], key=len), "optima": optima}
    target.mkdir(parents=True, exist_ok=True)
    KeptPoints(**found).write(target)


def _check_plan(target: Path, plan: str) -> None:
    """Raise ValueError if the runs kept there are of another plan."""
    kept = target / "plan.json"
    if kept.exists() and (names := differences(json.loads(kept.read_text()), json.loads(plan))):
        raise ValueError(f"{target} holds another experiment ({', '.join(names)} differ)")


def _keep_pieces(folder: Path, target: Path, plan: str) -> int:
    _check_plan(target, plan)
    kept = target / "plan.json"
    target.mkdir(parents=True, exist_ok=True)
    number = pack_pieces(folder, pack_file(target))
    if not kept.exists():
        kept.write_text(plan)
    if folder.resolve() == target:
        shutil.rmtree(folder / "pieces", ignore_errors=True)
    return number


if __name__ == "__main__":
    try:
        print(f"{keep_run(Path(sys.argv[1]), sys.argv[2])} pieces kept")
    except (IndexError, OSError, ValueError) as error:
        sys.exit(f"{error}\n\n{__doc__}")
