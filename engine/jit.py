"""The one place that decorates and caches compiled functions.

`compiled` is `numba.njit` with a disk cache that can be trusted:

* The cache folder is keyed by a hash of every source file that may be compiled and by the flags that
  change the generated code. numba itself notices an edited function, but neither an edited callee in
  another file nor `NUMBA_BOUNDSCHECK`.
* Each dispatcher gets an identity made of its module, name, source and the identities of what it closes
  over. numba's own is random, so a function that closes over (or is passed) another compiled function
  would miss the cache in every process. `Dispatcher._set_uuid` is private to numba: the pinned range in
  pyproject.toml and `tests/test_jit.py` guard it.
"""

import hashlib
import inspect
import os
import sys
from pathlib import Path
from typing import Any, Callable, TypeVar, cast

import platformdirs

_COMPILED_PACKAGES = ("engine", "playouts", "nets")
_FLAGS = ("NUMBA_BOUNDSCHECK", "NUMBA_OPT", "NUMBA_CPU_NAME", "NUMBA_DEBUG")

Function = TypeVar("Function", bound=Callable[..., Any])


def _source_hash() -> str:
    digest = hashlib.sha256()
    root = Path(__file__).resolve().parent.parent
    for package in _COMPILED_PACKAGES:
        for path in sorted((root / package).rglob("*.py")):
            digest.update(str(path.relative_to(root)).encode())
            digest.update(path.read_bytes())
    for flag in _FLAGS:
        digest.update(f"{flag}={os.environ.get(flag, '')}".encode())
    return digest.hexdigest()[:16]


def _choose_cache_folder() -> Path:
    """Return the folder for compiled code, `$MIAI_CACHE_DIR` or the user's cache, one subfolder a source state."""
    base = os.environ.get("MIAI_CACHE_DIR") or platformdirs.user_cache_dir("miai")
    return Path(base) / f"compiled-{_source_hash()}"


CACHE_FOLDER = _choose_cache_folder()
"""Where this process finds and stores its compiled code."""

os.environ["NUMBA_CACHE_DIR"] = str(CACHE_FOLDER)

import numba  # noqa: E402  (must see the cache folder)
from numba.core.dispatcher import Dispatcher  # noqa: E402

numba.config.CACHE_DIR = str(CACHE_FOLDER)


def identity_of(part: Any) -> str:
    """Return a text that is equal in two processes exactly if `part` means the same to compiled code."""
    if isinstance(part, Dispatcher):
        return str(part._uuid)
    if isinstance(part, tuple):
        return f"{type(part).__name__}({','.join(identity_of(item) for item in part)})"
    if part is None or isinstance(part, (bool, int, float, str)):
        return repr(part)
    if inspect.isroutine(part) or inspect.isclass(part):
        return f"{part.__module__}.{part.__qualname__}"
    raise TypeError(f"a compiled function closes over {part!r}, which has no stable identity")


def _stable_identity(function: Callable[..., Any]) -> str:
    cells = [cell.cell_contents for cell in function.__closure__ or ()]
    text = "\n".join(
        [function.__module__, function.__qualname__, inspect.getsource(function), *map(identity_of, cells)]
    )
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def compiled(function: Function) -> Function:
    """Compile `function` with numba: cached on disk, without the interpreter lock, inlinable by its callers.

    The Python original stays reachable as `.py_func`.
    """
    dispatcher = numba.njit(cache=True, nogil=True, error_model="numpy")(function)
    dispatcher._set_uuid(_stable_identity(function))
    return cast(Function, dispatcher)


def cache_is_warm() -> bool:
    """Tell whether this source state was compiled before on this machine."""
    return (CACHE_FOLDER / "warm").exists()


def mark_cache_warm() -> None:
    """Record that all entrances of this source state have been compiled."""
    CACHE_FOLDER.mkdir(parents=True, exist_ok=True)
    (CACHE_FOLDER / "warm").touch()


def report(text: str) -> None:
    """Write a line about compiling to stderr, where it disturbs no protocol."""
    print(text, file=sys.stderr, flush=True)
