"""Files that are written in full or not at all, and folders of commands that failed."""

import os
import stat
from pathlib import Path

import pytest

from miai.engine import locking
from miai.engine.files import check_writable, discard_if_failed, part_file, remove_leftovers, write_file
from miai.engine.locking import take_lock

posix = pytest.mark.skipif(os.name != "posix", reason="Windows has no such files")
not_root = pytest.mark.skipif(os.name == "posix" and os.geteuid() == 0, reason="root may write anywhere")


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_new_file_is_written_as_others_are(tmp_path: Path) -> None:
    (tmp_path / "as_usual").write_text("")
    write_file(tmp_path / "new", "ä\n")
    assert (tmp_path / "new").read_bytes() == "ä\n".encode()
    assert mode_of(tmp_path / "new") == mode_of(tmp_path / "as_usual")
    assert sorted(os.listdir(tmp_path)) == ["as_usual", "new"]


@posix
@pytest.mark.parametrize("mode", [0o600, 0o644, 0o666, 0o755])
def test_a_file_that_is_replaced_keeps_its_mode(mode: int, tmp_path: Path) -> None:
    (tmp_path / "old").write_text("old")
    (tmp_path / "old").chmod(mode)
    write_file(tmp_path / "old", b"new")
    assert (tmp_path / "old").read_bytes() == b"new"
    assert mode_of(tmp_path / "old") == mode


@posix
@pytest.mark.parametrize("there_before", [True, False])
def test_links_are_followed(there_before: bool, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    if there_before:
        (tmp_path / "folder" / "file").write_text("old")
    (tmp_path / "link").symlink_to("folder/file")
    (tmp_path / "link_to_link").symlink_to(tmp_path / "link")
    write_file(tmp_path / "link_to_link", b"new")
    assert (tmp_path / "link").is_symlink() and (tmp_path / "link_to_link").is_symlink()
    assert (tmp_path / "folder" / "file").read_bytes() == b"new"
    assert os.listdir(tmp_path / "folder") == ["file"]


@posix
def test_what_is_no_regular_file_stays_what_it_is(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to("fifo")
    before = sorted(os.listdir(tmp_path))
    for name in before:
        with pytest.raises(OSError) as caught:
            write_file(tmp_path / name, b"new")
        assert caught.value.strerror == "it is no regular file"
    with pytest.raises(OSError, match="no regular file"):
        write_file("/dev/null", b"new")
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)
    assert stat.S_ISFIFO((tmp_path / "fifo").stat().st_mode)
    assert sorted(os.listdir(tmp_path)) == before


@posix
def test_names_that_cannot_be_are_told_apart(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("old")
    (tmp_path / "loop").symlink_to("loop")
    for name, reason in (
        ("n" * 300, "File name too long"),
        ("file/below", "Not a directory"),
        ("missing/file", "No such file or directory"),
        ("null\0byte", "embedded null byte"),
        ("loop", "Too many levels of symbolic links"),
    ):
        with pytest.raises(OSError) as caught:
            write_file(tmp_path / name, b"new")
        assert caught.value.strerror and reason in caught.value.strerror
        assert caught.value.filename == str(tmp_path / name)
    write_file(tmp_path / ("n" * 255), b"as long as a name may be")
    assert sorted(os.listdir(tmp_path)) == ["file", "loop", "n" * 255]
    assert (tmp_path / "file").read_text() == "old"


def test_whether_a_file_can_be_written_is_found_out_without_writing_it(tmp_path: Path) -> None:
    (tmp_path / "old").write_text("old")
    for name in ("old", "new"):
        check_writable(tmp_path / name)
    assert os.listdir(tmp_path) == ["old"] and (tmp_path / "old").read_text() == "old"
    for path, reason in ((tmp_path / "missing" / "file", "No such file"), (tmp_path, "it is no regular file")):
        with pytest.raises(OSError, match=reason) as caught:
            check_writable(path)
        assert caught.value.filename == str(path)


def test_a_write_protected_file_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("old")
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK)  # as for everybody but root
    with pytest.raises(PermissionError, match="Permission denied"):
        write_file(tmp_path / "file", b"new")
    assert (tmp_path / "file").read_text() == "old"


@posix
@not_root
def test_a_write_protected_folder_is_told(tmp_path: Path) -> None:
    tmp_path.chmod(0o555)
    with pytest.raises(PermissionError, match="Permission denied"):
        write_file(tmp_path / "other", b"new")
    tmp_path.chmod(0o755)
    assert os.listdir(tmp_path) == []


def test_a_write_that_fails_leaves_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("old")

    def fail(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="No space left"):
        write_file(tmp_path / "file", b"new")
    assert (tmp_path / "file").read_text() == "old"
    assert os.listdir(tmp_path) == ["file"]


def test_leftovers_of_killed_writers_are_removed_and_nothing_else(tmp_path: Path) -> None:
    with part_file(tmp_path, b"half") as part:
        leftover = part.name
    others = [".mine.part", ".miai-1-xyz.part", "miai-1-ab.part", ".miai-1-ab.part.npz"]
    for name in (leftover, *others):
        (tmp_path / name).write_text("")
    remove_leftovers(tmp_path)
    assert sorted(os.listdir(tmp_path)) == sorted(others)


def test_who_locks_a_folder_finds_no_leftovers_there(tmp_path: Path) -> None:
    for name in ("games", "others"):
        (tmp_path / name).mkdir()
    for folder in (tmp_path, tmp_path / "games", tmp_path / "others"):
        (folder / ".miai-1-ab.part").write_text("half")
    lock = take_lock(tmp_path / ".lock", "games", "missing")
    assert lock is not None and take_lock(tmp_path / ".lock") is None
    assert [path.parent.name for path in tmp_path.rglob("*.part")] == ["others"]
    lock.release()


def test_a_folder_that_a_failure_leaves_without_results_is_gone(tmp_path: Path) -> None:
    with pytest.raises(ValueError), discard_if_failed(tmp_path / "a" / "b", "*.npz"):
        (tmp_path / "a" / "b" / "games").mkdir(parents=True)
        (tmp_path / "a" / "b" / "settings").write_text("anything")
        (tmp_path / "a" / "b" / "games" / "1.npz").write_text("")
        raise ValueError
    assert os.listdir(tmp_path) == []


def test_a_folder_with_results_stays_and_so_does_one_that_was_there(tmp_path: Path) -> None:
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "notes").write_text("mine")
    for name, content in (("old", ""), ("new", "result")):
        with pytest.raises(ValueError), discard_if_failed(tmp_path / name, "*.npz"):
            (tmp_path / name / "games").mkdir(parents=True)
            (tmp_path / name / "games" / "1.npz").write_text(content)
            raise ValueError
        assert (tmp_path / name / "games" / "1.npz").exists()


def test_an_empty_folder_that_was_there_is_empty_again(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(ValueError), discard_if_failed(tmp_path / "empty", "*.npz"):
        (tmp_path / "empty" / "waiting").mkdir()
        (tmp_path / "empty" / ".lock").write_text("")
        raise ValueError
    assert os.listdir(tmp_path) == ["empty"] and os.listdir(tmp_path / "empty") == []


def test_a_folder_that_another_process_took_meanwhile_stays(tmp_path: Path) -> None:
    for name in (".lock", "training.lock", "games/.lock"):
        path = tmp_path / name.replace("/", "-") / name
        with pytest.raises(ValueError), discard_if_failed(tmp_path / name.replace("/", "-"), "*.npz"):
            path.parent.mkdir(parents=True)
            lock = take_lock(path)
            raise ValueError
        assert lock is not None and path.exists()
        lock.release()


def test_more_locks_than_files_are_allowed_at_first(tmp_path: Path) -> None:
    resource = pytest.importorskip("resource")
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    open_now = len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 64
    locking._allow_many_files.cache_clear()
    resource.setrlimit(resource.RLIMIT_NOFILE, (open_now + 16, hard))
    try:
        locks = [take_lock(tmp_path / f"{number}.lock") for number in range(64)]
        assert all(locks)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    for lock in locks:
        assert lock is not None
        lock.release()


def test_a_folder_stays_if_nothing_fails_or_the_user_interrupts(tmp_path: Path) -> None:
    with discard_if_failed(tmp_path / "done", "*.npz"):
        (tmp_path / "done").mkdir()
    with pytest.raises(KeyboardInterrupt), discard_if_failed(tmp_path / "stopped", "*.npz"):
        (tmp_path / "stopped").mkdir()
        raise KeyboardInterrupt
    assert sorted(os.listdir(tmp_path)) == ["done", "stopped"]
