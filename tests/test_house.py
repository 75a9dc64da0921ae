"""The house: one import package made of the folders, a light front door, a picture that tells the truth."""

import ast
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

import miai

ROOT = Path(__file__).resolve().parents[1]
SETUPTOOLS = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]


def test_every_folder_of_a_package_is_packaged() -> None:
    found = {"miai"}
    for package, folder in SETUPTOOLS["package-dir"].items():
        for path in (ROOT / folder).rglob("__init__.py"):
            inside = path.parent.relative_to(ROOT / folder).parts
            found.add(".".join([package, *inside]))
    assert found == set(SETUPTOOLS["packages"])


def test_every_package_says_what_it_is_for() -> None:
    for folder in SETUPTOOLS["package-dir"].values():
        for path in (ROOT / folder).rglob("__init__.py"):
            assert path.read_text().startswith('"""'), path


def test_the_front_door_loads_nothing_heavy() -> None:
    statement = "import sys, miai; print(*{name.partition('.')[0] for name in sys.modules})"
    outcome = subprocess.run([sys.executable, "-c", statement], capture_output=True, text=True, check=True)
    loaded = set(outcome.stdout.split())
    assert "miai" in loaded
    assert not {"numba", "numpy", "torch", "openvino", "click"} & loaded


@pytest.mark.parametrize("name", miai.__all__)
def test_every_name_of_the_front_door_is_there(name: str) -> None:
    assert getattr(miai, name) is not None
    assert name in dir(miai)


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'Goban'"):
        _ = miai.Goban


def test_the_picture_of_the_packages_shows_the_imports_as_they_are(tmp_path: Path) -> None:
    pytest.importorskip("grimp")
    fresh = tmp_path / "packages.svg"
    subprocess.run([sys.executable, ROOT / "docs" / "draw_packages.py", fresh], check=True)
    assert fresh.read_text() == (ROOT / "docs" / "packages.svg").read_text()


def compiled_functions() -> Iterator[tuple[Path, ast.FunctionDef]]:
    """Find all functions that numba compiles."""
    for folder in SETUPTOOLS["package-dir"].values():
        for path in (ROOT / folder).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.FunctionDef) and any(
                    "compiled" in ast.unparse(one) for one in node.decorator_list
                ):
                    yield path, node


def test_compiled_code_takes_no_record_out_of_an_array_that_it_makes() -> None:
    """A record is a bare pointer: numba gives its array back once that is not named any more."""
    number = 0
    for path, function in compiled_functions():
        number += 1
        made = {
            ast.unparse(node.targets[0])
            for node in ast.walk(function)
            if isinstance(node, ast.Assign)
            and isinstance(node.value, ast.Call)
            and any(one.arg == "dtype" and not ast.unparse(one.value).startswith("np.") for one in node.value.keywords)
        }
        for node in ast.walk(function):
            if isinstance(node, ast.Subscript):
                assert ast.unparse(node.value) not in made, f"{path}: {function.name}: {ast.unparse(node)}"
    assert number > 300
