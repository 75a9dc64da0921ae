"""A folder of games left at any instant: nothing finished is lost, nothing comes twice."""

import errno
import os
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from miai.selfplay.data.format import game_files, read_games, write_games
from miai.selfplay.data.store import GameStore, StoreError
from tests.selfplay.games_for_tests import random_game, record_of

RECORDS = [record_of(random_game(seed, size=5, num_moves=10), seed) for seed in range(8)]


class Killed(BaseException):
    """Stands for the end of the process."""


def fail(text: str) -> None:
    raise AssertionError(text)


def seeds_in(folder: Path) -> list[int]:
    return sorted(int(seed) for path in game_files(folder) for seed in read_games(path).games["seed"])


def add_all(folder: Path, on_seed: Callable[[int], None] = lambda seed: None) -> None:
    """Add whatever of RECORDS the folder lacks."""
    with GameStore(folder, fail, games_a_file=3) as store:
        for record in RECORDS:
            if record.seed not in store.seeds:
                store.add(record)
                on_seed(record.seed)
        store.finish()


def test_games_come_in_files_of_the_same_number_and_the_rest_in_a_last_one(tmp_path: Path) -> None:
    add_all(tmp_path)
    assert [len(read_games(path).games) for path in game_files(tmp_path)] == [3, 3, 2]
    assert seeds_in(tmp_path) == list(range(8))
    assert list((tmp_path / "waiting").iterdir()) == []


def test_a_kill_at_any_step_loses_no_finished_game_and_doubles_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps = 0
    deadline: int | None = None

    def dying(function: Callable[..., Any]) -> Callable[..., Any]:
        def step(*arguments: Any, **named: Any) -> Any:
            nonlocal steps
            steps += 1
            if steps == deadline:
                raise Killed
            return function(*arguments, **named)

        return step

    monkeypatch.setattr(os, "fsync", dying(os.fsync))
    monkeypatch.setattr(os, "link", dying(os.link))
    monkeypatch.setattr(Path, "unlink", dying(Path.unlink))
    add_all(tmp_path / "unharmed")
    total = steps
    assert total > 40
    for moment in range(1, total + 1):
        folder, kept = tmp_path / str(moment), list[int]()
        steps, deadline = 0, moment
        with pytest.raises(Killed):
            add_all(folder, kept.append)
        deadline = None
        with GameStore(folder, fail) as store:
            assert store.seeds >= set(kept)
        add_all(folder)
        assert seeds_in(folder) == list(range(8)), f"killed at step {moment}"
        assert sorted(path.name[:6] for path in folder.iterdir() if path.is_file() and path.name != ".lock") == [
            "games-"
        ] * len(game_files(folder))


def test_games_wait_while_the_disk_is_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    warnings: list[str] = []
    is_full = True
    fsync = os.fsync

    def fsync_or_fail(descriptor: int) -> None:
        if is_full:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", fsync_or_fail)
    with GameStore(tmp_path, warnings.append) as store:
        for record in RECORDS[:4]:
            store.add(record)
        assert warnings == [f"cannot write to {tmp_path}: No space left on device; finished games wait for room"]
        with pytest.raises(StoreError, match="4 games could not be written.*make room"):
            store.finish()
        is_full = False
        store.add(RECORDS[4])
        store.finish()
    assert seeds_in(tmp_path) == [0, 1, 2, 3, 4]
    assert list(tmp_path.rglob(".*.part")) == []


def test_a_disk_that_stays_full_ends_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    monkeypatch.setattr("miai.selfplay.data.store._MAX_IN_MEMORY", 3)
    with GameStore(tmp_path, lambda text: None) as store:
        for record in RECORDS[:3]:
            store.add(record)
        with pytest.raises(StoreError, match="4 games could not be written"):
            store.add(RECORDS[3])


def test_broken_files_are_named_and_left_out(tmp_path: Path) -> None:
    write_games(tmp_path, RECORDS[:2])
    write_games(tmp_path, RECORDS[2:3])
    (tmp_path / "games-00000001.npz").write_bytes(b"PK")
    warnings: list[str] = []
    with GameStore(tmp_path, warnings.append) as store:
        assert store.seeds == {2} and store.num_positions == 10
    assert len(warnings) == 1 and "games-00000001.npz is damaged" in warnings[0]


def test_a_changed_byte_is_noticed_wherever_it_is(tmp_path: Path) -> None:
    path = write_games(tmp_path, RECORDS[:2])
    content = bytearray(path.read_bytes())
    with zipfile.ZipFile(path) as archive:
        start = archive.getinfo("target_share.npy").header_offset
    content[start + 150] ^= 1
    path.write_bytes(content)
    warnings: list[str] = []
    with GameStore(tmp_path, warnings.append) as store:
        assert store.seeds == set()
    assert len(warnings) == 1 and "games-00000001.npz is damaged" in warnings[0]


def test_a_folder_serves_one_program_at_a_time(tmp_path: Path) -> None:
    with GameStore(tmp_path, fail), pytest.raises(StoreError, match="in use"):
        GameStore(tmp_path, fail)
    GameStore(tmp_path, fail).__exit__(None, None, None)


def test_two_writers_never_take_the_same_name(tmp_path: Path) -> None:
    root = Path(__file__).parents[2]
    code = (
        "import sys; from pathlib import Path; from miai.selfplay.data.format import write_games\n"
        "from tests.selfplay.test_store import RECORDS\n"
        "for _ in range(20): write_games(Path(sys.argv[1]), RECORDS[:1])"
    )
    writers = [subprocess.Popen([sys.executable, "-c", code, str(tmp_path)], cwd=root) for _ in range(2)]
    assert [writer.wait() for writer in writers] == [0, 0]
    assert [path.name for path in game_files(tmp_path)] == [f"games-{number:08d}.npz" for number in range(1, 41)]
    assert seeds_in(tmp_path) == [0] * 40
