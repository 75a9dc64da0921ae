"""Look into the wheel and the source distribution that `python -m build` left in a folder.

    python .ci/check_distributions.py dist

The wheel holds one import package, `miai`, with every module and data file of its folders and nothing else; the source
distribution holds what is needed to build that wheel again.
"""

import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DATA = ("*.safetensors", "*.txt", "py.typed", "static/*")


def expected_files() -> dict[str, str]:
    """Return each file of the package by its path in the wheel, with its path in the repository."""
    folders = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["package-dir"]
    found = {}
    for package, folder in folders.items():
        place = package.replace(".", "/")
        for pattern in ("*.py", *DATA):
            for path in (ROOT / folder).rglob(pattern):
                inside = path.relative_to(ROOT / folder).as_posix()
                found[f"{place}/{inside}"] = path.relative_to(ROOT).as_posix()
    return found


def check(folder: Path) -> list[str]:
    """Return what is wrong, a line each."""
    expected = expected_files()
    (wheel,), (source,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
    packed = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    with tarfile.open(source) as archive:
        unpacked = {name.partition("/")[2] for name in archive.getnames()}
    wrong = [f"{wheel.name} holds {name}" for name in sorted(packed) if not name.startswith("miai/")]
    wrong += [f"{wheel.name} lacks {name}" for name in sorted(expected.keys() - packed)]
    needed = {*expected.values(), "pyproject.toml", "README.md", "LICENSE"}
    wrong += [f"{source.name} lacks {name}" for name in sorted(needed - unpacked)]
    return wrong


if __name__ == "__main__":
    problems = check(Path(sys.argv[1]))
    print("\n".join(problems) or "one package, and all of it")
    sys.exit(bool(problems))
