"""Drive a GTP engine that is a program of its own.

    with Client.start("gnugo --mode gtp") as client:
        client.send("boardsize 9")
        print(client.send("genmove b", timeout=60.0))

A `Client` speaks over a `Channel`, which only moves bytes: `ProcessChannel` runs a program in a process group of its
own. Reading is tolerant of what engines really send (CRLF, blank lines before a reply) and strict about what cannot be
understood. Every command has an id, which its reply must repeat as GTP version 2 says: without one, a reply could not
be told from one to an earlier command.
"""

import collections
import itertools
import os
import queue
import re
import shlex
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import BinaryIO, Protocol

_LAST_LINES = 50
_MAX_LINE = 1 << 20
_MAX_REPLY = 1 << 26
_STOPPED = 1.0
"""Seconds by which a wait ends late where this process was stopped in it, as by Ctrl+Z: then it begins again."""
_REPLY_START = re.compile(r"^([=?])(\d*)(?:\s+(.*))?$", re.DOTALL)


class ClientError(Exception):
    """Whatever goes wrong between a client and its engine."""


class GtpError(ClientError):
    """The engine replied `?`; `str(error)` is the text of its reply."""


class EngineCrashed(ClientError):
    """The engine ended or closed its output before it answered."""


class EngineTimeout(ClientError):
    """The engine did not reply in time. It takes no more commands afterwards."""


class ProtocolViolation(ClientError):
    """The engine wrote something that is no GTP reply. Nothing can be asked of it afterwards."""


class Channel(Protocol):
    """A way to an engine and back."""

    requests: BinaryIO
    """What is written here, the engine reads."""
    replies: BinaryIO
    """What the engine writes."""

    def describe_end(self) -> str:
        """Tell how the engine ended and its last words, when its replies have ended."""
        ...

    def close(self, grace: float) -> None:
        """End the engine, `grace` seconds after its input was closed at the latest."""
        ...


class ProcessChannel:
    """Run a program in a process group of its own, so that everything it started ends with it.

    Its stderr is read all the time: the last lines are kept, and forwarded to ours if `forward_stderr`.
    """

    def __init__(
        self,
        command: str | Sequence[str],
        cwd: str | None = None,
        env: Mapping[str, str] | None = None,
        forward_stderr: bool = False,
    ) -> None:
        arguments = shlex.split(command) if isinstance(command, str) else list(command)
        if not arguments:
            raise ValueError("no command to start an engine with")
        try:
            self.process = subprocess.Popen(
                arguments,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                cwd=cwd,
                env=None if env is None else dict(env),
                start_new_session=True,
            )
        except OSError as error:
            raise EngineCrashed(f"cannot start {arguments[0]!r}: {error.strerror or error}") from error
        assert self.process.stdin and self.process.stdout and self.process.stderr
        self.requests: BinaryIO = self.process.stdin  # type: ignore[assignment]
        self.replies: BinaryIO = self.process.stdout  # type: ignore[assignment]
        self._stderr: BinaryIO = self.process.stderr  # type: ignore[assignment]
        self._forward = forward_stderr
        self._last_lines: collections.deque[str] = collections.deque(maxlen=_LAST_LINES)
        self._drain = threading.Thread(target=self._drain_stderr, name="gtp-client-stderr", daemon=True)
        self._drain.start()

    def _drain_stderr(self) -> None:
        while line := self._stderr.readline(_MAX_LINE):
            text = line.decode("utf-8", "replace").rstrip("\r\n")
            self._last_lines.append(text)
            if self._forward:
                print(text, file=sys.stderr, flush=True)

    @property
    def last_lines(self) -> list[str]:
        """The last lines that the program wrote to stderr."""
        return list(self._last_lines)

    def describe_end(self) -> str:
        """Tell the exit status and the last lines of stderr."""
        try:
            status = self.process.wait(1.0)
            self._drain.join(1.0)
            end = f"ended with status {status}" if status >= 0 else f"was ended by signal {-status}"
        except subprocess.TimeoutExpired:
            end = "closed its output"
        lines = self.last_lines
        return f"the engine {end}" + ("; its last words:\n" + "\n".join(lines) if lines else "")

    def close(self, grace: float) -> None:
        """Close the program's input, give it `grace` seconds to end, then kill its process group."""
        try:
            self.requests.close()
        except OSError:
            pass
        deadline = time.monotonic() + grace
        while not self._has_ended() and time.monotonic() < deadline:
            time.sleep(0.01)
        self._kill_group()
        self.process.wait()
        self._drain.join(1.0)

    def _has_ended(self) -> bool:
        """Tell whether the program ended, without reaping it: until then no other group can bear its number."""
        if self.process.returncode is not None or not hasattr(os, "waitid"):
            return self.process.poll() is not None
        try:
            return os.waitid(os.P_PID, self.process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
        except ChildProcessError:  # another thread has reaped it since
            return True

    def _kill_group(self) -> None:
        try:
            if hasattr(os, "killpg"):
                os.killpg(self.process.pid, signal.SIGKILL)
            else:
                self.process.kill()
        except (ProcessLookupError, PermissionError):
            pass


class Client:
    """Send commands to an engine and read its replies.

    A command that times out, or a reply that cannot be understood, leaves the channel out of step, so every
    later `send` raises the same error again; `close` always works.
    """

    def __init__(self, channel: Channel) -> None:
        self.channel = channel
        self._lines: queue.Queue[bytes] = queue.Queue(maxsize=10_000)
        self._closed = False
        self._broken: ClientError | None = None
        self._commands: frozenset[str] | None = None
        self._ids = itertools.count(1, 3)  # gaps give away an engine that counts instead of repeating ids
        self._due: collections.deque[int] = collections.deque()
        self._reader = threading.Thread(target=self._read_lines, name="gtp-client-stdout", daemon=True)
        self._reader.start()

    @classmethod
    def start(
        cls,
        command: str | Sequence[str],
        cwd: str | None = None,
        env: Mapping[str, str] | None = None,
        forward_stderr: bool = False,
    ) -> "Client":
        """Start a program and connect to it; a text is split as a shell would.

        Raises:
            EngineCrashed: if there is no such program.
        """
        return cls(ProcessChannel(command, cwd, env, forward_stderr))

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def send(self, command: str, timeout: float | None = None) -> str:
        """Send a command and return the text of its reply, its lines joined by newlines.

        `timeout` is in seconds for the whole reply; None waits for ever.

        Raises:
            GtpError: if the engine replies `?`.
            EngineCrashed, EngineTimeout, ProtocolViolation: if it does not reply properly.
        """
        self.write(command)
        return self.read_reply(timeout)

    def write(self, line: str) -> None:
        """Send a line without waiting for its reply: pipelined commands, which get ids here, or `# interrupt`."""
        if "\n" in line or "\r" in line:
            raise ValueError("a GTP command is one line")
        self._raise_if_broken()
        if line.partition("#")[0].strip():
            self._due.append(next(self._ids))
            line = f"{self._due[-1]} {line}"
        try:
            self.channel.requests.write(line.encode() + b"\n")
            self.channel.requests.flush()
        except (OSError, ValueError) as error:
            raise self._break(EngineCrashed(self.channel.describe_end())) from error

    def read_reply(self, timeout: float | None = None, on_line: Callable[[str], None] | None = None) -> str:
        """Read the reply to the oldest command without one; `on_line` sees every line of it as it arrives.

        Raises:
            ValueError: if every command has its reply.
            GtpError, EngineCrashed, EngineTimeout, ProtocolViolation: as `send`.
        """
        self._raise_if_broken()
        if not self._due:
            raise ValueError("no command waits for its reply")
        due = self._due.popleft()
        deadline = None if timeout is None else time.monotonic() + timeout
        line = self._next_line(deadline, timeout)
        while not line.strip():
            line = self._next_line(deadline, timeout)
        start = _REPLY_START.match(line)
        if start is None:
            raise self._break(ProtocolViolation(f"not a GTP reply: {line[:200]!r}"))
        status, number, text = start.group(1), start.group(2), (start.group(3) or "").rstrip()
        if number != str(due):
            fault = "out of turn" if number else "without the id of its command"
            raise self._break(ProtocolViolation(f"a reply {fault}, {line[:200]!r}, where '={due}' was due"))
        lines = [text]
        length = 0
        while True:
            if on_line and (text or len(lines) > 1):
                on_line(lines[-1])
            line = self._next_line(deadline, timeout)
            if not line.strip():
                break
            lines.append(line.rstrip())
            length += len(line)
            if length > _MAX_REPLY:
                raise self._break(ProtocolViolation("a reply that does not end"))
        reply = "\n".join(lines).strip("\n")
        if status == "?":
            raise GtpError(reply)
        return reply

    @property
    def name(self) -> str:
        """The engine's reply to `name`."""
        return self.send("name", timeout=60.0)

    @property
    def version(self) -> str:
        """The engine's reply to `version`; empty if it refuses."""
        try:
            return self.send("version", timeout=60.0)
        except GtpError:
            return ""

    def supports(self, command: str) -> bool:
        """Tell whether the engine lists a command."""
        if self._commands is None:
            self._commands = frozenset(self.send("list_commands", timeout=60.0).split())
        return command in self._commands

    @property
    def last_lines(self) -> list[str]:
        """The last lines the engine wrote to stderr; none for an engine of this process."""
        return list(getattr(self.channel, "last_lines", ()))

    def close(self, grace: float = 3.0) -> None:
        """Say `quit`, close the engine's input, and end the engine `grace` seconds later if it has not ended itself."""
        if self._closed:
            return
        if self._broken is None:
            try:
                self.write("quit")
            except ClientError:
                pass
        self._closed = True
        self.channel.close(grace if self._broken is None else 0.0)
        self._reader.join(1.0)
        if not self._reader.is_alive():
            self.channel.replies.close()

    def _read_lines(self) -> None:
        """Move lines from the channel to the queue; an empty one marks the end."""
        line = b"start"
        while line:
            try:
                line = self.channel.replies.readline(_MAX_LINE)
            except (OSError, ValueError):
                line = b""
            while not self._closed:
                try:
                    self._lines.put(line, timeout=0.2)
                    break
                except queue.Full:
                    continue

    def _next_line(self, deadline: float | None, timeout: float | None) -> str:
        line = None
        while line is None:
            begin = time.monotonic()
            remaining = None if deadline is None else max(0.0, deadline - begin)
            try:
                line = self._lines.get(timeout=remaining)
            except queue.Empty:
                assert remaining is not None and timeout is not None
                end = time.monotonic()
                if end - begin - remaining < _STOPPED:
                    raise self._break(EngineTimeout(f"no answer within {timeout:g} seconds")) from None
                deadline = end + timeout
        if not line:
            raise self._break(EngineCrashed(self.channel.describe_end()))
        return line.decode("utf-8", "replace").rstrip("\r\n")

    def _raise_if_broken(self) -> None:
        if self._closed:
            raise EngineCrashed("the connection is closed")
        if self._broken is not None:
            raise type(self._broken)(str(self._broken))

    def _break(self, error: ClientError) -> ClientError:
        self._broken = error
        return error
