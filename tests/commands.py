"""Commands of miai's in the process of the test, and scripts of the documentation."""

import importlib.util
from pathlib import Path
from types import ModuleType

import click
from click.testing import CliRunner, Result

ROOT = Path(__file__).parents[1]
"""The folder of the repository."""


def run_command(command: click.Command, *arguments: object) -> Result:
    """Run a command; what it raises, other than its exit, is raised."""
    result = CliRunner().invoke(command, [str(argument) for argument in arguments])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def load_script(name: str) -> ModuleType:
    """Return the script of this name in `docs`, without its suffix, as a module."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "docs" / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
