"""Files that appear in full or not at all, and folders that nothing is left of if nothing came of them (no numba)."""

import contextlib
import errno
import io
import os
import re
import shutil
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

_PART = re.compile(r"\.[a-z]+-\d+-[0-9a-f]+\.part")


def write_file(path: str | os.PathLike[str], content: bytes | str) -> None:
    """Write a file in full or not at all, text as UTF-8; when this returns it is on the disk.

    Links are followed; a file that is replaced keeps its mode.

    Raises:
        OSError: with a `strerror` and the path as given, if it cannot be written, is write-protected or is no regular
            file; what was there before still is.
    """
    with _part_of(path, content.encode() if isinstance(content, str) else content) as (part, target):
        os.replace(part, target)
    sync_folder(target.parent)


def check_writable(path: str | os.PathLike[str]) -> None:
    """Find out whether `write_file` could write a file, which stays as it is.

    Raises:
        OSError: as `write_file`.
    """
    with _part_of(path, b""):
        pass


@contextlib.contextmanager
def _part_of(path: str | os.PathLike[str], content: bytes) -> Iterator[tuple[Path, Path]]:
    """Yield a temporary file with the content and the file that it is to become; errors name that as it was asked for.

    Raises:
        OSError: as `write_file`.
    """
    try:
        target = Path(os.path.realpath(path))
        with part_file(target.parent, content, _mode_of(target)) as part:
            yield part, target
    except ValueError as error:  # a null byte in the name
        raise OSError(errno.EINVAL, str(error), os.fspath(path)) from None
    except OSError as error:
        raise OSError(error.errno, error.strerror, os.fspath(path)) from error


def _mode_of(target: Path) -> int | None:
    """Return the mode of a file that may be replaced, None if there is none."""
    try:
        mode = target.stat().st_mode
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(mode):
        raise OSError(errno.EINVAL, "it is no regular file", str(target))
    if not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(target))
    return stat.S_IMODE(mode)


def save_figure(figure: Any, path: Path, **how: Any) -> None:
    """Write a matplotlib figure as `write_file` does; `how` goes to its `savefig`."""
    content = io.BytesIO()
    figure.savefig(content, format=path.suffix[1:], **how)
    write_file(path, content.getvalue())


@contextlib.contextmanager
def part_file(folder: Path, content: bytes, mode: int | None = None) -> Iterator[Path]:
    """Write content, on the disk, to a temporary file, which is gone after the block if that has not renamed it.

    Args:
        folder: where; `remove_leftovers` removes what a kill leaves there.
        content: of the file.
        mode: of the file; None = that of new files.
    """
    part = folder / f".miai-{os.getpid()}-{os.urandom(4).hex()}.part"
    try:
        with open(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666 if mode is None else mode), "wb") as file:
            if mode is not None:
                os.chmod(part, mode)
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        yield part
    finally:
        part.unlink(missing_ok=True)


def sync_folder(folder: Path) -> None:
    """Bring new names in a folder to the disk where the system allows it; Windows does not."""
    if os.name != "posix":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def remove_leftovers(folder: Path) -> None:
    """Remove the temporary files that killed writers left; nobody may be writing to the folder."""
    for path in folder.glob(".*.part"):
        if _PART.fullmatch(path.name):
            path.unlink(missing_ok=True)


@contextlib.contextmanager
def discard_if_failed(folder: Path, *results: str) -> Iterator[None]:
    """Remove what the block makes in a folder if it fails before there are results, and all folders that it made.

    Args:
        folder: stays as it is if there was anything in it before, or another process holds a lock (`*.lock`) below it;
            stays empty if it was empty.
        results: patterns of files anywhere below it; one that is not empty is a result.
    """
    new = [one for one in (folder, *folder.parents) if not one.exists()]
    was_empty = bool(new) or (folder.is_dir() and not any(folder.iterdir()))
    try:
        yield
    except Exception:
        if was_empty and not _is_in_use(folder) and not _holds(folder, results):
            _empty_folder(folder)
            with contextlib.suppress(OSError):
                for made in new:
                    made.rmdir()
        raise


def _holds(folder: Path, patterns: Iterable[str]) -> bool:
    """Tell whether there is a file of one of the patterns below a folder that is not empty."""
    return any(file.stat().st_size for pattern in patterns for file in folder.rglob(pattern))


def _is_in_use(folder: Path) -> bool:
    """Tell whether somebody holds a lock below a folder."""
    for path in folder.rglob("*.lock"):
        lock = FileLock(path, timeout=0)
        try:
            lock.acquire()
        except Timeout:
            return True
        lock.release()
    return False


def _empty_folder(folder: Path) -> None:
    """Remove what is in a folder, as far as that is allowed."""
    with contextlib.suppress(OSError):
        for path in folder.iterdir():
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink()
