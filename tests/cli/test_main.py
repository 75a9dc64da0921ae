"""The `miai` command: help, version, wrong commands, and that nothing heavy loads before it is needed."""

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from miai.benchmarks.figures import Figure, print_figures
from miai.cli import bench, experiments
from miai.cli.lazy_group import LazyCommand, LazyGroup
from miai.cli.main import COMMANDS, CommandLine, main
from miai.engine.extras import EXTRAS

ROOT = Path(__file__).resolve().parents[2]
EVERY_COMMAND = (
    *COMMANDS,
    *(f"bench {name}" for name in bench.command.commands),
    *(f"experiment {name}" for name in experiments.EXPERIMENTS),
)


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


@pytest.mark.parametrize("name", EVERY_COMMAND)
def test_every_command_exists_and_explains_itself(name):
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
        "from miai.cli.main import main\n"
        f"assert CliRunner().invoke(main, {arguments!r}).exit_code in (0, 2)"
    )
    assert "miai" in loaded
    assert not loaded & {"numba", "llvmlite", "numpy", "torch", "scipy"}


def test_a_lazy_command_is_imported_when_it_runs_and_not_before(tmp_path, monkeypatch):
    (tmp_path / "lazily_loaded.py").write_text(
        "import click\n@click.command()\ndef command():\n    click.echo('it ran')\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    group = LazyGroup("group", lazy_commands={"late": LazyCommand("lazily_loaded", "Runs late.")})
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


def run_without(package: str, *arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run the command in a process that cannot import a package."""
    script = f"""
import sys
from importlib.machinery import PathFinder

class Finder(PathFinder):
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        return None if name.partition(".")[0] == {package!r} else super().find_spec(name, path, target)

sys.meta_path[sys.meta_path.index(PathFinder)] = Finder
from miai.cli.main import main
main()
"""
    command = [sys.executable, "-c", script, *arguments]
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd, env=os.environ | {"PYTHONPATH": str(ROOT)})


@pytest.mark.parametrize(
    ("package", "extra", "arguments"),
    [
        ("gymnasium", "gym", "bench env"),
        ("torch", "nets", "train data --output made"),
        ("torch", "nets", "loop --output made"),
        ("matplotlib", "experiments", "experiment trees --output made"),
        ("matplotlib", "experiments", "experiment backups --output made"),
        ("torch", "nets", "play --net-backend torch"),
        ("botorch", "tune", "tune net --parameter mix=0:1 --against net --output made"),
        ("ray", "ray", "selfplay --ray local --preset uct --simulations 1 --size 5 --output made"),
    ],
)
def test_a_missing_package_is_named_with_the_line_that_installs_it(package, extra, arguments, tmp_path):
    if extra == "tune":
        pytest.importorskip("torch")  # it would be named first
    (tmp_path / "data").mkdir()
    outcome = run_without(package, *arguments.split(), cwd=tmp_path)
    lines = [line for line in outcome.stderr.splitlines() if line.startswith("Error: ")]
    assert len(lines) == 1 and package in lines[0]
    assert lines[0].endswith(f"pip install -c constraints.txt '.[{extra}]'")
    assert "Traceback" not in outcome.stderr and outcome.returncode in (1, 2)
    assert os.listdir(tmp_path) == ["data"]


def test_the_extras_are_those_of_the_project():
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    for package, extra in EXTRAS.items():
        assert any(requirement.startswith(f"{package}>") for requirement in extras[extra]), package


def shell(line: str) -> subprocess.CompletedProcess[str]:
    """Run a line of bash in which `miai` is the tree under test; its exit status is that of miai."""
    setup = 'set -o pipefail; miai() { "$PYTHON" -m miai.cli.main "$@"; }\n'
    variables = os.environ | {"PYTHON": sys.executable, "PYTHONPATH": str(ROOT)}
    return subprocess.run(["bash", "-c", setup + line], capture_output=True, text=True, env=variables, cwd=ROOT)


@pytest.mark.skipif(os.name != "posix", reason="needs a POSIX shell")
@pytest.mark.parametrize(
    ("line", "error"),
    [
        ("miai rules | true", ""),
        ("miai rules >&-", "Error: the standard output is closed\n"),
        ("miai bench playouts >&-", "Error: the standard output is closed\n"),
        ("echo quit | miai gtp --preset uct >&-", "Error: the standard output is closed\n"),
        ("miai rules >/dev/full", "Error: No space left on device\n"),
    ],
)
def test_an_output_that_nobody_reads_ends_in_one_line(line, error):
    outcome = shell(line)
    assert (outcome.stderr, outcome.returncode) == (error, 1)


@pytest.mark.skipif(os.name != "posix", reason="needs a POSIX shell")
def test_a_closed_standard_error_is_no_error():
    outcome = shell("miai play --policy x 2>&-")
    assert (outcome.stdout, outcome.stderr, outcome.returncode) == ("", "", 2)
    assert shell("miai rules 2>&-").returncode == 0


@pytest.mark.parametrize(
    ("raised", "line"),
    [
        ("OSError(28, 'No space left on device')", "Error: No space left on device"),
        ("OSError(13, 'Permission denied', 'results/a')", "Error: results/a: Permission denied"),
        ("MemoryError('Unable to allocate 3 TiB')", "Error: there is not enough memory: Unable to allocate 3 TiB"),
        ("MemoryError", "Error: there is not enough memory"),
        ("ModuleNotFoundError('none', name='torch.nn')", "Error: this needs torch, which is not installed: "),
    ],
)
def test_what_the_system_refuses_is_one_line(raised, line, tmp_path, monkeypatch):
    (tmp_path / "failing.py").write_text(f"import click\n@click.command()\ndef command():\n    raise {raised}\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "failing", raising=False)
    group = CommandLine("group", lazy_commands={"fail": LazyCommand("failing", "Fails.")})
    outcome = CliRunner().invoke(group, ["fail"])
    assert outcome.exit_code == 1
    assert outcome.stderr.startswith(line) and len(outcome.stderr.splitlines()) == 1
