"""`docs/keep_run.py`: what is kept of a run stays, whatever is kept beside it."""

import json
import shutil
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from miai.experiments.catalogue import read_run
from miai.experiments.running.pieces import keep_piece, load_pieces, lock_run
from miai.match.contestants import read_contestant
from miai.tuning.points import KeptPoints, read_points
from tests.commands import load_script
from tests.experiments.test_book import keep_policies


@pytest.fixture(name="script")
def _script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    script = load_script("keep_run")
    monkeypatch.setattr(script, "KEPT", tmp_path / "kept")
    return script


def seconds_of(folder: Path) -> list[float]:
    run = read_run(folder)
    assert run is not None
    return [float(value) for value in run.results["seconds"]]


def test_a_smaller_run_of_the_same_plan_drops_nothing(tmp_path: Path, script: ModuleType) -> None:
    keep_policies(tmp_path / "long", games=16)
    keep_policies(tmp_path / "short", games=4)
    number = script.keep_run(tmp_path / "long", "policies")
    before = seconds_of(tmp_path / "kept" / "policies")
    assert script.keep_run(tmp_path / "short", "policies") == number
    assert seconds_of(tmp_path / "kept" / "policies") == before


def test_other_pieces_of_the_same_plan_are_added_in_order(tmp_path: Path, script: ModuleType) -> None:
    keep_policies(tmp_path / "all", games=16)
    shutil.copytree(tmp_path / "all", tmp_path / "some")
    pieces = sorted(load_pieces(tmp_path / "all"))
    for piece in pieces[::2]:
        (tmp_path / "some" / "pieces" / f"{piece:06d}.npz").unlink()
    assert script.keep_run(tmp_path / "some", "policies") == len(pieces) // 2
    assert script.keep_run(tmp_path / "all", "policies") == len(pieces)
    run = read_run(tmp_path / "kept" / "policies")
    assert run is not None and list(run.pieces) == pieces


def test_of_a_piece_in_both_the_longer_one_is_kept(tmp_path: Path, script: ModuleType) -> None:
    for name, rows, value in (("first", 2, 1.0), ("longer", 5, 2.0), ("same", 5, 3.0)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "plan.json").write_text("{}")
        keep_piece(tmp_path / name, 0, {"seconds": np.full(rows, value)})
    kept = []
    for name in ("first", "longer", "same", "first"):
        script.keep_run(tmp_path / name, "run")
        kept.append(seconds_of(tmp_path / "kept" / "run"))
    assert kept == [[1.0] * 2, [2.0] * 5, [2.0] * 5, [2.0] * 5]


def test_annotated_positions_that_are_kept_stay(tmp_path: Path, script: ModuleType) -> None:
    for name, files in (("many", "abc"), ("few", "ad")):
        keep_policies(tmp_path / name)
        (tmp_path / name / "annotations").mkdir()
        for file in files:
            (tmp_path / name / "annotations" / f"{file}.sgf").write_text(name)
        script.keep_run(tmp_path / name, "policies")
    found = {path.stem: path.read_text() for path in (tmp_path / "kept" / "policies" / "annotations").iterdir()}
    assert found == {"a": "many", "b": "many", "c": "many", "d": "few"}


def test_searches_of_annotated_positions_are_kept_with_them(tmp_path: Path, script: ModuleType) -> None:
    keep_policies(tmp_path / "run")
    keep_policies(tmp_path / "run" / "searches" / "0123", games=4)
    script.keep_run(tmp_path / "run", "policies")
    inner = Path("policies", "searches", "0123")
    assert seconds_of(tmp_path / "kept" / inner) == seconds_of(tmp_path / "run" / "searches" / "0123")
    assert not (tmp_path / "kept" / inner / "pieces").exists(), "packed"


def test_a_run_of_another_plan_is_refused(tmp_path: Path, script: ModuleType) -> None:
    keep_policies(tmp_path / "one")
    keep_policies(tmp_path / "other")
    (tmp_path / "other" / "plan.json").write_text("{}")
    script.keep_run(tmp_path / "one", "policies")
    with pytest.raises(ValueError, match="holds another experiment"):
        script.keep_run(tmp_path / "other", "policies")


def keep_tuning(folder: Path, points: int, optima: dict[int, tuple[float, ...]]) -> Path:
    keep_piece(folder, 0, {"seconds": np.ones(1)})
    (folder / "plan.json").write_text("{}")
    KeptPoints([(float(number),) for number in range(points)], optima).write(folder)
    return folder


def test_points_and_optima_of_a_tuning_are_added(tmp_path: Path, script: ModuleType) -> None:
    runs = [(3, {2: (1.5,)}), (3, {}), (2, {}), (5, {5: (0.5,)})]
    for number, (points, optima) in enumerate(runs):
        script.keep_run(keep_tuning(tmp_path / str(number), points, optima), "tuning")
    kept = read_points(tmp_path / "kept" / "tuning", 1)
    assert len(kept.points) == 5 and kept.optima == {2: (1.5,), 5: (0.5,)}


def test_another_optimum_or_other_points_are_refused(tmp_path: Path, script: ModuleType) -> None:
    script.keep_run(keep_tuning(tmp_path / "first", 2, {2: (1.5,)}), "tuning")
    with pytest.raises(ValueError, match="another optimum"):
        script.keep_run(keep_tuning(tmp_path / "second", 2, {2: (0.5,)}), "tuning")
    other = keep_tuning(tmp_path / "third", 2, {})
    KeptPoints([(7.0,)]).write(other)
    with pytest.raises(ValueError, match="other points"):
        script.keep_run(other, "tuning")


def test_points_are_not_kept_beside_another_experiment(tmp_path: Path, script: ModuleType) -> None:
    keep_policies(tmp_path / "one")
    script.keep_run(tmp_path / "one", "policies")
    with pytest.raises(ValueError, match="holds another experiment"):
        script.keep_run(keep_tuning(tmp_path / "tuning", 2, {}), "policies")
    assert not (tmp_path / "kept" / "policies" / "points.json").exists()


def test_a_plan_from_before_a_player_learned_an_option_is_the_same(tmp_path: Path, script: ModuleType) -> None:
    described = read_contestant("uct").describe()
    older = {"miai": {name: value for name, value in described["miai"].items() if name != "early_stop"}}
    for name, player, rows in (("old", older, 2), ("new", described, 5)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "plan.json").write_text(json.dumps({"player": player}))
        keep_piece(tmp_path / name, 0, {"seconds": np.ones(rows)})
        script.keep_run(tmp_path / name, "run")
    assert len(seconds_of(tmp_path / "kept" / "run")) == 5


def test_a_kept_run_that_goes_on_is_left_alone(tmp_path: Path, script: ModuleType) -> None:
    keep_policies(tmp_path / "kept" / "policies")
    with lock_run(tmp_path / "kept" / "policies"), pytest.raises(ValueError, match="in use by another miai"):
        script.keep_run(tmp_path / "kept" / "policies", "policies")
    assert len(list((tmp_path / "kept" / "policies" / "pieces").iterdir())) == 8


def test_what_was_run_in_its_kept_folder_is_packed(tmp_path: Path, script: ModuleType) -> None:
    keep_policies(tmp_path / "kept" / "policies")
    assert script.keep_run(tmp_path / "kept" / "policies", "policies") == 8
    assert not (tmp_path / "kept" / "policies" / "pieces").exists()
    assert len(seconds_of(tmp_path / "kept" / "policies")) == 16
