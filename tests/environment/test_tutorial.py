"""The tutorial of docs/tutorials/environment.md, in short, and the bench."""

import runpy
import sys
from pathlib import Path

import pytest

pytest.importorskip("gymnasium")

TUTORIAL = Path(__file__).parents[2] / "docs" / "tutorials" / "train_policy.py"


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
    environment = pytest.importorskip("miai.benchmarks.environment")
    play = environment.time_vector(3, False, num_games=10)
    assert 1000 <= play(1000) < 1010
    assert environment.time_single(3)(50) == 50


def test_the_bench_compares_with_the_peers_that_are_installed(monkeypatch):
    environment = pytest.importorskip("miai.benchmarks.environment")
    peers = {"slow": (lambda size: size, ("vector", "single")), "missing": (lambda size: None, ("vector",))}
    monkeypatch.setattr(environment, "PEERS", peers)
    monkeypatch.setattr(environment, "SIZES", (9,))
    monkeypatch.setattr(environment, "measure", lambda play, *_: 25.0 if play == 9 else 100.0)
    found = {name: value for name, value, _ in environment.run()}
    assert found["env.slow.9x9"] == 25.0
    ratios = {name: value for name, value in found.items() if ".per_" in name}
    assert ratios == {"env.vector.9x9.per_slow": 4.0, "env.single.9x9.per_slow": 4.0}


def test_two_agents_are_played_to_the_end_and_begun_anew():
    environment = pytest.importorskip("miai.benchmarks.environment")
    pettingzoo_env = pytest.importorskip("miai.environment.pettingzoo_env")
    env = pettingzoo_env.GoAECEnv(size=3, move_limit=5)
    assert environment.play_agents(env)(12) == 12
    assert env.terminations.keys() == {"black_0", "white_0"}
    assert 1 <= env._env._games["num_moves"][0] <= 5
