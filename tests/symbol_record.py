"""What each symbol of compiled code was compiled from, and which symbols the objects in a cache define.

A program that is run as `python -m tests.symbol_record FILE MODULE ARGUMENTS…`, and what it forks, writes a line for
each function it compiles: its symbol, and a hash of its code before anything is inlined and optimised. Objects hold
copies of a function that were optimised differently, so their machine code cannot be compared; these hashes can.
"""

import hashlib
import os
import pickle
import runpy
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm
from numba.core.codegen import CPUCodeLibrary

_HIDDEN = (llvm.Linkage.internal, llvm.Linkage.private)


def record_compilations(file: Path) -> None:
    """Append to `file` what this process and its children compile from now on."""
    add_module = CPUCodeLibrary.add_ir_module
    descriptor = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)

    def add_and_record(library: Any, module: Any) -> None:
        for function in module.functions:
            if not function.is_declaration:
                code = hashlib.sha256(str(function).encode()).hexdigest()
                os.write(descriptor, f"{function.name} {code}\n".encode())
        add_module(library, module)

    CPUCodeLibrary.add_ir_module = add_and_record


def compiled_symbols(file: Path) -> dict[str, set[str]]:
    """Return the symbols recorded in `file`, each with the hashes of what it was compiled from."""
    codes = defaultdict(set)
    for line in file.read_text().splitlines():
        symbol, code = line.split()
        codes[symbol].add(code)
    return dict(codes)


def cached_symbols(cache: Path) -> set[str]:
    """Return the functions that objects in a cache define for others to see, strongly or weakly."""
    symbols = set()
    for file in cache.rglob("*.nbc"):
        (_, _, (_, bitcode)), *_ = pickle.loads(file.read_bytes())
        symbols |= {
            function.name
            for function in llvm.parse_bitcode(bitcode).functions
            if not function.is_declaration and function.linkage not in _HIDDEN
        }
    return symbols


if __name__ == "__main__":
    record_compilations(Path(sys.argv[1]))
    module = sys.argv[2]
    sys.argv[1:] = sys.argv[3:]
    runpy.run_module(module, run_name="__main__", alter_sys=True)
