"""An engine in a match: it runs over many games and is restarted after a failure."""

import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from miai.gtp.client import Client, EngineCrashed, EngineTimeout, GtpError, ProtocolViolation

_SIMULATIONS = re.compile(r"\b(\d[\d,']*) simulations\b|\bsimulations\b\s*[:=]?\s*(\d[\d,']*)", re.IGNORECASE)
_START_TIMEOUT = 600.0
"""Seconds for the first commands: some engines load a network or compile themselves."""
_COMMAND_TIMEOUT = 60.0
"""Seconds for a command that does not think."""

Answer = TypeVar("Answer")

FAILURES = ("crash", "timeout", "illegal", "error")
"""How an engine can fail: it ends, does not answer in time, plays an illegal move; or, `error`, refuses what it must
do, or sends a malformed reply."""


class EngineFailed(Exception):
    """An engine did what loses it the game; `kind` is one of `FAILURES`."""

    def __init__(self, side: str, kind: str, detail: str) -> None:
        super().__init__(detail)
        self.side = side
        self.kind = kind


@dataclass
class Effort:
    """What a side spent on choosing its moves in one game."""

    moves: int = 0
    seconds: float = 0.0
    longest: float = 0.0
    """Seconds of the move that took most."""
    counted_moves: int = 0
    """Moves for which the engine told its number of simulations."""
    simulations: int = 0
    """Simulations of those moves."""
    timed_games: int = 0
    """Games with a clock."""
    clock_shares: float = 0.0
    """Share of the clock's time that was used, summed over those."""
    least_left: float | None = None
    """Fewest seconds left on a clock after a move; below zero if it was overstepped."""

    def add_clock(self, used_fraction: float, least_left: float) -> None:
        """Add what a clock said at the end of a game."""
        self.add(Effort(timed_games=1, clock_shares=used_fraction, least_left=least_left))

    def add(self, other: "Effort") -> None:
        """Add what was spent in other games."""
        self.moves += other.moves
        self.seconds += other.seconds
        self.longest = max(self.longest, other.longest)
        self.counted_moves += other.counted_moves
        self.simulations += other.simulations
        self.timed_games += other.timed_games
        self.clock_shares += other.clock_shares
        self.least_left = min((left for left in (self.least_left, other.least_left) if left is not None), default=None)


class Engine:
    """One side's engine. Every method raises `EngineFailed` when the engine fails; the next `begin` starts it anew."""

    def __init__(self, side: str, start: Callable[[], Client]) -> None:
        self.side = side
        self._start = start
        self._client: Client | None = None
        self._killed = False

    def begin(self, size: int, komi: float, time_settings: str | None, seed: int) -> None:
        """Prepare for a new game."""
        self.connect()
        self._send(f"boardsize {size}", _START_TIMEOUT)
        self._send("clear_board")
        self._send(f"komi {komi:g}")
        if time_settings is not None:
            self._send(f"time_settings {time_settings}")
        self._ask_if_listed(f"set_random_seed {seed}")

    def connect(self) -> str:
        """Start the engine unless it is running; return its name and version."""
        if self._client is None and not self._killed:
            try:
                self._client = self._start()
            except EngineCrashed as error:
                raise EngineFailed(self.side, "crash", str(error)) from error
            if self._killed:
                self.close()
            name = self._send("name", _START_TIMEOUT)
            try:
                return f"{name} {self._ask('version', _COMMAND_TIMEOUT)}".strip()
            except GtpError:
                return name
        return ""

    def play(self, color: str, vertex: str) -> None:
        """Tell the engine a move."""
        self._send(f"play {color} {vertex}")

    def tell_time(self, color: str, time_left: str) -> None:
        """Tell the engine its own time, if it wants to know."""
        if self._supports("time_left"):
            self._send(f"time_left {color} {time_left}")

    def choose(self, color: str, timeout: float, effort: Effort) -> tuple[str, float]:
        """Let the engine choose a move; return its text and the seconds it took."""
        started = time.perf_counter()
        vertex = self._send(f"genmove {color}", timeout)
        seconds = time.perf_counter() - started
        effort.moves += 1
        effort.seconds += seconds
        effort.longest = max(effort.longest, seconds)
        return vertex, seconds

    def explain(self, effort: Effort) -> str:
        """Return the engine's words on its last move; empty if it has none.

        The command is gomill's. Where the words hold `N simulations` or `simulations N`, N is added to `effort`.
        """
        words = self._ask_if_listed("gomill-explain_last_move")
        found = _SIMULATIONS.search(words)
        if found:
            effort.counted_moves += 1
            effort.simulations += int(re.sub(r"\D", "", found.group(1) or found.group(2)))
        return words

    def final_score(self) -> str | None:
        """Return the engine's own result of the game, such as `W+3.5`; None if it tells none."""
        return self._ask_if_listed("final_score").strip() or None

    def check_in_step(self) -> None:
        """Fail if the engine wrote more than it was asked for; one that has ended, or hangs, did not."""
        try:
            self._ask("name", _COMMAND_TIMEOUT)
        except GtpError:
            pass
        except EngineFailed as failure:
            if failure.kind == "error":
                raise

    def dead_stones(self) -> list[str] | None:
        """Return the vertices of the stones that the engine holds for dead; None if it tells nothing of the kind."""
        if not self._supports("final_status_list"):
            return None
        try:
            return self._ask("final_status_list dead", _COMMAND_TIMEOUT).split()
        except GtpError:
            return None

    def close(self) -> None:
        """End the engine, politely."""
        if self._client is not None:
            self._client.close()
            self._client = None

    def kill(self) -> None:
        """End the engine from another thread, at once and for good: a command under way fails."""
        self._killed = True
        client = self._client
        if client is not None:
            client.channel.close(0.0)

    def _supports(self, command: str) -> bool:
        try:
            return self._guard(lambda client: client.supports(command), "list_commands")
        except GtpError:
            return False

    def _ask_if_listed(self, command: str) -> str:
        if not self._supports(command.split()[0]):
            return ""
        try:
            return self._ask(command, _COMMAND_TIMEOUT)
        except GtpError:
            return ""

    def _send(self, command: str, timeout: float = _COMMAND_TIMEOUT) -> str:
        try:
            return self._ask(command, timeout)
        except GtpError as error:
            raise EngineFailed(self.side, "error", f"refused {command!r}: {error}") from error

    def _ask(self, command: str, timeout: float) -> str:
        return self._guard(lambda client: client.send(command, timeout=timeout), command)

    def _guard(self, ask: Callable[[Client], Answer], command: str) -> Answer:
        """Ask the engine; end it if it can't be asked again."""
        if self._client is None:
            raise EngineFailed(self.side, "crash", f"is not running, to be asked {command!r}")
        try:
            return ask(self._client)
        except EngineTimeout as error:
            self.close()
            raise EngineFailed(self.side, "timeout", f"{error} to {command!r}") from error
        except EngineCrashed as error:
            self.close()
            raise EngineFailed(self.side, "crash", f"on {command!r}: {error}") from error
        except ProtocolViolation as error:
            self.close()
            raise EngineFailed(self.side, "error", f"on {command!r}: {error}") from error
