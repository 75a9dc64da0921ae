"""`miai analysis` as a process: answers on standard output alone, to the end of the input."""

import json
import subprocess
import sys

PROGRAM = [sys.executable, "-m", "miai.cli.main", "analysis", "--preset", "uct-random", "--memory", "16"]


def run(lines: list[object], *arguments: str) -> tuple[list[dict[str, object]], int]:
    text = "".join(json.dumps(line) + "\n" for line in lines)
    outcome = subprocess.run([*PROGRAM, *arguments], input=text, capture_output=True, text=True, timeout=300)
    assert "Traceback" not in outcome.stderr
    return [json.loads(line) for line in outcome.stdout.splitlines()], outcome.returncode


def test_all_that_is_queued_is_answered_before_the_end() -> None:
    query = {"moves": [], "rules": "chinese", "boardXSize": 5, "boardYSize": 5}
    lines = [query | {"id": "a", "maxVisits": 20}, query | {"id": "b"}, {"id": "v", "action": "query_version"}]
    answers, status = run(lines, "--simulations", "40", "--view", "sidetomove", "--positions", "2")
    assert status == 0
    visits = {answer["id"]: answer["rootInfo"]["visits"] for answer in answers if "rootInfo" in answer}  # type: ignore[index]
    assert visits == {"a": 20, "b": 40}


def test_what_is_queued_can_be_left_at_the_end_of_the_input() -> None:
    endless = {"id": "a", "moves": [], "rules": "chinese", "boardXSize": 5, "boardYSize": 5, "maxVisits": 1 << 40}
    answers, status = run([endless, {"id": "v", "action": "query_version"}], "--quit-without-waiting")
    assert status == 0
    assert [answer["id"] for answer in answers] == ["v"]


def test_wrong_options_end_in_one_line() -> None:
    outcome = subprocess.run([*PROGRAM, "--view", "red"], capture_output=True, text=True, timeout=60)
    assert outcome.returncode == 2 and "--view" in outcome.stderr and "Traceback" not in outcome.stderr
