"""A GTP engine that does as its script says: in a thread of this process, or as a program of its own.

A script is a sequence of words, one for each `genmove` of a game: a vertex, `resign`, or a way to fail, one of
`crash`, `hang`, `refuse`, `babble`. After its end the engine passes.

Of `C3|D4|E5` the first is the answer, the others are answers to nothing, in the same breath; those of `C3/D4` come when
the next command has come in, ahead of its answer. `final_score` may be such a word too.
"""

import argparse
import re
import shlex
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import BinaryIO

from miai.gtp.client import Client

_COMMAND = re.compile(r"(\d*) *(.*)")
_REPLY = re.compile(r"(?m)^/?[=?]")


class _Ends(Exception):
    """The engine crashes."""


@dataclass
class FakeEngine:
    """An engine with a script, which starts anew with every game."""

    script: Sequence[str] = ()
    later_script: Sequence[str] | None = None
    """The script from the second game of a process on; None for the same."""
    final_score: str | None = None
    dead: str | None = None
    """The answer to `final_status_list dead`, if not None."""
    simulations: int | None = None
    """Told in `gomill-explain_last_move`, if not None."""
    refuses: frozenset[str] = frozenset()
    """Commands that are answered with an error."""
    delay: float = 0.0
    """Seconds for each move."""
    on_move: Callable[[], object] = bool
    """Called before each move."""
    greeting: str = ""
    """Written before any command."""
    echo: Callable[[str], str] = str
    """What a command's id becomes in its answer."""
    received: list[str] = field(default_factory=list)
    """Every command, for tests to look at."""
    num_starts: int = 0
    num_games: int = 0

    def start(self) -> Client:
        """Run the engine in a thread of this process."""
        from miai.gtp.in_process import connect  # the program of its own does not see `tests`

        self.num_starts += 1
        self.num_games = 0
        return connect(self.run)

    def run(self, requests: BinaryIO, replies: BinaryIO) -> None:
        """Answer commands until the input ends or the script says to crash."""
        replies.write(self.greeting.encode())
        replies.flush()
        late = ""
        for line in requests:
            number, command = _COMMAND.fullmatch(line.decode().strip()).groups()  # type: ignore[union-attr]
            self.received.append(command)
            try:
                answer = _REPLY.sub(rf"\g<0>{self.echo(number)}", self._answer(command))
            except _Ends:
                return
            at_once, _, afterwards = answer.partition("/")
            replies.write((late + at_once).encode())
            replies.flush()
            late = afterwards
            if command == "quit":
                return

    def _answer(self, command: str) -> str:
        name = command.partition(" ")[0]
        if name in self.refuses:
            return "? no\n\n"
        if name == "list_commands":
            return "= " + "\n".join(self._commands()) + "\n\n"
        if name not in self._commands():
            return "? unknown command\n\n"
        if name == "clear_board":
            self.num_games += 1
            later = self.later_script if self.num_games > 1 and self.later_script is not None else self.script
            self._words = iter(later)
        if name == "genmove":
            return self._move(next(self._words, "pass"))
        known = {
            "name": "Fake",
            "version": "1",
            "final_score": _several(str(self.final_score)),
            "final_status_list": str(self.dead),
            "gomill-explain_last_move": f"simulations {self.simulations}, winrate 0.5",
        }
        return f"= {known.get(name, '')}\n\n"

    def _commands(self) -> list[str]:
        commands = ["name", "version", "list_commands", "boardsize", "clear_board", "komi", "play", "genmove", "quit"]
        commands += ["time_settings", "time_left", "set_random_seed"]
        if self.final_score is not None:
            commands.append("final_score")
        if self.dead is not None:
            commands.append("final_status_list")
        if self.simulations is not None:
            commands.append("gomill-explain_last_move")
        return commands

    def _move(self, word: str) -> str:
        self.on_move()
        time.sleep(self.delay)
        if word == "crash":
            raise _Ends
        if word == "hang":
            return ""
        if word == "refuse":
            return "? cannot\n\n"
        if word == "babble":
            return "well, let me see\n\n"
        return f"= {_several(word)}\n\n"


def fake(script: str = "", delay: float = 0.0) -> str:
    """Return the command line of an engine with a script, as a program of its own."""
    pause = ["--delay", str(delay)] if delay else []
    return shlex.join([sys.executable, __file__, *pause, *script.split()])


def _several(word: str) -> str:
    """Return the text of an answer that is several of them."""
    return word.replace("|", "\n\n= ").replace("/", "\n\n/= ")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("script", nargs="*")
    parser.add_argument("--delay", type=float, default=0.0)
    parsed = parser.parse_args()
    FakeEngine(parsed.script, delay=parsed.delay).run(sys.stdin.buffer, sys.stdout.buffer)
