"""The Go Text Protocol, version 2: its line format and the loop of an engine. It knows neither games nor players.

A reader thread turns bytes into exchanges and queues them; `serve` replies to them one after the other:

    bytes --read_lines--> lines --parse_line--> Exchange --dispatch--> reply

Because the reader goes on while a command runs, a later line can stop an analysis (`Exchange.superseded`) and GoGui's
comment `# interrupt` can end a search at once (`Exchange.interrupted`). Both reach every exchange that was
read before the line and has no reply yet, whether it runs or waits. The end of input supersedes them; it interrupts
them too once nobody is left to read the replies.

Every line gets exactly one reply, except those that are blank or only a comment.
"""

import collections
import re
import select
import threading
import traceback
from collections.abc import Callable, Iterator
from typing import BinaryIO, NamedTuple

from miai.engine.log import log
from miai.engine.search.rule_names import RuleFailure
from miai.players.option_kinds import OptionError

MAX_LINE = 1 << 16
"""Bytes of the longest line that is read, blanks before it not counted; a longer one is answered with an error."""
MAX_WAITING = 1 << 22
"""Bytes of lines that may wait for a reply; then the reader waits too."""

_CHUNK = 1 << 16
_BLANKS = bytes((*range(0x21), 0x7F))
"""Blanks, and control characters, which count for nothing."""
_LOOK_EVERY = 500
"""Milliseconds between two looks at whether the engine has ended, while it watches for readers that go away."""
_CONTROL_CHARACTERS = {code: None for code in (*range(0x20), 0x7F) if code != 0x09} | {0x09: " "}
_LINE_CONTROL_CHARACTERS = {code: None for code in (*range(0x20), 0x7F) if code not in (0x09, 0x0A)} | {0x09: " "}
_ID = re.compile(r"([0-9]+) *(.*)", re.DOTALL)


class CommandError(Exception):
    """A command cannot be carried out; `str(error)` is the text of the error reply."""


class SyntaxFault(CommandError):
    """Arguments that are missing or cannot be understood."""

    def __init__(self) -> None:
        super().__init__("syntax error")


class Disconnected(Exception):
    """Nobody reads the replies any more."""


class RawLine(NamedTuple):
    """A line as it was read."""

    data: bytes
    """Its bytes without the newline and the blanks before it, at most `MAX_LINE` of them."""
    is_cut: bool
    """Whether it was longer."""


class ParsedLine(NamedTuple):
    """A line that gets a reply."""

    identity: str
    """The digits before the command; empty if there are none."""
    name: str
    """Empty on a line of an id alone."""
    arguments: tuple[str, ...]
    text: str
    """All arguments as they were written, for file names with blanks."""


def clean_line(data: bytes) -> str:
    """Return the text of a line: no control characters, blanks for tabs, no blanks around it; comments are kept.

    Bytes that are no UTF-8 survive as surrogates, so that any file name can be passed through.
    """
    return data.decode("utf-8", "surrogateescape").translate(_CONTROL_CHARACTERS).strip(" ")


def parse_line(line: str) -> ParsedLine | None:
    """Take a cleaned line apart, or return None if it is blank or a comment, and so gets no reply."""
    text = line.partition("#")[0].strip(" ")
    if not text:
        return None
    identity = ""
    if match := _ID.fullmatch(text):
        identity, text = match.group(1), match.group(2)
    name, *arguments = [word for word in text.split(" ") if word] or [""]
    return ParsedLine(identity, name, tuple(arguments), text[len(name) :].strip(" "))


def is_interrupt(line: str) -> bool:
    """Tell whether a cleaned line is GoGui's `# interrupt`."""
    return line.startswith("#") and line[1:].strip(" ") == "interrupt"


def clean_reply(text: str) -> str:
    """Return a reply's text without blank lines, which would end it, and without control characters."""
    lines = text.replace("\r\n", "\n").translate(_LINE_CONTROL_CHARACTERS).split("\n")
    return "\n".join(line.rstrip(" ") for line in lines if line.strip(" "))


def format_reply(identity: str, text: str, is_error: bool = False) -> str:
    """Return a whole reply, with the blank line that ends it; a text that begins with a blank is a drawing."""
    text = clean_reply(text)
    gap = "\n" if text.startswith(" ") else " " if text else ""
    return f"{'?' if is_error else '='}{identity}{gap}{text}\n\n"


def read_lines(stream: BinaryIO) -> Iterator[RawLine]:
    """Yield the lines of a stream as they arrive, keeping at most `MAX_LINE` bytes of each in memory.

    A last line without a newline counts.
    """
    read = getattr(stream, "read1", stream.read)
    pending, is_cut = b"", False
    while chunk := read(_CHUNK):
        *ended, rest = chunk.split(b"\n")
        for part in ended:
            line = (pending + part).lstrip(_BLANKS)
            yield RawLine(line[:MAX_LINE], is_cut or len(line) > MAX_LINE)
            pending, is_cut = b"", False
        pending = (pending + rest).lstrip(_BLANKS)
        if len(pending) > MAX_LINE:
            pending, is_cut = pending[:MAX_LINE], True
    if pending:
        yield RawLine(pending, is_cut)


class ReplyWriter:
    """Write replies from any thread.

    Raises:
        Disconnected: from `write`, if nobody reads them any more.
    """

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._lock = threading.Lock()

    def write(self, text: str) -> None:
        """Write text and see that it leaves this process."""
        try:
            with self._lock:
                self._stream.write(text.encode("utf-8", "surrogateescape"))
                self._stream.flush()
        except (OSError, ValueError) as error:
            raise Disconnected from error

    def wait_until_unread(self, is_over: Callable[[], bool]) -> bool:
        """Wait until the reader goes away or `is_over`, and tell whether it went; False too where that cannot be seen.

        A file is always read.
        """
        if not hasattr(select, "poll"):
            return False
        poll = select.poll()
        try:
            poll.register(self._stream.fileno(), 0)
            while not is_over():
                if any(event & (select.POLLERR | select.POLLHUP) for _, event in poll.poll(_LOOK_EVERY)):
                    return True
        except (OSError, ValueError):
            pass
        return False


class Exchange:
    """A command and its reply.

    A handler returns the text of the reply, or writes it line by line with `send_line` and returns nothing.
    """

    def __init__(self, line: ParsedLine, writer: ReplyWriter, weight: int = 0, is_cut: bool = False) -> None:
        self.identity, self.name, self.arguments, self.text = line
        self.is_cut = is_cut
        """Whether the line was too long to be carried out."""
        self.weight = weight
        """Bytes of the line it came from."""
        self.superseded = threading.Event()
        """Set once any later line, or the end of input, was read: an analysis ends."""
        self.interrupted = threading.Event()
        """Set once a later `# interrupt` was read, or nobody reads replies: a search answers with what it has."""
        self.hurried = threading.Event()
        """Set once it is interrupted or the end of input was read: a search that shows its course ends likewise."""
        self.is_streaming = False
        """Whether the reply has begun."""
        self._writer = writer

    def send_line(self, text: str) -> None:
        """Send a line of the reply now. The first call begins a reply with `=` on a line of its own."""
        start = "" if self.is_streaming else f"={self.identity}\n"
        self.is_streaming = True
        text = clean_reply(text)
        self._writer.write(start + (f"{text}\n" if text else ""))

    def finish(self, text: str, is_error: bool = False) -> None:
        """End the reply: with `text`, or after the lines that were sent."""
        if not self.is_streaming:
            self._writer.write(format_reply(self.identity, text, is_error))
            return
        last = clean_reply(text)
        self._writer.write((f"{last}\n" if last else "") + "\n")

    def argument(self, index: int) -> str:
        """Return an argument.

        Raises:
            SyntaxFault: if there are not so many.
        """
        if index >= len(self.arguments):
            raise SyntaxFault
        return self.arguments[index]

    def integer(self, index: int) -> int:
        """Return an argument that is a whole number of at most nine digits.

        Raises:
            SyntaxFault: if it is missing or something else.
        """
        text = self.argument(index)
        if not re.fullmatch(r"[+-]?[0-9]{1,9}", text):
            raise SyntaxFault
        return int(text)


Dispatch = Callable[[Exchange], str | None]
"""Carries out a command: returns the reply's text, raises `CommandError`, or streams the reply and returns None."""


class Inbox:
    """The exchanges that wait or run, filled by a reader thread."""

    def __init__(self, stream: BinaryIO, writer: ReplyWriter) -> None:
        self._stream = stream
        self._writer = writer
        self._changed = threading.Condition()
        self._waiting: collections.deque[Exchange] = collections.deque()
        self._unanswered: list[Exchange] = []
        self._weight = 0
        self._has_ended = False
        self._is_closed = False

    def start_reading(self) -> None:
        """Start the reader thread."""
        threading.Thread(target=self._read, name="gtp-reader", daemon=True).start()

    def next(self) -> Exchange | None:
        """Wait for the next exchange; None after the last one."""
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._has_ended)
            return self._waiting.popleft() if self._waiting else None

    def forget(self, exchange: Exchange) -> None:
        """Forget an exchange that has its reply."""
        with self._changed:
            self._unanswered.remove(exchange)
            self._weight -= exchange.weight
            self._changed.notify_all()

    def close(self) -> None:
        """Note that there will be no more replies."""
        self._is_closed = True

    def _read(self) -> None:
        try:
            for line in read_lines(self._stream):
                self._take(line)
        except (OSError, ValueError):
            pass
        with self._changed:
            self._has_ended = True
            self._supersede()
            for exchange in self._unanswered:
                exchange.hurried.set()
            self._changed.notify_all()
        if self._writer.wait_until_unread(lambda: self._is_closed):
            self._interrupt()

    def _take(self, raw: RawLine) -> None:
        line = clean_line(raw.data)
        parsed = parse_line(line)
        with self._changed:
            self._supersede()
            if is_interrupt(line):
                self._interrupt()
            if parsed is None:
                return
            if raw.is_cut and line.isdigit() and raw.data[-1:].isdigit():
                parsed = parsed._replace(identity="")
            self._changed.wait_for(lambda: self._weight <= MAX_WAITING)
            exchange = Exchange(parsed, self._writer, len(raw.data), raw.is_cut)
            self._weight += exchange.weight
            self._waiting.append(exchange)
            self._unanswered.append(exchange)
            self._changed.notify_all()

    def _supersede(self) -> None:
        for exchange in self._unanswered:
            exchange.superseded.set()

    def _interrupt(self) -> None:
        with self._changed:
            for exchange in self._unanswered:
                exchange.interrupted.set()
                exchange.hurried.set()


def answer(exchange: Exchange, dispatch: Dispatch) -> None:
    """Carry out one command and send its whole reply, whatever happens."""
    try:
        if exchange.is_cut:
            raise CommandError("line too long")
        if not exchange.name:
            raise CommandError("unknown command")
        text, is_error = dispatch(exchange) or "", False
    except (CommandError, OptionError, RuleFailure) as error:
        text, is_error = str(error), True
    except Disconnected:
        raise
    except Exception as error:
        log(traceback.format_exc())
        text, is_error = f"internal error: {type(error).__name__}: {error}"[:500], True
    if is_error and exchange.is_streaming:
        log(f"{exchange.name}: {text}")
        text = ""
    exchange.finish(text, is_error)


def serve(
    requests: BinaryIO, replies: BinaryIO, dispatch: Dispatch, on_first_reply: Callable[[], None] | None = None
) -> None:
    """Reply to commands until `quit`, the end of input, or until nobody reads the replies.

    Commands that were read before the end of input are still answered. `on_first_reply` is called once, when the first
    reply has been sent.
    """
    inbox = Inbox(requests, ReplyWriter(replies))
    inbox.start_reading()
    try:
        while (exchange := inbox.next()) is not None:
            answer(exchange, dispatch)
            inbox.forget(exchange)
            if exchange.name == "quit":
                return
            if on_first_reply is not None:
                on_first_reply()
                on_first_reply = None
    except Disconnected:
        return
    finally:
        inbox.close()
