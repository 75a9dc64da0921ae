"""Code that several processes compiled, loaded by one: no symbol stands for two functions, and every call is right."""

import json
import multiprocessing
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.symbol_record import cached_symbols, compiled_symbols

PROGRAM = """
import json
import multiprocessing
import sys

import numpy as np

from miai.engine.jit import compiled


@compiled
def total(record):
    sum = 0
    for i in range(record.values.shape[0]):
        sum += record.values[i]
    return sum


@compiled
def total_twice(record):
    return 2 * total(record)


@compiled
def double(x):
    return 2 * x


@compiled
def triple(x):
    return 3 * x


def close_over(function):
    @compiled
    def inner(x):
        x = function(x)
STEPS
        return x

    @compiled
    def outer(x):
        return inner(x) + inner(x + 1)

    return outer


def answer(task):
    if task in ("double", "triple"):
        return close_over(globals()[task])(10)
    record = np.zeros(1, dtype=[("values", "i8", (int(task),)), ("end", "i8")])
    record["values"] = 1
    return int(total_twice(record[0]))


if __name__ == "__main__":
    if sys.argv[1] == "forked":
        with multiprocessing.get_context("fork").Pool(len(sys.argv) - 2, maxtasksperchild=1) as pool:
            print(json.dumps(pool.map(answer, sys.argv[2:], chunksize=1)))
    else:
        print(json.dumps([answer(task) for task in sys.argv[1:]]))
"""
_STEP = "        for i in range(x & {0}):\n            x = (x * {0} + i) ^ (x >> {1})"
PROGRAM = PROGRAM.replace("STEPS", "\n".join(_STEP.format(n, n % 9 + 1) for n in range(7, 37)))
"""A program that compiles totals of records and closures over functions; these are too long to be inlined."""
TASKS = ("3", "70", "double", "triple")
"""Arguments of the program: records of 3 and 70 numbers, and closures over two functions."""

BOARDS = """
import json
import sys

from miai.engine.go.benson import pointless_points
from miai.engine.go.board import new_board, place_stone
from miai.engine.go.points import BLACK, point_at

for size in map(int, sys.argv[1:]):
    board = new_board(size)[0]
    for column in range(size):
        place_stone(board, point_at(1, column, size), BLACK)
    place_stone(board, point_at(0, 1, size), BLACK)
    print(size, json.dumps(pointless_points(board, False).nonzero()[0].tolist()))
"""


class Cache:
    """A cache folder that programs fill, each in a process of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._record = folder / "compiled.txt"

    def run(self, module: str, *arguments: str) -> str:
        """Run a module and return what it prints."""
        environment = os.environ | {"MIAI_CACHE_DIR": str(self.folder / "cache"), "PYTHONPATH": str(self.folder)}
        done = subprocess.run(
            [sys.executable, "-m", "tests.symbol_record", str(self._record), module, *arguments],
            cwd=Path(__file__).parent.parent,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"{module} {arguments}: {done.returncode}\n{done.stderr}"
        return done.stdout

    def check_symbols(self) -> None:
        """Make sure that no two objects define a symbol for what was compiled from different code."""
        codes = compiled_symbols(self._record)
        defined = cached_symbols(self.folder / "cache")
        assert defined and defined <= codes.keys()
        assert [symbol for symbol in sorted(defined) if len(codes[symbol]) > 1] == []


@pytest.fixture
def cache(tmp_path: Path) -> Cache:
    (tmp_path / "program.py").write_text(PROGRAM)
    (tmp_path / "boards.py").write_text(BOARDS)
    return Cache(tmp_path)


def test_what_processes_compiled_one_by_one_is_right_together(cache: Cache) -> None:
    alone = [answer for task in TASKS for answer in json.loads(cache.run("program", task))]
    assert alone[:2] == [6, 140] and alone[2] != alone[3]
    cache.check_symbols()
    assert json.loads(cache.run("program", *TASKS)) == alone


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="no fork on this system")
def test_what_forked_processes_compiled_at_once_is_right_together(cache: Cache) -> None:
    alone = json.loads(cache.run("program", "forked", *TASKS))
    assert alone[:2] == [6, 140] and alone[2] != alone[3]
    cache.check_symbols()
    assert json.loads(cache.run("program", *TASKS)) == alone


def test_board_sizes_of_two_processes_go_together(cache: Cache) -> None:
    alone = [cache.run("boards", size) for size in ("4", "9")]
    cache.check_symbols()
    assert cache.run("boards", "4", "9") == "".join(alone)
