"""Pieces of an experiment: whoever does them, the results are the same; a kill loses nothing that was done."""

import json
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from miai.engine.go.game import Game
from miai.engine.go.rules import RULES
from miai.engine.go.sgf import save_game
from miai.experiments.fernando_muller.blunder_runs import play_policy
from miai.experiments.fernando_muller.mcts_of_policies import PAPERS_READING
from miai.experiments.fernando_muller.policy_matches import PolicyMatchPlan
from miai.experiments.jones.tree_runs import TreePlan, read_contestant
from miai.experiments.li_lim.backup_matches import BackupMatchPlan
from miai.experiments.running.pieces import (
    ExperimentPlan,
    Results,
    check_folder,
    is_done,
    load_results,
    pack_file,
    pack_pieces,
    piece_file,
)
from miai.experiments.running.progress import run_with_bar
from miai.experiments.running.workers import LocalPieceWorkers, PiecesFailed, make_workers
from miai.match import contestants
from miai.players.options import PlayerOptions

ROOT = Path(__file__).parents[2]
PLAN = TreePlan("C", 16, 30, (read_contestant("esprit", "C"),), 0)
POLICIES = PolicyMatchPlan(("no_ad", "R"), "fuego1585", 4, 4, 6.5, "twogtp", PAPERS_READING, 0)

BACKUPS = BackupMatchPlan(
    size=9,
    lines=("gay:standard", "monotone-1:standard"),
    net="li-lim",
    backend=None,
    games=2,
    simulations=2,
    visits=5000,
    values="unit",
    erwa="erwa-normalized",
    parameters=(),
    komi=7.0,
    resign_below=0.05,
    counting="twogtp",
    together=1,
    seed=0,
)


def _results(plan: ExperimentPlan, folder: Path, workers: str, parallel: int = 1) -> dict[str, list]:
    run_with_bar(plan, folder, make_workers(workers, parallel), "row")
    return {name: rows.tolist() for name, rows in load_results(plan, folder).items() if name != "seconds"}


def test_several_processes_do_what_one_does(tmp_path: Path) -> None:
    assert _results(PLAN, tmp_path / "one", "local") == _results(PLAN, tmp_path / "two", "local", 2)
    seconds = load_results(PLAN, tmp_path / "two")["seconds"]
    assert seconds.shape == (30,) and (seconds > 0.0).all()


@pytest.mark.slow
@pytest.mark.parametrize("plan", [PLAN, POLICIES, BACKUPS], ids=["trees", "policies", "backups-go"])
def test_a_ray_cluster_does_what_one_process_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, plan: ExperimentPlan
) -> None:
    pytest.importorskip("ray")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    assert _results(plan, tmp_path / "one", "local") == _results(plan, tmp_path / "ray", "ray:local")


def test_processes_let_go_of_a_network_that_the_driver_has_used(tmp_path: Path) -> None:
    """The driver does the first piece; the processes go from line to line, each with a network of its own."""
    assert _results(BACKUPS, tmp_path / "one", "local") == _results(BACKUPS, tmp_path / "two", "local", 2)


@dataclass(frozen=True)
class Chosen:
    """Some of six pieces of a row each."""

    pieces: tuple[int, ...]
    num_pieces: int = 6

    def rows_of(self, piece: int) -> int:
        return int(piece in self.pieces)

    def run_piece(self, piece: int) -> Results:
        return {"piece": np.array([piece])}

    def signature(self) -> dict[str, Any]:
        return {}


def test_the_processes_wait_for_the_first_piece_of_a_folder_alone(tmp_path: Path) -> None:
    given: list[list[int]] = []

    class Recorder(LocalPieceWorkers):
        def run(self, plan: ExperimentPlan, pieces: Sequence[int]) -> Iterator[tuple[int, Results]]:
            given.append(list(pieces))
            return super().run(plan, pieces)

    for pieces in ((0, 1, 2), (3, 4, 5)):
        run_with_bar(Chosen(pieces), tmp_path, Recorder(1), "row")
    assert given == [[1, 2], [3, 4, 5]]
    assert load_results(Chosen(tuple(range(6))), tmp_path)["piece"].tolist() == [*range(6)]


def test_workers_that_there_are_not_are_named() -> None:
    with pytest.raises(ValueError, match="'gpu' is not allowed .allowed: local, ray, ray:ADDRESS"):
        make_workers("gpu", 1)
    pytest.importorskip("ray")
    with pytest.raises(PiecesFailed, match="no Ray cluster|cannot connect to a Ray cluster at 'auto'"):
        make_workers("ray", 1)


def test_a_folder_of_another_experiment_is_refused_by_what_differs(tmp_path: Path) -> None:
    check_folder(PLAN, tmp_path)
    check_folder(PLAN, tmp_path)
    other = TreePlan("C", 32, 30, PLAN.contestants, 0)
    with pytest.raises(ValueError, match="holds another experiment .playouts differ."):
        check_folder(other, tmp_path)
    (tmp_path / "plan.json").write_text("{")
    with pytest.raises(ValueError, match="plan.json is not readable; choose another --output"):
        check_folder(PLAN, tmp_path)


def test_a_folder_from_before_a_player_learned_an_option_is_of_the_same_experiment(tmp_path: Path) -> None:
    players = [contestants.read_contestant(text) for text in ("fuego:simulations=50", "gnugo")]
    plan: Any = SimpleNamespace(signature=lambda: {"players": {"A": [player.describe() for player in players]}})
    check_folder(plan, tmp_path)
    kept = json.loads((tmp_path / "plan.json").read_text())
    options = kept["players"]["A"][0]["miai"]
    assert options.pop("early_stop") == PlayerOptions().early_stop
    (tmp_path / "plan.json").write_text(json.dumps(kept))
    check_folder(plan, tmp_path)
    options["early_stop"] = not PlayerOptions().early_stop
    (tmp_path / "plan.json").write_text(json.dumps(kept))
    with pytest.raises(ValueError, match="holds another experiment .players differ."):
        check_folder(plan, tmp_path)


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "killpg"), reason="kills a process group")
@pytest.mark.parametrize(
    "arguments",
    [
        ("trees", "--trees", "60", "--playouts", "16"),
        ("policies", "--policy", "F", "--policy", "R", "--games", "16", "--simulations", "2"),
        (
            *("backups-go", "--line", "gay:standard", "--games", "8", "--simulations", "2"),
            *("--together", "1", "--counting", "twogtp"),
        ),
        ("blunders", "--policy", "F", "--games", "6", "--simulations", "2"),
        ("esprit", "--line", "puct-100", "--games", "12", "--simulations", "2"),
        ("fair-komi", "--from", "games", "--positions", "6", "--simulations", "2", "--search", "1"),
    ],
    ids=lambda arguments: arguments[0],
)
def test_an_experiment_goes_on_after_kills_and_its_processes_end_with_it(
    tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    folder = tmp_path / "out"
    (tmp_path / "games").mkdir()
    for number in range(6):
        game = Game(9, 7.0, RULES["chinese"])
        for move in play_policy("fuego", (number,)):
            game.play(game.to_play, move)
        save_game(game, tmp_path / "games" / f"{number}.sgf")
    arguments = tuple(str(tmp_path / "games") if word == "games" else word for word in arguments)
    command = [sys.executable, "-m", "miai", "experiment", *arguments, "--parallel", "2", "--output", str(folder)]
    for wanted in (1, 3):
        process = subprocess.Popen(command, cwd=ROOT, start_new_session=True, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + 300.0
        while process.poll() is None and len(list(folder.glob("pieces/*.npz"))) < wanted:
            assert time.monotonic() < deadline
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)  # the driver alone
        process.wait()
        _wait_until_gone(process.pid)
    kept = {path: path.stat().st_mtime_ns for path in folder.glob("pieces/*.npz")}
    assert len(kept) >= 3
    finished = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert finished.returncode == 0, finished.stderr
    assert {path: path.stat().st_mtime_ns for path in kept} == kept
    assert (folder / "table.md").exists() and not list(folder.rglob("*.part"))
    again = tmp_path / "again"
    undisturbed = subprocess.run([*command[:-1], str(again)], cwd=ROOT, capture_output=True, text=True)
    assert undisturbed.returncode == 0, undisturbed.stderr
    for path in sorted(again.glob("pieces/*.npz")):
        with np.load(path) as one, np.load(piece_file(folder, int(path.stem))) as other:
            assert one.files == other.files
            for name in set(one.files) - {"seconds", "thinking"}:
                np.testing.assert_array_equal(one[name], other[name])


def _wait_until_gone(group: int) -> None:
    """Wait until no process of the group is left."""
    deadline = time.monotonic() + 60.0
    while time.monotonic() < deadline:
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return
        time.sleep(0.05)
    raise AssertionError("processes of a killed experiment are still there")


@dataclass(frozen=True)
class _Deadly(TreePlan):
    """A plan whose pieces kill the process that does them."""

    def run_piece(self, piece: int) -> Results:
        os._exit(9)


@dataclass(frozen=True)
class _Slow(TreePlan):
    """A plan whose second piece takes long, and then says so in a file."""

    file: str = ""

    def run_piece(self, piece: int) -> Results:
        if piece == 1:
            time.sleep(30.0)
            Path(self.file).touch()
        return {}


def test_a_run_that_is_left_does_not_wait_for_its_pieces(tmp_path: Path) -> None:
    file = tmp_path / "finished"
    running = LocalPieceWorkers(2).run(_Slow("C", 16, 30, PLAN.contestants, 0, file=str(file)), [0, 1])
    assert next(running)[0] == 0
    running.close()  # type: ignore[attr-defined]
    assert not file.exists() and not multiprocessing.active_children()


def test_a_process_that_is_killed_ends_the_run_in_a_line() -> None:
    with pytest.raises(PiecesFailed, match="a process was killed, .* goes on"):
        list(LocalPieceWorkers(2).run(_Deadly("C", 16, 30, PLAN.contestants, 0), [0, 1, 2]))


def test_a_piece_that_fails_ends_the_run_with_its_error(tmp_path: Path) -> None:
    broken = TreePlan("no such test", 16, 30, PLAN.contestants, 0)
    with pytest.raises(KeyError, match="no such test"):
        list(LocalPieceWorkers(2).run(broken, [0, 1]))


def test_a_packed_run_goes_on_as_one_of_pieces_does(tmp_path: Path) -> None:
    few, many = (TreePlan("C", 16, number, PLAN.contestants, 0) for number in (12, 25))
    whole = _results(many, tmp_path / "whole", "local")
    _results(few, tmp_path / "loose", "local")
    packed = tmp_path / "packed"
    check_folder(few, packed)
    assert pack_pieces(tmp_path / "loose", pack_file(packed)) == 2
    assert load_results(few, packed).keys() == load_results(few, tmp_path / "loose").keys()
    kept = pack_file(packed).stat().st_mtime_ns
    assert is_done(many, packed, 0) and not is_done(many, packed, 1)  # the second had 2 of 10 rows
    assert _results(many, packed, "local") == whole
    assert pack_file(packed).stat().st_mtime_ns == kept and len(list((packed / "pieces").iterdir())) == 2
    assert pack_pieces(packed, pack_file(packed)) == 3
    for path in (packed / "pieces").iterdir():
        path.unlink()
    assert _results(many, packed, "local") == whole and not list((packed / "pieces").iterdir())


def test_a_pack_that_is_cut_short_is_named(tmp_path: Path) -> None:
    _results(PLAN, tmp_path, "local")
    pack_pieces(tmp_path, pack_file(tmp_path))
    piece_file(tmp_path, 0).unlink()
    pack_file(tmp_path).write_bytes(pack_file(tmp_path).read_bytes()[:400])
    with pytest.raises(ValueError, match="pieces.npz is not readable; choose another --output"):
        is_done(PLAN, tmp_path, 0)
    with pytest.raises(ValueError, match="has no results of an experiment"):
        pack_pieces(tmp_path / "nothing", pack_file(tmp_path))
