"""`miai gtp` as a real process, as clients start it. The limits only catch what hangs; compiling may be slow."""

import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from miai.gtp.client import Client

ENGINE = [sys.executable, "-m", "miai.cli.main", "gtp", "--memory", "16", "--seed", "1"]
PATIENCE = 300.0


def run(lines: bytes, *options: str) -> subprocess.CompletedProcess:
    return subprocess.run([*ENGINE, *options], input=lines, capture_output=True, timeout=PATIENCE)


@pytest.fixture(scope="module")
def thinker():
    """An engine that thinks for a thousand seconds unless it is interrupted."""
    with Client.start([*ENGINE, "--time", "1000", "--resign-below", "0"]) as client:
        client.send("boardsize 9", timeout=PATIENCE)
        yield client


def test_the_end_of_input_ends_the_process_with_status_0():
    assert run(b"").returncode == 0
    result = run(b"1 name\n2name\n3")
    assert (result.returncode, result.stdout) == (0, b"=1 miai\n\n=2 miai\n\n?3 unknown command\n\n")


def test_what_was_asked_before_the_end_of_input_is_answered():
    result = run(b"boardsize 9\n5 genmove b\nfinal_score", "--simulations", "50")
    assert result.returncode == 0
    assert re.fullmatch(
        rb"=\n\n=5 [A-HJ][1-9]\n\n= (0|[BW]\+[0-9.]+)\n\n", re.sub(rb"= *\n\n", b"=\n\n", result.stdout)
    )


@pytest.mark.parametrize("preset", ["net", "fuego"])
def test_the_end_of_input_ends_a_search_that_is_watched_with_a_move(preset):
    lines = b"kata-genmove_analyze b 10\n2 lz-genmove_analyze w\nkata-analyze 10\nname\n"
    result = run(lines, "--preset", preset, "--time", "10000", "--resign-below", "0")
    assert result.returncode == 0
    moved = rb"(info move .*\n)+play [A-HJ][1-9]\n\n"
    assert re.fullmatch(rb"=\n" + moved + rb"=2\n" + moved + rb"=\ninfo .*\n\n= miai\n\n", result.stdout), result.stdout


@pytest.mark.parametrize(
    "command", ["genmove b", "reg_genmove b", "kata-genmove_analyze b 10", "kgs-genmove_cleanup b"]
)
def test_a_client_that_goes_away_ends_a_long_search(command):
    arguments = [*ENGINE, "--preset", "fuego", "--time", "10000"]
    process = subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        process.stdin.write(f"showboard\n{command}\n".encode())
        process.stdin.flush()
        assert process.stdout.readline() == b"=\n"
        process.stdin.close()
        process.stdout.close()
        assert process.wait(PATIENCE) == 0
        assert b"Traceback" not in process.stderr.read()
    finally:
        process.kill()
        process.stderr.close()


def test_quit_is_answered_and_ends_the_process_also_while_it_loads():
    result = run(b"name\nquit\nname\n")
    assert (result.returncode, result.stdout) == (0, b"= miai\n\n=\n\n")


def test_the_same_seed_plays_the_same_game_in_another_process():
    lines = b"clear_board\n" + b"genmove b\ngenmove w\n" * 5
    first, second = run(lines, "--simulations", "100"), run(lines, "--simulations", "100")
    assert first.stdout == second.stdout
    assert len(set(first.stdout.split(b"\n\n"))) > 5


def test_a_client_that_stops_reading_ends_the_process_quietly():
    process = subprocess.Popen(ENGINE, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        process.stdout.close()
        process.stdin.write(b"name\nlist_commands\n")
        process.stdin.flush()
        assert process.wait(PATIENCE) == 0
        assert b"Traceback" not in process.stderr.read()
    finally:
        process.kill()
        process.stdin.close()
        process.stderr.close()


def test_an_interrupt_from_the_keyboard_ends_the_process_without_a_traceback():
    process = subprocess.Popen(ENGINE, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        process.stdin.write(b"name\n")
        process.stdin.flush()
        assert process.stdout.readline() == b"= miai\n"
        process.send_signal(signal.SIGINT)
        process.wait(PATIENCE)
        assert b"Traceback" not in process.stderr.read()
    finally:
        process.kill()
        for stream in (process.stdin, process.stdout, process.stderr):
            stream.close()


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
@pytest.mark.parametrize("preset", ["net", "fuego"])
def test_a_signal_ends_a_search_without_a_traceback(preset, name):
    if signal.getsignal(getattr(signal, name)) is signal.SIG_IGN:
        pytest.skip(f"{name} is ignored here, as under nohup, and so by what is started")
    arguments = [*ENGINE, "--preset", preset, "--time", "10000"]
    process = subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        process.stdin.write(b"kata-analyze 1\n")
        process.stdin.flush()
        assert process.stdout.readline() == b"=\n"
        assert process.stdout.readline().startswith(b"info move ")
        process.send_signal(getattr(signal, name))
        assert process.wait(PATIENCE) == -getattr(signal, name)
        assert b"Traceback" not in process.stderr.read()
    finally:
        process.kill()
        for stream in (process.stdin, process.stdout, process.stderr):
            stream.close()


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs /proc")
@pytest.mark.parametrize("preset", ["net", "fuego"])
def test_games_on_end_take_no_more_memory(preset):
    arguments = [*ENGINE, "--preset", preset, "--simulations", "30", "--resign-below", "0"]
    with Client.start(arguments) as client:

        def peak_after_games(number: int) -> int:
            """Return the most memory that the process ever had, in KiB."""
            for _ in range(number):
                client.send("clear_board", PATIENCE)
                for color in "bw" * 15:
                    client.send(f"genmove {color}", PATIENCE)
                client.write("kata-analyze 1 ownership true")
                client.write("name")
                client.read_reply(PATIENCE)
                assert client.read_reply(PATIENCE) == "miai"
            status = Path(f"/proc/{client.channel.process.pid}/status").read_text()
            return int(re.search(r"VmHWM:\s+(\d+) kB", status)[1])

        early = peak_after_games(5)
        assert peak_after_games(20) < early + 32 * 1024


def test_only_replies_reach_the_standard_output():
    program = """
import os, subprocess
from miai.gtp.protocol import serve
from miai.cli.gtp import take_standard_streams
requests, replies = take_standard_streams()
def be_noisy(exchange):
    print("from Python")
    os.write(1, b"from a library\\n")
    subprocess.run(["echo", "from a child"])
    return "quiet"
serve(requests, replies, be_noisy)
"""
    result = subprocess.run([sys.executable, "-c", program], input=b"a\nb\n", capture_output=True, timeout=60)
    assert result.stdout == b"= quiet\n\n= quiet\n\n"
    for source in (b"from Python", b"from a library", b"from a child"):
        assert result.stderr.count(source) == 2


def test_binary_input_and_a_very_long_line_get_one_error_each():
    result = run(bytes(range(128, 256)) + b"\n" + b"play b " * 2_000_000 + b"\nname\n")
    assert result.returncode == 0
    assert result.stdout == b"? unknown command\n\n? line too long\n\n= miai\n\n"


@pytest.mark.parametrize(
    "command", ["lz-analyze b 10", "kata-analyze 10", "lz-analyze interval 10", "kata-analyze b interval 10"]
)
def test_an_analysis_shows_better_and_better_lines_until_any_line_comes(thinker, command):
    thinker.send("clear_board", PATIENCE)
    visits = []

    def see(line: str) -> None:
        visits.append(sum(int(number) for number in re.findall(r"\bvisits (\d+)", line)))
        if len(visits) == 3:
            thinker.write("protocol_version")

    thinker.write(command)
    thinker.read_reply(PATIENCE, see)
    assert thinker.read_reply(PATIENCE) == "2"
    assert visits[0] < visits[1] < visits[2]


def test_an_analysis_without_an_interval_shows_something(thinker):
    seen = []

    def see(line: str) -> None:
        seen.append(line)
        thinker.write("")

    thinker.write("lz-analyze")
    thinker.read_reply(PATIENCE, see)
    assert seen[0].startswith("info move ")


def test_pipelined_commands_wait_for_their_turn_and_analysis_for_nobody(thinker):
    thinker.send("clear_board", PATIENCE)
    for line in ("play b E5", "lz-analyze w 10", "undo", "lz-analyze 10", "undo", "name"):
        thinker.write(line)
    assert thinker.read_reply(PATIENCE) == ""
    assert thinker.read_reply(PATIENCE).startswith("info move ")
    assert thinker.read_reply(PATIENCE) == ""
    assert thinker.read_reply(PATIENCE).startswith("info move ")
    with pytest.raises(Exception, match="^cannot undo$"):
        thinker.read_reply(PATIENCE)
    assert thinker.read_reply(PATIENCE) == "miai"


@pytest.mark.parametrize("command", ["genmove b", "lz-genmove_analyze b 10"])
def test_a_line_does_not_abort_a_genmove_but_an_interrupt_makes_it_answer(thinker, command):
    thinker.send("clear_board", PATIENCE)
    thinker.write(command)
    thinker.write("name")
    thinker.write("")
    time.sleep(1.0)
    assert thinker._lines.empty() or "analyze" in command
    thinker.write("# interrupt")
    reply = thinker.read_reply(PATIENCE)
    assert re.fullmatch(r"(play )?[A-HJ][1-9]", reply.split("\n")[-1])
    assert thinker.read_reply(PATIENCE) == "miai"
    assert thinker.send("undo", PATIENCE) == ""


def test_a_clock_limits_the_time_of_a_move(thinker):
    thinker.send("clear_board", PATIENCE)
    thinker.send("time_settings 5 0 0", PATIENCE)
    start = time.monotonic()
    thinker.send("genmove b", PATIENCE)
    assert time.monotonic() - start < 5.0, "lost on time"
    thinker.send("time_settings 0 1 0", PATIENCE)


def test_live_graphics_appear_on_stderr():
    with Client.start([*ENGINE, "--time", "2"]) as client:
        client.send("miai-param live_gfx variation", PATIENCE)
        client.send("genmove b", PATIENCE)
        lines = client.last_lines
    start = lines.index("gogui-gfx:")
    assert lines[start + 1].startswith("VAR b ")
    assert lines[start + 2].startswith("TEXT Black: ")
    assert lines[start + 3] == ""
