"""The tutorial of docs/environment.md, in short, and the bench."""

import runpy
import sys
from pathlib import Path

import pytest

pytest.importorskip("gymnasium")

TUTORIAL = Path(__file__).parents[2] / "docs" / "train_policy.py"


def test_the_tutorial_trains(monkeypatch, capsys, tmp_path):
    pytest.importorskip("torch")
    pytest.importorskip("matplotlib")
    curve = tmp_path / "curve.svg"
    words = ["train_policy.py", "--size", "3", "--games", "8", "--updates", "10", "--curve", str(curve)]
    monkeypatch.setattr(sys, "argv", words)
    runpy.run_path(str(TUTORIAL), run_name="__main__")
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 11 and lines[9].split()[0] == str(10 * 20 * 8)
    assert curve.read_text(encoding="utf-8").count("<svg") == 1


def test_the_bench_counts_moves_not_resets():
    environment = pytest.importorskip("benchmarks.environment")
    play = environment.time_vector(3, False, num_games=10)
    assert 1000 <= play(1000) < 1010
    assert environment.time_single(3)(50) == 50
