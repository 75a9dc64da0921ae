"""What a user's Python file consists of: itself and the modules next to it that it imports (no numba)."""

import ast
import hashlib
import sys
from collections.abc import Iterator
from pathlib import Path


def content_hash(path: str) -> str:
    """Return a hash of a Python file and of all modules at or below its folder that it imports, directly or not.

    The files are read, never run. Names of modules count from the file's folder, or from a folder of `sys.path` that
    contains it. Imports by other means than a statement are not found.

    Raises:
        OSError: if the file cannot be read.
    """
    file = Path(path).resolve()
    found = {file: file.read_bytes()}
    waiting = [file]
    while waiting:
        importer = waiting.pop()
        for module in _imported_files(importer, found[importer], file.parent):
            if module not in found:
                found[module] = module.read_bytes()
                waiting.append(module)
    digest = hashlib.sha256(found.pop(file))
    for module in sorted(found):
        digest.update(f"\n{module.relative_to(file.parent)}\n".encode())
        digest.update(found[module])
    return digest.hexdigest()


def _imported_files(importer: Path, content: bytes, folder: Path) -> Iterator[Path]:
    """Yield the files at or below `folder` that the import statements of a file can mean."""
    try:
        tree = ast.parse(content)
    except (SyntaxError, ValueError):
        return  # whoever imports it says so
    roots = [folder, *(root for entry in sys.path if folder.is_relative_to(root := Path(entry).resolve()))]
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield from _files_of(alias.name.split("."), roots, folder)
        elif isinstance(node, ast.ImportFrom):
            module = node.module.split(".") if node.module else []
            bases = [*importer.parents[node.level - 1 : node.level]] if node.level else roots
            for alias in node.names:
                yield from _files_of([*module, alias.name], bases, folder)


def _files_of(names: list[str], roots: list[Path], folder: Path) -> Iterator[Path]:
    """Yield the files at or below `folder` that importing a dotted name from one of `roots` runs."""
    for root in roots:
        for length in range(1, len(names) + 1):
            place = root.joinpath(*names[:length])
            for file in (place.with_suffix(".py"), place / "__init__.py"):
                if file.is_relative_to(folder) and file.is_file():
                    yield file
