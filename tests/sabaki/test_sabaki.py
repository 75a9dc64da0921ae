"""Sabaki's own GTP module, from npm in a pinned version, plays with `miai gtp`."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent
ROOT = FOLDER.parent.parent

pytestmark = [
    pytest.mark.node,
    pytest.mark.skipif(shutil.which("node") is None, reason="the program node is not installed"),
]


@pytest.fixture(scope="module")
def happened(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sabaki")
    shutil.copy(FOLDER / "package.json", folder)
    install = ["npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock"]
    subprocess.run(install, cwd=folder, check=True, timeout=300)
    engine = [sys.executable, "-m", "miai.cli.main", "gtp"]
    # Compile first: Sabaki has patience with the first move, but the clock of the game has not.
    compiling = [*engine, "--simulations", "8", "--memory", "16"]
    subprocess.run(compiling, input=b"genmove b\n", cwd=ROOT, check=True, timeout=600)
    result = subprocess.run(
        ["node", FOLDER / "drive.js", *engine, "--simulations", "100", "--seed", "1", "--memory", "16"],
        env={**os.environ, "NODE_PATH": str(folder / "node_modules")},
        cwd=ROOT,
        capture_output=True,
        timeout=600,
    )
    assert result.returncode == 0, result.stderr.decode()
    return json.loads(result.stdout)


def test_it_asks_who_we_are(happened):
    assert happened["name"] == "miai"
    assert happened["version"]
    assert {"lz-analyze", "kata-genmove_analyze", "undo", "loadsgf"} <= set(happened["commands"])
    assert not {"analyze", "genmove_analyze"} & set(happened["commands"])


def test_it_plays_a_whole_game_with_moves_taken_back(happened):
    game = happened["game"]
    assert re.fullmatch(r"0|[BW]\+(R|[0-9]+(\.5)?)", game["result"])
    assert len(game["history"]) > 12
    assert "Komi: 6.5" in game["board"]
    for vertex in [vertex for _, vertex in game["history"]]:
        assert re.fullmatch(r"PASS|[A-HJ][1-9]", vertex)


@pytest.mark.parametrize("kind", ["lz", "kata"])
def test_it_shows_a_live_analysis_until_another_command_interrupts_it(happened, kind):
    analysis = happened[kind]
    assert not analysis["error"]
    assert analysis["interruption"]["content"] == "2"
    assert len(analysis["updates"]) >= 3
    total = [sum(int(variation["visits"]) for variation in update) for update in analysis["updates"]]
    assert total == sorted(total) and total[0] < total[-1]


@pytest.mark.parametrize("kind", ["lz", "kata", "lzMove", "kataMove"])
def test_it_reads_winrates_on_the_right_scale(happened, kind):
    for variation in happened[kind]["updates"][-1]:
        text = variation["winrate"]
        winrate = float(text) if "." in text else int(text) / 10_000
        assert ("." in text) == kind.startswith("kata")
        assert 0.0 <= winrate <= 1.0
        assert all(re.fullmatch(r"pass|[A-HJ][1-9]", vertex) for vertex in variation["pv"])
        assert variation["pv"][0] == variation["move"]
    best = happened[kind]["updates"][-1][0]["winrate"]
    assert float(best) > 0


@pytest.mark.parametrize("kind", ["lzMove", "kataMove"])
def test_a_command_sent_during_a_genmove_does_not_abort_it(happened, kind):
    generated = happened[kind]
    assert not generated["error"]
    assert re.fullmatch(r"[A-HJ][1-9]", generated["played"])
    assert generated["later"]["content"] == "2"
    assert len(generated["updates"]) >= 1


def test_it_knows_which_moves_were_played(happened):
    assert [move["args"] for move in happened["tracked"]] == [
        ["B", happened["lzMove"]["played"]],
        ["B", happened["kataMove"]["played"]],
    ]


def test_quit_ends_the_engine_before_it_is_killed(happened):
    assert happened["stopped"] == {"signal": 0}
