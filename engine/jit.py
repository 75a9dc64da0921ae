"""The one place that decorates and caches compiled functions.

`compiled` is `numba.njit` with a disk cache that can be trusted:

* The cache folder is keyed by a hash of every source file that may be compiled, by the processor, the versions of
  Python and numba and the flags that change the generated code. numba itself notices an edited function, but neither
  an edited callee in another file nor `NUMBA_BOUNDSCHECK`.
* In there each function has its place by the name of its module, so that the cache stays warm when the same sources
  are installed elsewhere. numba's own place for it is made of the path.
* Each dispatcher gets an identity made of its module, name, line, source file and the identities of what it
  closes over or calls. numba's own is random, so a function that closes over (or is passed) another compiled function
  would miss the cache in every process.
* Each compilation has symbols of its own. numba tells the compilations of one name apart by a number that counts them,
  and the types of records by a number that counts types; both begin anew in every process and go on in a forked one.
  Two processes could compile one function for two sizes of the board, or two closures of one function, under one
  symbol, and a third process that loads both calls the wrong one.
* Compiled code is stored in a file of its own every time. numba numbers the files of a function by what its index
  holds, so two processes that compile different versions at once, as two players of a match do, could each write
  the same file, and a third would run the wrong code.
* A cache that cannot be written or read is no error: what is missing is compiled in memory, and stderr says so.

What is private to numba here – `FunctionIdentity._unique_ids`, `Dispatcher._set_uuid` and `_cache`, the classes of
`numba.core.caching` and `numba.np.linalg.ensure_blas` – is guarded by the pinned range in pyproject.toml,
`tests/test_jit.py`, `tests/test_symbols.py` and `tests/test_first_move.py`.
"""

import contextlib
import functools
import glob
import hashlib
import importlib.abc
import importlib.util
import inspect
import multiprocessing
import os
import shutil
import sys
import uuid
from collections.abc import Callable
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar, cast

import numba
import platformdirs
from numba.core.bytecode import FunctionIdentity
from numba.core.caching import CompileResultCacheImpl, FunctionCache, IndexDataCacheFile, UserProvidedCacheLocator
from numba.core.dispatcher import Dispatcher
from numba.core.registry import cpu_target
from numba.np import linalg

from miai.engine.log import log
from miai.engine.user_files import content_hash

_COMPILED_PACKAGES = ("engine", "playouts", "nets")
_OUR_MODULES = tuple(f"miai.{package}." for package in _COMPILED_PACKAGES)
_KEPT_STATES = 8
_FLAGS = ("NUMBA_BOUNDSCHECK", "NUMBA_OPT", "NUMBA_DEBUG")

Compiled = Callable[..., Any]
"""A compiled function."""
Function = TypeVar("Function", bound=Callable[..., Any])


def _load_array_functions() -> None:
    """Import numba's functions of arrays, but not scipy's linear algebra, whose import takes long.

    numba imports that here only to see that it is there, and again where compiled code uses it.
    """
    ensure_blas = linalg.ensure_blas
    linalg.ensure_blas = lambda: None
    try:
        importlib.import_module("numba.np.arraymath")
    finally:
        linalg.ensure_blas = ensure_blas


_load_array_functions()

FunctionIdentity._unique_ids = iter(lambda: uuid.uuid4().hex, None)  # drawn by the system: forked processes differ too


def _source_hash() -> str:
    digest = hashlib.sha256()
    root = Path(__file__).resolve().parent.parent
    for package in _COMPILED_PACKAGES:
        for path in sorted((root / package).rglob("*.py")):
            digest.update(str(path.relative_to(root)).encode())
            digest.update(path.read_bytes())
    for flag in _FLAGS:
        digest.update(f"{flag}={os.environ.get(flag, '')}".encode())
    processor = cpu_target.target_context.codegen().magic_tuple()
    digest.update(f"{sys.implementation.cache_tag} {numba.__version__} {processor}".encode())
    return digest.hexdigest()[:16]


def _choose_cache_folder() -> Path:
    """Return the folder for compiled code, `$MIAI_CACHE_DIR` or the user's cache, one subfolder a source state."""
    base = os.environ.get("MIAI_CACHE_DIR") or platformdirs.user_cache_dir("miai")
    return Path(base) / f"compiled-{_source_hash()}"


CACHE_FOLDER = _choose_cache_folder()
"""Where this process finds and stores its compiled code."""

_failures: list[OSError] = []
"""Why this process could not store what it compiled."""


def _note_failure(error: OSError) -> None:
    """Remember that something could not be stored; the first time, in a program's main process, say so on stderr."""
    if not _failures and multiprocessing.parent_process() is None:
        log(
            f"miai: compiled code cannot be kept in {CACHE_FOLDER} ({error.strerror or error}); every start compiles "
            "anew. MIAI_CACHE_DIR can name another folder."
        )
    _failures.append(error)


class CacheFile(IndexDataCacheFile):
    """The index of a function's compiled versions, and their files, which no other process writes to."""

    def save(self, key: Any, data: Any) -> None:
        """Store a version; one that another process stores at the same time may be forgotten, never exchanged."""
        name = f"{self._index_name.removesuffix('.nbi')}.{uuid.uuid4().hex[:16]}.nbc"
        try:
            os.makedirs(self._cache_path, exist_ok=True)
            self._save_data(name, data)
            self._save_index(self._load_index() | {key: name})
        except OSError as error:
            with contextlib.suppress(OSError):
                os.unlink(self._data_path(name))
            _note_failure(error)

    def load(self, key: Any) -> Any:
        """Return a version; None if it is not there or its file is damaged."""
        try:
            return super().load(key)
        except Exception:  # unpickling a damaged file may raise anything
            return None

    def _load_index(self) -> dict[Any, str]:
        try:
            index: dict[Any, str] = super()._load_index()
        except Exception:  # as above
            return {}
        return index


class _ModuleFolder(UserProvidedCacheLocator):
    """A function's place in the cache: by the name of its module, wherever that is installed."""

    def __init__(self, function: Callable[..., Any], path: str) -> None:
        self._py_file = path
        self._lineno = function.__code__.co_firstlineno
        self._cache_path = str(CACHE_FOLDER / function.__module__)

    @classmethod
    def from_function(cls, py_func: Callable[..., Any], py_file: str) -> "_ModuleFolder":
        return cls(py_func, py_file)

    def ensure_cache_path(self) -> None:
        """Leave that to `CacheFile.save`, which may fail."""


class _CodeFormat(CompileResultCacheImpl):
    _locator_classes = (_ModuleFolder,)


class _FunctionCache(FunctionCache):
    """The compiled versions of a function, found by its signature, the processor and its identity.

    numba's own key is made of the bytecode and of all that the closure pickles to: it misses an edited callee in a
    user's file, and changes in every process with anything random in there, such as an intrinsic's identity.
    """

    _impl_class = _CodeFormat

    def __init__(self, function: Callable[..., Any], identity: str) -> None:
        super().__init__(function)
        self._cache_file.__class__ = CacheFile
        self._identity = identity

    def _index_key(self, sig: Any, codegen: Any) -> tuple[Any, ...]:
        return (sig, codegen.magic_tuple(), self._identity)


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


_user_content_hash = functools.cache(content_hash)


def _called_globals(function: Callable[..., Any]) -> list[Dispatcher]:
    """Return the compiled functions that `function` may call by a global name or as `module.name`."""
    names = function.__code__.co_names
    values = [function.__globals__.get(name) for name in names]
    modules = [value for value in values if inspect.ismodule(value)]
    values += [getattr(module, name, None) for module in modules for name in names]
    return [value for value in values if isinstance(value, Dispatcher)]


def _stable_identity(function: Callable[..., Any]) -> str:
    """Return an identity that changes with whatever could change the code of `function`.

    The folder's hash covers our own packages. A user's file is covered here, by its content, by that of the modules
    next to it that it imports, and by what it calls in other files. Of its own source a function needs the line alone.
    """
    cells = [cell.cell_contents for cell in function.__closure__ or ()]
    content = "" if function.__module__.startswith(_OUR_MODULES) else _user_content_hash(inspect.getfile(function))
    parts = [identity_of(part) for part in (*cells, *_called_globals(function))]
    line = str(function.__code__.co_firstlineno)
    text = "\n".join([function.__module__, function.__qualname__, line, content, *parts])
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def compiled(function: Function) -> Function:
    """Compile `function` with numba: cached on disk, without the interpreter lock, inlinable by its callers.

    The Python original stays reachable as `.py_func`.
    """
    # an entry for C, which nobody calls, would take a tenth of a first compilation
    dispatcher = numba.njit(nogil=True, error_model="numpy", no_cfunc_wrapper=True)(function)
    identity = _stable_identity(function)
    dispatcher._set_uuid(identity)
    dispatcher._cache = _FunctionCache(function, identity)
    return cast(Function, dispatcher)


class _ForgottenModules(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Stand in for modules of users' files that this process did not load.

    numba keeps the signatures of a function's cached versions in one file; those with a class of a user's file could
    not be read without that file, and with them all others.
    """

    def find_spec(self, name: str, path: Any, target: Any = None) -> ModuleSpec | None:
        return importlib.util.spec_from_loader(name, self) if name.startswith(USER_MODULE) else None

    def create_module(self, spec: ModuleSpec) -> None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        def stand_in(name: str) -> type:
            if name.startswith("__"):
                raise AttributeError(name)  # `inspect` asks every module for its `__file__`
            return type(name, (), {"__module__": module.__name__})

        vars(module)["__getattr__"] = stand_in


USER_MODULE = "miai_user_file_"
"""How the names of modules made from users' files begin."""
sys.meta_path.append(_ForgottenModules())


def cache_is_warm(part: str) -> bool:
    """Tell whether everything that `part` names was compiled and stored before by this source state."""
    return os.path.exists(CACHE_FOLDER / f"warm-{part}")


def cache_is_new() -> bool:
    """Tell whether this source state has not finished compiling anything yet."""
    return not glob.glob("warm-*", root_dir=CACHE_FOLDER)


def mark_cache_warm(part: str) -> None:
    """Record that everything for `part` is stored, if it is; forget the code of all but the latest source states."""
    marker = CACHE_FOLDER / f"warm-{part}"
    if _failures or os.path.exists(marker):
        return
    try:
        CACHE_FOLDER.mkdir(parents=True, exist_ok=True)
        marker.touch()
    except OSError as error:
        _note_failure(error)
        return
    with contextlib.suppress(OSError):  # of folders that another process forgets now
        states = sorted(CACHE_FOLDER.parent.glob("compiled-*"), key=os.path.getmtime, reverse=True)
        for folder in states[_KEPT_STATES:]:
            if folder != CACHE_FOLDER:
                shutil.rmtree(folder, ignore_errors=True)
