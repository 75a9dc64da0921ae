"""What pages print runs: programs of the README and of the library page, and the config file of the options page."""

import re
from pathlib import Path
from typing import Any

import pytest

import miai
from miai.players.compiling import check_parameters
from miai.players.options import resolve_options

ROOT = Path(__file__).parents[1]


def programs_of(page: str) -> list[str]:
    """Return the Python programs of a page."""
    return re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(encoding="utf-8"), re.DOTALL)


def run_programs(programs: list[str]) -> dict[str, Any]:
    """Run programs one after the other; return what they named."""
    named: dict[str, Any] = {}
    for program in programs:
        exec(program, named)
    return named


def test_the_readmes_rule_searches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rule = programs_of("README.md")[0]
    assert len([line for line in rule.splitlines() if line]) <= 10
    monkeypatch.chdir(tmp_path)
    Path("my_rules.py").write_text(rule, encoding="utf-8")
    assert "my_rules.py:my_puct" in (ROOT / "README.md").read_text(encoding="utf-8")
    with miai.Player("net", select="my_rules.py:my_puct", simulations=100, seed=1) as player:
        assert player.options.evaluator == "mixed"
        report = player.search(miai.Game())
    searched = [candidate for candidate in report.candidates if candidate.visits > 0]
    assert 1 < len(searched) and report.simulations > 50


def test_the_readmes_library_program_runs(capsys: pytest.CaptureFixture[str]) -> None:
    program = programs_of("README.md")[1]
    assert len([line for line in program.splitlines() if line]) <= 10
    named = run_programs([program])
    assert len(named["game"].moves) == 4 and named["game"].moves[-1] == ("white", named["report"].best.move)
    printed = capsys.readouterr().out
    assert "principal variation" in printed and "A B C D E F G H J" in printed
    win, black_wins = map(float, printed.split()[-2:])
    assert 0 < win < 1 and 0 < black_wins < 1


def test_the_librarys_page_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    programs = programs_of("docs/tutorials/library.md")
    named = run_programs(programs)
    assert len(programs) == 10
    assert len(named["game"].moves) == 4 and len(named["before_move_2"].moves) == 1
    assert len(named["variation"].moves) == 3
    assert len(named["match"].moves) > 10
    assert len(named["many"]) == 2 and named["summary"].total.games == 2
    printed = capsys.readouterr().out
    assert "E5" in printed and "simulations: '0' is not allowed" in printed


def test_the_config_file_of_the_options_page_is_one(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "reference" / "options.md").read_text(encoding="utf-8")
    (text,) = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)
    path = tmp_path / "mine.toml"
    path.write_text(text, encoding="utf-8")
    player, game = resolve_options(config=path)
    assert (player.select, player.simulations, game.komi) == ("uct", 2000, 7.5)
    assert player.parameters == {"uct.exploration": 0.5}
    check_parameters(player, game.size)
