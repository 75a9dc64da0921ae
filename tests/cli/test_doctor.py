"""`miai doctor`: every fact is told, also where something is missing or broken."""

import importlib.metadata
import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from miai.cli import doctor, doctor_report

NAMES = ["miai", "Python", "system", "numba", "llvmlite", "numpy", "openvino", "torch", "processor", "features"]
NAMES += ["cores", "memory", "backend", "cache", "extras"]


def names_in(output: str) -> list[str]:
    return [line.split()[0] for line in output.splitlines()]


def test_without_the_bench_all_facts_are_told() -> None:
    outcome = CliRunner().invoke(doctor.command, ["--no-bench"])
    assert outcome.exit_code == 0
    assert names_in(outcome.output) == NAMES
    assert f"miai       {importlib.metadata.version('miai')}" in outcome.output
    assert "cannot be found out" not in outcome.output


def test_the_bench_measures_three_speeds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "BENCH_SECONDS", 0.3)
    outcome = CliRunner().invoke(doctor.command, [])
    assert names_in(outcome.output) == [*NAMES, "playouts", "network", "search"]
    assert "failed" not in outcome.output and outcome.output.count(" a second ") == 3


def test_a_broken_package_or_bench_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> str:
        raise OSError("broken\nbadly")

    for name in ("_backend", "_measure_network"):
        monkeypatch.setattr(doctor_report, name, fail)
    facts = dict(doctor_report.find_facts())
    assert facts["backend"] == "cannot be found out: OSError: broken"
    speeds = dict(doctor_report.measure(0.1))
    assert speeds["network"] == "failed: OSError: broken"
    assert "a second" in speeds["playouts"]


def test_what_is_not_installed_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def find_nothing(*_: object) -> None:
        return None

    def miss(package: str) -> str:
        raise importlib.metadata.PackageNotFoundError(package)

    monkeypatch.setattr(importlib.util, "find_spec", find_nothing)
    monkeypatch.setattr(importlib.metadata, "version", miss)
    facts = dict(doctor_report.find_facts())
    assert facts["torch"] == facts["miai"] == "not installed"
    assert facts["extras"] == "none"
    assert facts["backend"] == "none: neither OpenVINO nor torch is installed"


def test_an_extra_is_installed_if_all_its_packages_are(monkeypatch: pytest.MonkeyPatch) -> None:
    there = {"websockets", "botorch", "ray"}
    monkeypatch.setattr(importlib.util, "find_spec", lambda package: "found" if package in there else None)
    assert doctor_report._extras() == "ray"


def test_a_cache_that_is_not_there_is_cold(tmp_path: Path) -> None:
    program = "from miai.cli.doctor_report import find_facts; print(dict(find_facts())['cache'])"
    environment = {"MIAI_CACHE_DIR": str(tmp_path / "new"), "PATH": ""}
    outcome = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
    )
    assert ", 0 MiB, cold, writable" in outcome.stdout


def test_the_command_starts_without_compiled_code() -> None:
    program = "import sys, miai.cli.doctor; print(*{name.partition('.')[0] for name in sys.modules})"
    outcome = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert not {"numba", "numpy", "torch", "openvino"} & set(outcome.stdout.split())
