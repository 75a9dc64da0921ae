import io
import os
import subprocess
import sys
import threading

import pytest

from miai.gtp.commands import TOPICS, command_names, commands_of, handler_of
from miai.gtp.protocol import (
    MAX_LINE,
    CommandError,
    Exchange,
    clean_line,
    clean_reply,
    format_reply,
    is_interrupt,
    parse_line,
    read_lines,
    serve,
)
from tests.gtp.conversation import Conversation


def run(requests: bytes, dispatch) -> str:
    replies = io.BytesIO()
    serve(io.BytesIO(requests), replies, dispatch)
    return replies.getvalue().decode()


def echo(exchange: Exchange) -> str:
    return f"{exchange.name}({','.join(exchange.arguments)})"


def test_pipelined_commands_are_answered_in_order_and_the_last_line_needs_no_newline():
    assert run(b"1 a\n2 b x\n\n# no\nc", echo) == "=1 a()\n\n=2 b(x)\n\n= c()\n\n"


def test_nothing_after_quit_is_answered():
    assert run(b"a\nquit\nb\n", echo) == "= a()\n\n= quit()\n\n"


@pytest.mark.parametrize("line", [b"", b"   ", b"\t", b"\r", b"# x", b" \t# 12", b"\x01\x7f"])
def test_a_line_that_asks_nothing_gets_no_reply(line):
    assert run(line + b"\nname\n", echo) == "= name()\n\n"


@pytest.mark.parametrize("line", [b"40", b" 40", b"40 ", b"\t40\r", b"40 # comment", b"40#", b"4\x000"])
def test_an_id_without_a_command_is_an_unknown_command(line):
    assert run(line + b"\nname\n" + line, echo) == "?40 unknown command\n\n= name()\n\n?40 unknown command\n\n"


@pytest.mark.parametrize("blank", [b" ", b"\t", b"\x00", b"\r", b"\x7f \t"])
def test_any_number_of_blanks_before_a_command_is_nothing(blank):
    blanks = blank * (3 * MAX_LINE)
    assert run(blanks + b"5 name x\n" + blanks + b"\n" + blanks + b"# 5\n" + blanks + b"7", echo) == (
        "=5 name(x)\n\n?7 unknown command\n\n"
    )


@pytest.mark.parametrize(
    ("line", "identity"),
    [
        (b"1" * (MAX_LINE + 1), ""),
        (b"1" * (3 * MAX_LINE) + b" name", ""),
        (b"12" + b" " * (2 * MAX_LINE), "12"),
        (b"12" + b" " * (2 * MAX_LINE) + b"name", "12"),
        (b"12#" + b" " * (2 * MAX_LINE) + b"name", "12"),
    ],
    ids=["id", "id-name", "id-blanks", "id-blanks-name", "id-comment"],
)
def test_a_line_too_long_gets_an_error_with_its_id_if_that_is_whole(line, identity):
    assert run(line + b"\n1 name\n", echo) == f"?{identity} line too long\n\n=1 name()\n\n"


def test_an_id_may_have_any_number_of_digits_that_a_line_has():
    digits = "7" * (MAX_LINE - 5)
    assert run(f"{digits} name\n{digits}\n".encode(), echo) == f"={digits} name()\n\n?{digits} unknown command\n\n"


def test_names_of_files_keep_their_blanks_and_strange_bytes():
    parsed = parse_line(clean_line(b"3loadsgf  my  games/\xff\xe4.sgf 12 # last"))
    assert parsed is not None
    assert parsed.identity == "3"
    assert parsed.text.encode("utf-8", "surrogateescape") == b"my  games/\xff\xe4.sgf 12"


@pytest.mark.parametrize("line", [b"# interrupt", b"#interrupt", b"#\tinterrupt \r"])
def test_the_comment_interrupt_is_recognised(line):
    assert is_interrupt(clean_line(line))


@pytest.mark.parametrize("line", [b"interrupt", b"# interrupted", b"name # interrupt", b"# please interrupt"])
def test_other_lines_are_no_interrupt(line):
    assert not is_interrupt(clean_line(line))


def test_a_reply_has_no_blank_line_inside_and_no_control_characters():
    assert clean_reply("a\n\n \n\r\nb\x00\x1b[0m\tc\n") == "a\nb[0m c"
    assert format_reply("7", "") == "=7\n\n"
    assert format_reply("", "no\n\nthing", is_error=True) == "? no\nthing\n\n"
    assert format_reply("", "  A B\n1 . .") == "=\n  A B\n1 . .\n\n"


def test_a_line_too_long_gets_one_error_and_the_next_line_is_answered():
    assert run(b"5 " + b"x" * (3 * MAX_LINE) + b"\nname\n", echo) == "?5 line too long\n\n= name()\n\n"


def test_a_comment_too_long_gets_no_reply():
    assert run(b"#" + b"x" * (3 * MAX_LINE) + b"\nname\n", echo) == "= name()\n\n"


def test_an_endless_line_is_read_in_bounded_memory():
    class Endless(io.RawIOBase):
        chunks = 0
        largest = 0

        def read(self, size=-1):
            self.chunks += 1
            self.largest = max(self.largest, size)
            return b"x" * size if self.chunks <= 2000 else b""

    stream = Endless()
    lines = list(read_lines(stream))
    assert [(len(line.data), line.is_cut) for line in lines] == [(MAX_LINE, True)]
    assert stream.largest <= MAX_LINE


def test_the_reader_waits_while_too_much_is_unanswered():
    may_answer = threading.Event()

    def wait(exchange):
        may_answer.wait(60)
        return ""

    class Flood(io.RawIOBase):
        num_read = 0

        def read(self, size=-1):
            self.num_read += size
            return (b"x" * (size - 1) + b"\n") if self.num_read < 40_000_000 else b""

    stream = Flood()
    replies = io.BytesIO()
    thread = threading.Thread(target=serve, args=(stream, replies, wait))
    thread.start()
    previous = -1
    while stream.num_read != previous:
        previous = stream.num_read
        thread.join(0.5)
    assert 0 < stream.num_read < 8_000_000
    may_answer.set()
    thread.join(60)
    assert replies.getvalue().count(b"\n\n") == 40_000_000 // MAX_LINE


def test_a_failing_handler_is_an_error_reply_and_not_the_end(capsys):
    def fail(exchange):
        if exchange.name == "bug":
            raise RuntimeError("oh\n\nno")
        raise CommandError("not so")

    assert run(b"1 bug\n2 other\n", fail) == "?1 internal error: RuntimeError: oh\nno\n\n?2 not so\n\n"
    assert "Traceback" in capsys.readouterr().err


def test_an_error_in_a_reply_that_has_begun_ends_the_reply(capsys):
    def fail(exchange):
        exchange.send_line("info")
        raise CommandError("broken")

    assert run(b"4 x\n5 x\n", fail) == "=4\ninfo\n\n=5\ninfo\n\n"
    assert "broken" in capsys.readouterr().err


def test_a_reader_that_goes_away_ends_the_loop_quietly():
    class Closed(io.RawIOBase):
        def write(self, data):
            raise BrokenPipeError

        def flush(self):
            pass

    answered = []
    serve(io.BytesIO(b"a\nb\n"), Closed(), lambda exchange: answered.append(exchange.name))
    assert answered == ["a"]


def wait_for(event_name):
    def dispatch(exchange):
        if exchange.name == "wait":
            return "woken" if getattr(exchange, event_name).wait(60) else "forgotten"
        return "interrupted" if exchange.interrupted.is_set() else "not interrupted"

    return lambda requests, replies: serve(requests, replies, dispatch)


@pytest.mark.parametrize("line", ["name", "", "# comment", "# interrupt"])
def test_any_line_supersedes_a_running_command(line):
    with Conversation(wait_for("superseded")) as conversation:
        conversation.send("wait")
        conversation.send(line)
        assert conversation.read_reply() == "= woken\n\n"


def test_the_end_of_input_supersedes_a_running_command():
    with Conversation(wait_for("superseded")) as conversation:
        conversation.send("wait")
        assert conversation.finish() == "= woken\n\n"


def test_only_an_interrupt_interrupts_and_only_what_was_sent_before_it():
    with Conversation(wait_for("interrupted")) as conversation:
        conversation.send("wait")
        conversation.send("other\n# interrupt\nother")
        assert conversation.read_reply() == "= woken\n\n"
        assert conversation.read_reply() == "= interrupted\n\n"
        assert conversation.read_reply() == "= not interrupted\n\n"


def test_the_end_of_input_hurries_what_runs_and_what_waits_but_interrupts_nothing():
    def dispatch(exchange):
        assert exchange.hurried.wait(60)
        return "interrupted" if exchange.interrupted.is_set() else "not interrupted"

    assert run(b"a\nb\n", dispatch) == "= not interrupted\n\n= not interrupted\n\n"


def test_an_interrupt_hurries_too():
    with Conversation(wait_for("hurried")) as conversation:
        conversation.send("wait\n# interrupt")
        assert conversation.read_reply() == "= woken\n\n"


def test_a_command_is_interrupted_when_its_input_has_ended_and_nobody_reads_its_reply():
    engine_reads, send_to = os.pipe()
    read_from, engine_writes = os.pipe()
    woken = []

    def dispatch(exchange):
        woken.append(exchange.interrupted.wait(60))
        return ""

    with os.fdopen(engine_reads, "rb") as requests, os.fdopen(engine_writes, "wb", buffering=0) as replies:
        thread = threading.Thread(target=serve, args=(requests, replies, dispatch))
        thread.start()
        os.write(send_to, b"genmove b\n")
        os.close(send_to)
        thread.join(0.2)
        assert thread.is_alive() and not woken, "the reader is still there: the command goes on"
        os.close(read_from)
        thread.join(60)
    assert woken == [True]


def test_an_interrupt_that_arrives_together_with_its_command_counts():
    with Conversation(wait_for("interrupted")) as conversation:
        conversation.send(b"wait\n# interrupt\n")
        assert conversation.read_reply() == "= woken\n\n"


def test_the_table_names_exactly_the_commands_that_are_declared():
    for topic, names in TOPICS.items():
        assert {command.name for command in commands_of(topic)} == set(names)
    assert len(command_names()) == len(set(command_names()))
    assert not {"analyze", "genmove_analyze"} & set(command_names())
    with pytest.raises(CommandError, match="^unknown command$"):
        handler_of("analyze")


def test_cheap_commands_import_neither_numpy_nor_numba():
    program = """
import io, sys
import miai.cli.gtp
from miai.gtp.session import Session
from miai.gtp.in_process import engine_loop
lines = b"name\\nversion\\nprotocol_version\\nlist_commands\\nknown_command play\\nnonsense\\nquit\\n"
replies = io.BytesIO()
engine_loop(Session())(io.BytesIO(lines), replies)
assert replies.getvalue().count(b"\\n\\n") == 7, replies.getvalue()
loaded = {"numpy", "numba", "scipy", "torch", "miai.engine.jit"} & set(sys.modules)
assert not loaded, loaded
import miai.gtp.client, miai.engine.search.time_management
assert "numpy" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)
