"""Progress of long work: a bar on a terminal, whole lines in a log, one a minute at most."""

import sys

import pytest
from tqdm import tqdm

from miai.engine import progress
from miai.engine.progress import progress_bar


def test_work_of_less_than_a_minute_leaves_no_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert list(progress_bar(range(1000), unit="game")) == list(range(1000))
    assert capsys.readouterr().err == ""


def test_a_log_gets_whole_lines(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "LINE_EVERY", 0.0)
    with progress_bar(total=4, done=1, unit="game", description="net 3") as bar:
        bar.set_postfix_str("A 1–0–2 B", refresh=False)
        bar.update()
        tqdm.write("between", file=sys.stderr)
        bar.update(2)
    told = capsys.readouterr().err
    assert "\r" not in told and "\n\n" not in told
    lines = told.splitlines()
    assert "between" in lines
    assert all(line == "between" or line.startswith("net 3: ") for line in lines)
    assert lines[-1].startswith("net 3: 100 %, 4/4 [") and lines[-1].endswith("A 1–0–2 B]")


def test_a_description_may_change(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "LINE_EVERY", 0.0)
    with progress_bar(total=2, unit="move") as bar:
        bar.set_description("a.sgf")
        bar.update(2)
    assert capsys.readouterr().err.splitlines()[-1].startswith("a.sgf: 100 %, 2/2 [")


def test_lines_are_a_minute_apart(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setattr(progress, "now", lambda: now)
    with progress_bar(total=600, unit="position") as bar:
        for second in range(600):
            now = float(second)
            bar.refresh()
            bar.update()
    told = [int(line.split(", ")[1].split("/")[0]) for line in capsys.readouterr().err.splitlines()]
    assert told == [*range(60, 600, 60), 600]


def test_a_terminal_gets_a_bar(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert list(progress_bar(range(3), unit="game")) == [0, 1, 2]
    told = capsys.readouterr().err
    assert "\r" in told and "3/3" in told


@pytest.mark.parametrize("is_terminal", [True, False])
def test_fleeting_progress_is_not_seen_at_once(
    is_terminal: bool, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: is_terminal)
    assert len(list(progress_bar(range(3), unit="opening", is_fleeting=True))) == 3
    assert capsys.readouterr().err.strip() == ""
