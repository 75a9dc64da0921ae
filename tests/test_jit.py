"""The disk cache of compiled functions: found by the next process, never stale.

Each test runs real processes on a small project of its own, which has a copy of engine/jit.py.
"""

import errno
import importlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import miai.engine.jit
import miai.engine.log
import miai.engine.user_files
from miai.engine.jit import USER_MODULE, CacheFile, cache_is_warm, compiled, identity_of, mark_cache_warm

PARTS = """
from llvmlite import ir
from numba import types
from numba.extending import intrinsic
from miai.engine.jit import compiled

@intrinsic
def add_nothing(typing_context, x):
    def generate(context, builder, signature, arguments):
        return builder.add(arguments[0], ir.Constant(arguments[0].type, 0))
    return types.int64(types.int64), generate

@compiled
def double(x):
    return add_nothing(2 * x)

@compiled
def add_ten(x):
    return x + 10
"""

WHOLE = """
from miai.engine.jit import compiled
from miai.engine.parts import double

@compiled
def call_directly(x):
    return double(x)

@compiled
def call_given(function, x):
    return function(x)

def close_over(function):
    @compiled
    def call_closed_over(x):
        return function(x) + 1
    return call_closed_over

def close_over_number(number):
    @compiled
    def add_number(x):
        return x + number
    return add_number

def close_over_both(first, second):
    @compiled
    def call_both(x):
        return second(first(x))
    return call_both
"""

CONSTANTS = """
LIFT = 0
"""

HELPERS = """
from constants import LIFT
from miai.engine.jit import compiled

@compiled
def triple(x):
    return 3 * x

@compiled
def keep(x):
    return 1 * x
"""

RULE = """
import helpers
from miai.engine.jit import compiled
from helpers import LIFT, keep

STEP = 1

@compiled
def same(x):
    return x + 0

@compiled
def rule(x):
    return helpers.triple(keep(same(x))) + STEP + LIFT
"""

MAIN = """
import json
import sys

sys.path.insert(0, "user")
from miai.engine import jit, parts, whole
import rule

functions = {
    "directly": whole.call_directly,
    "closure": whole.close_over(parts.double),
    "closure over another": whole.close_over(parts.add_ten),
    "closure over a closure": whole.close_over(whole.close_over(parts.double)),
    "closure over two": whole.close_over_both(parts.double, parts.add_ten),
    "closure over two, exchanged": whole.close_over_both(parts.add_ten, parts.double),
    "number": whole.close_over_number(5),
    "another number": whole.close_over_number(6),
    "user's rule": whole.close_over(rule.rule),
}
results = {name: function(7) for name, function in functions.items()}
results["given"] = whole.call_given(parts.double, 7)
results["another given"] = whole.call_given(parts.add_ten, 7)
results["user's rule given"] = whole.call_given(rule.rule, 7)
functions["given"] = whole.call_given
print(json.dumps({
    "results": results,
    "hits": {name: sum(function.stats.cache_hits.values()) for name, function in functions.items()},
    "misses": {name: sum(function.stats.cache_misses.values()) for name, function in functions.items()},
    "identities": {name: jit.identity_of(function) for name, function in functions.items()},
    "folder": str(jit.CACHE_FOLDER),
}))
"""

RESULTS = {
    "directly": 14,
    "closure": 15,
    "closure over another": 18,
    "closure over a closure": 16,
    "closure over two": 24,
    "closure over two, exchanged": 34,
    "number": 12,
    "another number": 13,
    "user's rule": 23,
    "given": 14,
    "another given": 17,
    "user's rule given": 22,
}


class Project:
    """A small program that compiles, with a cache folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.stderr = ""
        (folder / "miai" / "engine").mkdir(parents=True)
        (folder / "user").mkdir()
        for module in (miai.engine.jit, miai.engine.log, miai.engine.user_files):
            shutil.copy(module.__file__, folder / "miai" / "engine")
        for path, text in (
            ("miai/__init__.py", ""),
            ("miai/engine/__init__.py", ""),
            ("miai/engine/parts.py", PARTS),
            ("miai/engine/whole.py", WHOLE),
            ("user/constants.py", CONSTANTS),
            ("user/helpers.py", HELPERS),
            ("user/rule.py", RULE),
            ("main.py", MAIN),
        ):
            (folder / path).write_text(text)

    def edit(self, path: str, old: str, new: str) -> None:
        """Replace a text in a file and leave its time and size as they were: only the content tells."""
        file = self.folder / path
        status, text = file.stat(), file.read_text()
        assert old in text and len(old) == len(new)
        file.write_text(text.replace(old, new))
        os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))

    def run(self, **environment: str) -> dict[str, Any]:
        """Run the program in a fresh process and return what it prints."""
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA_")}
        inherited |= {"MIAI_CACHE_DIR": str(self.folder / "cache"), "PYTHONDONTWRITEBYTECODE": "1"}
        done = subprocess.run(
            [sys.executable, "main.py"],
            cwd=self.folder,
            env=inherited | environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        self.stderr = done.stderr
        return json.loads(done.stdout)

    def num_cached(self) -> int:
        """Return how many files the cache holds."""
        return sum(path.is_file() for path in (self.folder / "cache").rglob("*"))


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


def test_the_next_process_finds_everything_compiled_and_adds_no_file(project: Project) -> None:
    first = project.run(PYTHONHASHSEED="1")
    assert first["results"] == RESULTS
    assert not any(first["hits"].values()) and all(first["misses"].values())
    num_cached = project.num_cached()
    second = project.run(PYTHONHASHSEED="2")
    assert second["results"] == RESULTS
    assert not any(second["misses"].values()), second["misses"]
    assert second["identities"] == first["identities"]
    assert len(set(first["identities"].values())) == len(first["identities"])
    assert project.num_cached() == num_cached


def test_an_edited_callee_in_another_file_is_recompiled(project: Project) -> None:
    before = project.run()
    project.edit("miai/engine/parts.py", "2 * x", "9 * x")
    after = project.run()
    assert after["folder"] != before["folder"]
    assert after["results"]["directly"] == after["results"]["given"] == 63
    assert after["results"]["closure"] == 64 and after["results"]["closure over a closure"] == 65
    project.edit("miai/engine/parts.py", "9 * x", "2 * x")
    back = project.run()
    assert back["folder"] == before["folder"] and not any(back["misses"].values())


def test_what_a_users_rule_uses_is_recompiled_when_edited(project: Project) -> None:
    project.run()
    for path, old, new, expected in (
        ("user/rule.py", "x + 0", "x + 2", 28),  # a function of the same file
        ("user/rule.py", "STEP = 1", "STEP = 4", 31),  # a constant
        ("user/helpers.py", "3 * x", "8 * x", 76),  # a function of another file, by `module.name`
        ("user/helpers.py", "1 * x", "2 * x", 148),  # and by an imported name
        ("user/constants.py", "LIFT = 0", "LIFT = 5", 153),  # a constant that went through two files
    ):
        project.edit(path, old, new)
        results = project.run()["results"]
        assert results["user's rule given"] == expected
        assert results["user's rule"] == expected + 1


def test_bounds_checks_have_a_cache_of_their_own(project: Project) -> None:
    plain, checked = project.run(), project.run(NUMBA_BOUNDSCHECK="1")
    assert plain["folder"] != checked["folder"]
    assert all(checked["misses"].values())


def test_another_processor_has_a_cache_of_its_own(project: Project) -> None:
    native, generic = project.run(), project.run(NUMBA_CPU_NAME="generic")
    assert native["folder"] != generic["folder"]


def test_the_same_sources_installed_elsewhere_find_everything_compiled(project: Project, tmp_path: Path) -> None:
    first, num_cached = project.run(), project.num_cached()
    moved = Project(tmp_path / "elsewhere").run(MIAI_CACHE_DIR=str(project.folder / "cache"))
    assert moved["folder"] == first["folder"] and moved["results"] == RESULTS
    assert not any(moved["misses"].values()), moved["misses"]
    assert project.num_cached() == num_cached


def test_a_file_in_place_of_the_cache_folder_is_said_once_and_no_error(project: Project) -> None:
    (project.folder / "file").write_text("")
    for folder in ("file", "file/below"):
        assert project.run(MIAI_CACHE_DIR=str(project.folder / folder))["results"] == RESULTS
        assert len(project.stderr.splitlines()) == 1
        assert f"cannot be kept in {project.folder / folder}" in project.stderr


@pytest.mark.parametrize("suffix", ["nbi", "nbc"])
def test_a_damaged_file_of_the_cache_is_replaced(project: Project, suffix: str) -> None:
    project.run()
    for path in (project.folder / "cache").rglob(f"*.{suffix}"):
        os.truncate(path, path.stat().st_size // 2)
    damaged = project.run()
    assert damaged["results"] == RESULTS and all(damaged["misses"].values()) and project.stderr == ""
    assert not any(project.run()["misses"].values())


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EROFS])
@pytest.mark.parametrize("method", ["_save_data", "_save_index"])
def test_what_cannot_be_written_is_said_once_and_leaves_nothing(
    code: int, method: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*arguments: object) -> None:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(miai.engine.jit, "CACHE_FOLDER", tmp_path)
    monkeypatch.setattr(miai.engine.jit, "_failures", [])
    with monkeypatch.context() as patch:
        patch.setattr(CacheFile, method, fail)
        for number in range(2):
            CacheFile(str(tmp_path / "module"), "function", "stamp").save(number, "code")
    said = capsys.readouterr()
    assert said.out == "" and len(said.err.splitlines()) == 1 and os.strerror(code) in said.err
    assert list((tmp_path / "module").iterdir()) == []
    mark_cache_warm("all")
    assert not cache_is_warm("all")


def test_a_disk_that_is_full_in_the_middle_of_a_file_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A limit on the size of files stands in for the full disk: both fail after some bytes."""
    resource = pytest.importorskip("resource")
    monkeypatch.setattr(miai.engine.jit, "_failures", [])
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, limits[1]))
    try:
        CacheFile(str(tmp_path), "function", "stamp").save("key", bytes(100_000))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert "cannot be kept" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_was_compiled_before_and_cannot_be_written_is_warm(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*arguments: object, **named: object) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    monkeypatch.setattr(miai.engine.jit, "CACHE_FOLDER", tmp_path)
    monkeypatch.setattr(miai.engine.jit, "_failures", [])
    mark_cache_warm("all")
    monkeypatch.setattr(Path, "touch", fail)
    mark_cache_warm("all")
    assert cache_is_warm("all") and capsys.readouterr().err == ""
    mark_cache_warm("more")
    assert not cache_is_warm("more") and "cannot be kept" in capsys.readouterr().err


def test_an_identity_tells_what_a_function_closes_over() -> None:
    def make(number: object) -> object:
        @compiled
        def add(x):  # type: ignore[no-untyped-def]
            return x + number

        return add

    assert identity_of(make(1)) == identity_of(make(1)) != identity_of(make(2))
    assert identity_of(make(1)) != identity_of(make(1.0))
    assert identity_of(make((1, 2))) != identity_of(make((2, 1)))


def test_what_has_no_stable_identity_is_refused() -> None:
    captured = object()

    def use():  # type: ignore[no-untyped-def]
        return captured

    with pytest.raises(TypeError, match="no stable identity"):
        compiled(use)


def test_the_python_original_stays_reachable() -> None:
    @compiled
    def triple(x):  # type: ignore[no-untyped-def]
        return 3 * x

    assert triple.py_func(2) == triple(2) == 6  # type: ignore[attr-defined]


def test_processes_that_store_versions_at_once_never_exchange_them(tmp_path: Path) -> None:
    """Each process knows the index as it was before the other wrote."""
    processes = [CacheFile(str(tmp_path), "function", "stamp") for _ in range(2)]
    seen = [process._load_index() for process in processes]
    for number, process in enumerate(processes):
        process._load_index = lambda index=seen[number]: dict(index)  # type: ignore[method-assign]
        process.save(f"version {number}", f"code {number}")
    later = CacheFile(str(tmp_path), "function", "stamp")
    assert later.load("version 0") in (None, "code 0")
    assert later.load("version 1") == "code 1"
    later.save("version 0", "code 0 again")
    assert [later.load("version 0"), later.load("version 1")] == ["code 0 again", "code 1"]


def test_compiled_functions_store_their_versions_so() -> None:
    dispatcher: Any = compiled(_twice)
    assert type(dispatcher._cache._cache_file) is CacheFile


def _twice(x: float) -> float:
    return 2.0 * x


def test_what_stands_in_for_a_users_file_claims_no_file() -> None:
    module = importlib.import_module(f"{USER_MODULE}gone")
    assert isinstance(module.Parameters, type)
    assert not hasattr(module, "__file__"), "hypothesis, for one, reads the files of all modules"
