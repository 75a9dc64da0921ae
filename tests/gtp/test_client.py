"""The client against engines that behave and engines that do not."""

import os
import signal
import subprocess
import sys
import time

import pytest

from miai.gtp.client import Client, EngineCrashed, EngineTimeout, GtpError, ProtocolViolation
from miai.gtp.in_process import connect
from miai.gtp.protocol import CommandError, serve

ODD_ENGINE = """
import os, subprocess, sys, time
print("ready", file=sys.stderr, flush=True)
for line in sys.stdin:
    number, _, command = line.strip().partition(" ")
    if command == "die":
        print("last words", file=sys.stderr)
        sys.exit(3)
    if command == "hang":
        time.sleep(1000)
    if command == "late":
        time.sleep(4.0)
    if command == "close":
        os.close(1)
        time.sleep(1000)
    if command == "flood":
        print(f"={number} x")
        while True:
            print("x" * 100_000)
    if command == "child":
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(1000)"])
        print(f"={number} {child.pid}\\n", flush=True)
        continue
    replies = {
        "junk": "hello\\n\\n", "error": f"?{number} bad  \\r\\n\\r\\n", "lines": f"\\n\\n={number}\\r\\na\\r\\nb\\n\\n",
        "noise": "".join(f"{i}\\n" for i in range(99)), "list_commands": f"={number} a\\nb\\n\\n",
        "version": f"?{number} unknown command\\n\\n", "forgets": "= x\\n\\n",
        "repeats": f"={number} x\\n\\n={number} y\\n\\n",
    }
    if command == "noise":
        sys.stderr.write(replies["noise"] * 2000)
        sys.stderr.flush()
        command = "quiet"
    sys.stdout.write(replies.get(command, f"={number} {command}\\n\\n"))
    sys.stdout.flush()
    if command == "quit":
        break
"""


@pytest.fixture
def client():
    with Client.start([sys.executable, "-c", ODD_ENGINE]) as client:
        yield client


def test_replies_are_read_whatever_they_look_like(client):
    assert client.send("hello  there") == "hello  there"
    assert client.send("lines") == "a\nb"
    with pytest.raises(GtpError, match="^bad$"):
        client.send("error")
    assert client.send("again", timeout=30) == "again"


def test_name_version_and_commands_can_be_asked(client):
    assert client.name == "name"
    assert client.version == ""
    assert client.supports("a") and client.supports("b") and not client.supports("c")


def test_a_crash_is_told_with_status_and_last_words(client):
    with pytest.raises(EngineCrashed, match=r"status 3[^$]*last words"):
        client.send("die", timeout=30)
    with pytest.raises(EngineCrashed):
        client.send("name")


def test_closing_the_output_counts_as_a_crash(client):
    with pytest.raises(EngineCrashed, match="closed its output"):
        client.send("close", timeout=30)


def test_a_missing_program_is_a_crash():
    with pytest.raises(EngineCrashed, match="cannot start"):
        Client.start("/no/such/program --gtp")


def test_a_timeout_leaves_nothing_to_ask(client):
    with pytest.raises(EngineTimeout):
        client.send("hang", timeout=0.2)
    with pytest.raises(EngineTimeout):
        client.send("name")


@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="stops a process")
def test_no_patience_is_lost_while_this_process_is_stopped():
    program = """if True:
        import sys
        from miai.gtp.client import Client
        with Client.start([sys.executable, "-c", sys.argv[1]]) as client:
            print(client.send("ready", timeout=30), flush=True)
            print(client.send("late", timeout=2.0))
        """
    command = [sys.executable, "-c", program, ODD_ENGINE]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None and process.stdout.readline() == "ready\n"
        time.sleep(0.2)
        process.send_signal(signal.SIGSTOP)
        time.sleep(3.4)
        process.send_signal(signal.SIGCONT)
        assert process.stdout.read() == "late\n"


def test_what_is_no_reply_is_a_violation(client):
    with pytest.raises(ProtocolViolation, match="hello"):
        client.send("junk", timeout=30)


def test_a_reply_without_its_id_is_a_violation(client):
    with pytest.raises(ProtocolViolation, match="without the id of its command, '= x', where '=1' was due"):
        client.send("forgets", timeout=30)
    with pytest.raises(ProtocolViolation):
        client.send("name")


def test_a_second_reply_to_one_command_is_found_out_by_the_next(client):
    assert client.send("repeats", timeout=30) == "x"
    with pytest.raises(ProtocolViolation, match="a reply out of turn, '=1 y', where '=4' was due"):
        client.send("name", timeout=30)


def test_only_commands_have_ids_and_nothing_is_read_that_was_not_asked_for(client):
    with pytest.raises(ValueError, match="no command waits"):
        client.read_reply(timeout=30)
    with connect(lambda requests, replies: serve(requests, replies, lambda exchange: exchange.name)) as miai:
        for line in ("# a comment", "", "name", " ", "version # why not"):
            miai.write(line)
        assert [miai.read_reply(30), miai.read_reply(30)] == ["name", "version"]


def test_an_endless_reply_is_a_violation(client):
    with pytest.raises(ProtocolViolation, match="does not end"):
        client.send("flood", timeout=60)


def test_a_lot_on_stderr_blocks_nobody_and_its_end_is_kept(client):
    assert client.send("noise", timeout=60) == "quiet"
    deadline = time.monotonic() + 30
    while client.last_lines[-1] != "98" and time.monotonic() < deadline:
        time.sleep(0.01)
    assert client.last_lines == [str(i) for i in range(49, 99)]


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    with open(f"/proc/{pid}/stat") as file:
        return file.read().rpartition(")")[2].split()[0] != "Z"


@pytest.mark.skipif(not os.path.exists("/proc/self/stat"), reason="reads /proc")
def test_closing_ends_the_engine_and_all_it_started():
    client = Client.start([sys.executable, "-c", ODD_ENGINE])
    child = int(client.send("child", timeout=30))
    assert is_running(child)
    client.close()
    deadline = time.monotonic() + 30
    while is_running(child) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not is_running(child)
    client.close()
    with pytest.raises(EngineCrashed):
        client.send("name")


def test_a_line_break_in_a_command_is_refused(client):
    with pytest.raises(ValueError):
        client.send("name\nversion")


def test_an_engine_of_this_process_answers_like_any_other():
    def dispatch(exchange):
        if exchange.name == "fail":
            raise CommandError("no")
        return exchange.name

    with connect(lambda requests, replies: serve(requests, replies, dispatch)) as client:
        assert client.send("name") == "name"
        with pytest.raises(GtpError, match="^no$"):
            client.send("fail")


def test_the_exception_that_ended_an_engine_of_this_process_is_told():
    def run(requests, replies):
        requests.readline()
        raise RuntimeError("broken inside")

    with connect(run) as client, pytest.raises(EngineCrashed, match="broken inside"):
        client.send("name", timeout=30)


def test_lines_of_a_long_reply_are_seen_as_they_come():
    seen = []
    with Client.start([sys.executable, "-c", ODD_ENGINE]) as client:
        client.write("lines")
        assert client.read_reply(30, seen.append) == "a\nb"
    assert seen == ["a", "b"]
