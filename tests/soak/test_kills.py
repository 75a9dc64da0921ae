"""Self-play, the loop, its rating phase, a match and an experiment under `kill -9` of all their processes, at random
moments and many times.

What was finished before a kill is there after it, byte for byte, and the run that is left alone in the end is complete.
`MIAI_KILLS=100 pytest -m slow tests/soak/test_kills.py -s` kills so often in all, and shows its counts.
"""

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

pytest.importorskip("torch")

from miai.engine.go.sgf import load_game
from miai.experiments.running.pieces import load_pieces, piece_file
from miai.match.results import GameResult
from miai.nets.net_files import load_weights
from miai.selfplay.data.format import game_files, read_games
from miai.selfplay.data.sgf import game_of_record
from miai.selfplay.generation.game import game_seed
from miai.selfplay.loop.journal import Journal
from miai.selfplay.training.checkpoints import checkpoint_files, read_checkpoint

pytestmark = [pytest.mark.slow, pytest.mark.skipif(not hasattr(os, "killpg"), reason="kills a process group")]

ROOT = Path(__file__).parents[2]
KILLS = int(os.environ.get("MIAI_KILLS", "15"))
PATIENCE = 600.0
"""Seconds without a new file after which a run counts as hanging."""
SELFPLAY = ("selfplay", *("--size", "5", "--simulations", "12", "--fast-simulations", "4", "--processes", "2"))
LOOP = (
    *("loop", "--size", "5", "--komi", "24.5", "--blocks", "1", "--filters", "4", "--simulations", "4", "--batch", "1"),
    *("--teacher", "fuego:simulations=8", "--teacher-games", "6", "--games", "4", "--processes", "2"),
    *("--rate-every", "2", "--rate-games", "4", "--rate-simulations", "2", "--opening-window", "0", "1"),
    *("--opponent", "fuego:simulations=2"),
)
MATCH = (
    *(
        "match",
        "fuego:simulations=100",
        "uct-random:simulations=400",
        "--size",
        "5",
        "--komi",
        "24.5",
        "--parallel",
        "2",
    ),
    *("--openings", "none"),
)
EXPERIMENT = ("experiment", "policies", "--policy", "F", "--policy", "R", "--simulations", "2", "--parallel", "2")
KINDS = ("game", "network", "result", "journal", "piece")
NUM_TESTS = 5
"""That share the kills."""


class Run:
    """A command in a folder, as a process group of its own."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        self.folder = folder
        self._log = folder.with_suffix(".log")
        program = [sys.executable, "-m", "miai.cli.main", *arguments, "--output", str(folder)]
        environment = os.environ | {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
        with open(self._log, "wb") as log:
            self._process = subprocess.Popen(
                program, cwd=ROOT, env=environment, stdout=log, stderr=log, start_new_session=True
            )

    def kill(self) -> None:
        """Kill all its processes at once."""
        assert self._process.poll() is None, self.log
        os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def wait_for(self, pattern: str) -> None:
        """Wait until the files with such names are others than now."""
        before, deadline = self._sizes(pattern), time.monotonic() + PATIENCE
        while self._process.poll() is None and self._sizes(pattern) == before:
            assert time.monotonic() < deadline, self.log
            time.sleep(0.01)

    def finish(self) -> None:
        """Wait for its end, which is to be a good one."""
        assert self._process.wait() == 0, self.log

    def _sizes(self, pattern: str) -> dict[Path, int]:
        sizes = {}
        for path in self.folder.glob(pattern):
            try:
                sizes[path] = path.stat().st_size
            except FileNotFoundError:
                continue
        return sizes

    @property
    def log(self) -> str:
        return self._log.read_text(errors="replace")[-3000:]


def games_in(folder: Path) -> Iterator[tuple[int, bytes]]:
    """Return seed and moves of each finished game, also of those that wait; every file is whole."""
    for path in (*game_files(folder), *game_files(folder / "waiting")):
        for game in read_games(path).records():
            game_of_record(game)  # raises for an illegal move
            yield game.seed, bytes(game.moves)


def results_in(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Return pairing and number of each finished rating game, and its line."""
    for path in folder.rglob("results.jsonl"):
        for line in path.read_bytes().split(b"\n")[:-1]:
            yield f"{path.parent.name} {GameResult.from_line(line.decode()).number}", line


def pieces_in(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Return each finished piece of an experiment; every file is whole."""
    for number, rows in load_pieces(folder).items():
        assert rows
        yield str(number), piece_file(folder, number).read_bytes()


def finished(folder: Path) -> dict[str, bytes]:
    """Return all that a kill may not take, by name; every file is whole."""
    kept = {f"game {seed}": moves for seed, moves in (*games_in(folder), *games_in(folder / "games"))}
    kept |= {f"result {name}": line for name, line in results_in(folder)}
    kept |= {f"piece {name}": content for name, content in pieces_in(folder)}
    for path in sorted(folder.glob("training/nets/*.safetensors")):
        load_weights(path)
        kept[f"network {path.name}"] = path.read_bytes()
    for path in checkpoint_files(folder / "training" / "checkpoints"):
        read_checkpoint(path)
    for entry in Journal(folder / "journal.jsonl").entries:
        kept[f"journal {entry.version}"] = json.dumps(entry.losses).encode()
    return kept


def count(kept: dict[str, bytes], kind: str) -> int:
    return sum(name.startswith(kind) for name in kept)


def kill_again_and_again(start: Callable[[], Run], moments: dict[str, float], kills: int, rng: random.Random) -> None:
    """Start a run and kill it; nothing that was finished before may be lost or changed.

    Args:
        start: the run.
        moments: for patterns of files, the longest time in seconds from a change of such files to the kill. Of an empty
            pattern, from the start.
        kills: how many.
        rng: decides the moments.
    """
    kept: dict[str, bytes] = {}
    for number in range(1, kills + 1):
        pattern = rng.choice(list(moments))
        run = start()
        try:
            if pattern:
                run.wait_for(pattern)
            time.sleep(rng.uniform(0.0, moments[pattern]))
        finally:
            run.kill()
        now = finished(run.folder)
        lost = sorted(kept.items() - now.items())
        assert not lost, f"kill {number}, after {pattern!r}: {lost[:3]}"
        kinds = {kind: (count(kept, kind), count(now, kind)) for kind in KINDS}
        shown = ", ".join(f"{kind} {before} -> {after}" for kind, (before, after) in kinds.items() if after)
        print(f"kill {number} after {pattern or 'the start'}: {shown}", flush=True)
        kept = now


def leftovers(folder: Path) -> list[str]:
    """Return files that writers did not finish."""
    return [
        str(path) for path in folder.rglob("*") if path.name.endswith((".part", ".tmp")) or ".safetensors." in path.name
    ]


def test_selfplay_killed_at_random_loses_and_doubles_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "games"
    kill_again_and_again(
        lambda: Run(folder, *SELFPLAY, "--games", "1000000", "--sgf-every", "3"),
        {"": 6.0, "waiting/*.npz": 0.5, "games-*.npz": 0.2, "sgf/*": 0.1},
        KILLS // NUM_TESTS,
        random.Random(1),
    )
    before = {seed for seed, _ in games_in(folder)}
    numbers = next(number for number in range(1_000_000) if game_seed(1, number) not in before) + 20
    Run(folder, *SELFPLAY, "--games", str(numbers), "--sgf-every", "3").finish()
    seeds = [seed for seed, _ in games_in(folder)]
    assert len(seeds) == len(set(seeds))
    assert set(seeds) == before | {game_seed(1, number) for number in range(numbers)}
    assert not leftovers(folder) and not list((folder / "waiting").iterdir())
    for path in (folder / "sgf").iterdir():
        load_game(path)
    print(f"{len(before)} games before the last start, {len(seeds)} after it")


@pytest.mark.parametrize(
    ("phase", "moments", "seed"),
    [
        ("any", {"": 12.0, "games/waiting/*": 1.0, "training/*/*.safetensors": 0.2, "ratings/*/results.jsonl": 1.0}, 2),
        ("rating", {"ratings/*/results.jsonl": 1.0, "ratings/*": 2.0, "ratings/*/games/*": 0.05, "": 12.0}, 3),
    ],
)
def test_a_loop_killed_at_random_is_complete_in_the_end(
    tmp_path: Path, phase: str, moments: dict[str, float], seed: int
) -> None:
    folder = tmp_path / "loop"
    kill_again_and_again(
        lambda: Run(folder, *LOOP, "--networks", "1000"),
        moments,
        KILLS // NUM_TESTS + (KILLS % NUM_TESTS if phase == "any" else 0),
        random.Random(seed),
    )
    before = finished(folder)
    networks = count(before, "network") // 2 * 2 + 2
    Run(folder, *LOOP, "--networks", str(networks)).finish()
    after = finished(folder)
    assert after.items() >= before.items()
    assert not leftovers(folder)
    assert sorted(path.name for path in folder.glob("training/nets/*")) == [
        f"net-{number:06d}.safetensors" for number in range(1, networks + 1)
    ]
    versions = [game.net_version for path in game_files(folder / "games") for game in read_games(path).records()]
    assert versions.count(0) == 6 and all(versions.count(number) == 4 for number in range(1, networks))
    assert len(versions) == count(after, "game") == 6 + 4 * (networks - 1)
    assert [entry.version for entry in Journal(folder / "journal.jsonl").entries] == list(range(1, networks + 1))
    rated = networks // 2
    pairings = rated + rated - 1
    assert count(after, "result") == 4 * pairings
    assert len(list((folder / "ratings").glob("*/games/*.sgf"))) == 4 * pairings
    standings = json.loads((folder / "ratings" / "ratings.json").read_text())
    assert {one["label"] for one in standings["contestants"]} >= {f"net-{2 * i:06d}" for i in range(1, rated + 1)}
    assert f"net-{networks:06d}" in (folder / "ratings" / "ratings.md").read_text()
    print(f"{phase}: {networks} networks, {len(before)} things before the last start, {len(after)} after it")


def test_a_match_killed_at_random_is_complete_in_the_end(tmp_path: Path) -> None:
    folder = tmp_path / "match"
    kill_again_and_again(
        lambda: Run(folder, *MATCH, "--games", "100000"),
        {"": 8.0, "results.jsonl": 1.0, "games/*": 0.05},
        KILLS // NUM_TESTS,
        random.Random(4),
    )
    before = finished(folder)
    wanted = (len(before) // 2 + 10) * 2
    Run(folder, *MATCH, "--games", str(wanted)).finish()
    after = finished(folder)
    assert after.items() >= before.items()
    assert not leftovers(folder)
    numbers = [GameResult.from_line(line.decode()).number for _, line in results_in(folder)]
    assert sorted(numbers) == list(range(1, wanted + 1))
    for path in (folder / "games").iterdir():
        load_game(path)


def test_an_experiment_killed_at_random_is_complete_in_the_end(tmp_path: Path) -> None:
    folder = tmp_path / "experiment"
    kill_again_and_again(
        lambda: Run(folder, *EXPERIMENT, "--games", "100000"),
        {"": 8.0, "pieces/*": 0.3},
        KILLS // NUM_TESTS,
        random.Random(5),
    )
    before = finished(folder)
    assert before
    Run(folder, *EXPERIMENT, "--games", str(2 * len(before) + 8)).finish()
    after = finished(folder)
    assert after.items() >= before.items()
    assert not leftovers(folder)
