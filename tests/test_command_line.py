"""The `miai` command: help, version, wrong commands, and that nothing heavy loads before it is needed."""

import importlib
import json
import subprocess
import sys
import tomllib
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from benchmarks.command import BENCHES
from benchmarks.figures import Figure, print_figures
from gtp.command_line import COMMANDS, main
from gtp.lazy_group import LazyCommand, LazyGroup

ROOT = Path(__file__).resolve().parent.parent
LAZY = {f"bench {name}": lazy for name, lazy in BENCHES.items()} | COMMANDS


def modules_after(statement: str) -> set[str]:
    """Return the top-level modules that a fresh interpreter has loaded after a statement."""
    script = f"import sys\n{statement}\nprint('loaded', *{{name.partition('.')[0] for name in sys.modules}})"
    outcome = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, cwd=ROOT, check=True)
    return set(outcome.stdout.rpartition("loaded")[2].split())


def test_help_names_every_command():
    outcome = CliRunner().invoke(main, ["--help"])
    assert outcome.exit_code == 0
    for name, lazy in COMMANDS.items():
        assert name in outcome.output
        assert lazy.summary[:30] in outcome.output


def test_version_is_that_of_the_package():
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    outcome = CliRunner().invoke(main, ["--version"])
    assert outcome.output == f"miai {version}\n"


@pytest.mark.parametrize("name", LAZY)
def test_every_command_exists_and_explains_itself(name):
    module, _, attribute = LAZY[name].target.partition(":")
    assert isinstance(getattr(importlib.import_module(module), attribute), click.Command)
    outcome = CliRunner().invoke(main, [*name.split(), "--help"])
    assert outcome.exit_code == 0
    assert outcome.output.startswith("Usage: ")


def test_an_unknown_command_is_told_the_right_ones():
    outcome = CliRunner().invoke(main, ["gpt"])
    assert outcome.exit_code == 2
    assert "'gpt'" in outcome.output
    assert "did you mean 'gtp'" in outcome.output
    assert "warmup" in outcome.output


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["gtp", "--help"], ["play", "--policy", "x"]])
def test_help_and_errors_load_no_compiled_code(arguments):
    loaded = modules_after(
        "from click.testing import CliRunner\n"
        "from gtp.command_line import main\n"
        f"assert CliRunner().invoke(main, {arguments!r}).exit_code in (0, 2)"
    )
    assert "gtp" in loaded
    assert not loaded & {"numba", "llvmlite", "numpy", "torch", "scipy"}


def test_a_lazy_command_is_imported_when_it_runs_and_not_before(tmp_path, monkeypatch):
    (tmp_path / "lazily_loaded.py").write_text(
        "import click\n@click.command()\ndef command():\n    click.echo('it ran')\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    group = LazyGroup("group", lazy_commands={"late": LazyCommand("lazily_loaded:command", "Runs late.")})
    assert "Runs late." in CliRunner().invoke(group, ["--help"]).output
    assert "lazily_loaded" not in sys.modules
    assert CliRunner().invoke(group, ["late"]).output == "it ran\n"


def test_figures_are_lines_or_one_json_object():
    figures = [Figure("a.b", 123456.7, "things/s"), Figure("c", 0.123456, "s")]

    @click.command()
    @click.option("--json", "as_json", is_flag=True)
    def show(as_json: bool) -> None:
        print_figures(figures, as_json)

    assert CliRunner().invoke(show).output == "a.b 123457 things/s\nc 0.1235 s\n"
    assert json.loads(CliRunner().invoke(show, ["--json"]).output) == {
        "a.b": {"value": 123456.7, "unit": "things/s"},
        "c": {"value": 0.123456, "unit": "s"},
    }
