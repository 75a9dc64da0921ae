"""`miai play`: a game against miai in the terminal."""

import dataclasses
import datetime
import os
import random
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from engine.go.handicap import fixed_handicap_points
from engine.go.points import BLACK, RESIGN, WHITE, VertexError, move_at, opponent, vertex_of
from engine.go.rules import RULES
from engine.search.rule_names import RuleFailure
from gtp.agreement import agree_on_dead
from gtp.board_picture import STONES, describe_state, draw_board
from gtp.fallback import describe_fallback, options_on
from gtp.flags import take_options
from gtp.option_values import OptionError
from gtp.options import GameOptions, PlayerOptions
from gtp.pondering import Pondering
from gtp.warmup import check_parameters, compile_if_cold

if TYPE_CHECKING:
    from engine.go.game import Game
    from engine.search.report import MoveReport

HELP = """\
D4          play at D4: the letter of the column (no I), the number of the row
pass        pass; after two passes in a row you agree on the dead stones
undo        take back your last move and miai's answer
hint        let miai search your position and show its best moves
score       count the board as it stands (all stones count as alive)
board       show the board again
save FILE   write the game to an SGF file
resign      give up
quit        leave without a result
help        show this"""

_NUM_HINTS = 5
_HINT_VARIATION = 6
_COLOR_NAMES = {BLACK: "Black", WHITE: "White"}


class EndOfInput(Exception):
    """The person pressed Ctrl-C or Ctrl-D, or the input ended."""


@dataclass
class Console:
    """Where the person reads and types."""

    read_line: Callable[[str], str]
    """Show a prompt and return the line typed; raises EOFError or KeyboardInterrupt."""
    write: Callable[[str], None]
    use_color: bool = False
    is_interactive: bool = False
    """Whether a person types, who can be asked; a script is not."""


@dataclass
class TerminalGame:
    """One game between a person and a player."""

    game: "Game"
    player: Any
    """A `gtp.player.Player`."""
    human: int
    """The person's colour."""
    console: Console
    result: str = ""
    """`B+2`, `W+R`, `0`; empty while the game goes on."""
    has_quit: bool = False
    ponders: bool = False
    """Whether the player thinks while the person does."""
    _saved_files: set[Path] = field(default_factory=set)
    _pondering: Pondering = field(default_factory=Pondering)

    @property
    def names(self) -> dict[int, str]:
        """Who plays which colour."""
        return {self.human: "you", opponent(self.human): "miai"}

    def run(self) -> None:
        """Play until the game ends or the person leaves."""
        self.player.new_game()
        self.console.write(
            f"You are {_COLOR_NAMES[self.human]} ({STONES[self.human]}), komi {self.game.komi:g}. "
            "Type a move like D4, or help."
        )
        has_failed = False
        try:
            try:
                self._take_turns()
            except (OptionError, RuleFailure) as error:
                has_failed = True
                self.console.write(f"{error}\nThe game cannot go on.")
            finally:
                self._pondering.end()
            if self.result or has_failed:
                self._offer_to_save()
        except (EndOfInput, KeyboardInterrupt):
            self.console.write("")
            if not self.result:
                self.console.write("The game is left unfinished. Goodbye.")

    def _take_turns(self) -> None:
        self._show_board()
        while not self.result and not self.has_quit:
            if self.game.is_over:
                self._finish_by_count()
            elif self.game.to_play == self.human:
                self._ask()
            else:
                self._answer()

    def _show_board(self) -> None:
        picture = draw_board(self.game, self.console.use_color)
        self.console.write(f"\n{picture}\n{describe_state(self.game, self.names)}")

    def _read(self, prompt: str) -> str:
        try:
            return self.console.read_line(prompt).strip()
        except (EOFError, KeyboardInterrupt):
            raise EndOfInput from None

    def _ask(self) -> None:
        """Read one line and do what it says; a line that says nothing sensible changes nothing."""
        line = self._read("Your move: ")
        word, _, argument = line.partition(" ")
        commands: dict[str, Callable[[], object]] = {
            "undo": self._undo,
            "hint": self._hint,
            "score": self._show_count,
            "board": self._show_board,
            "save": lambda: self._save(argument),
            "resign": self._resign,
            "quit": self._quit,
            "help": lambda: self.console.write(HELP),
        }
        if word.lower() in commands:
            commands[word.lower()]()
        elif line:
            self._play(line)

    def _play(self, text: str) -> None:
        from engine.go.game import IllegalMove

        try:
            self.game.play(self.human, move_at(text, self.game.size))
        except IllegalMove as error:
            self.console.write(f"{error}.")
        except VertexError as error:
            self.console.write(f"{error}. Type help for the commands.")

    def _answer(self) -> None:
        color = self.game.to_play
        self.console.write("miai thinks …")
        self._pondering.end()
        choice = self.player.choose(self.game, color)
        report = choice.report
        if choice.move == RESIGN:
            self.console.write("miai resigns.")
            self.result = f"{'B' if self.human == BLACK else 'W'}+R"
            return
        self.game.play(color, choice.move)
        if self.ponders and not self.game.is_over:
            self._pondering.begin(self.player, self.game)
        self._show_board()
        self.console.write(
            f"miai plays {vertex_of(choice.move, self.game.size)}: it expects to win {report.value:.0%}, "
            f"{report.simulations} simulations in {report.seconds:.1f} s."
        )

    def _undo(self) -> None:
        if not any(color == self.human for color, _ in self.game.moves):
            self.console.write("There is no move of yours to take back.")
            return
        while self.game.moves[-1][0] != self.human:
            self.game.undo()
        self.game.undo()
        self._show_board()

    def _hint(self) -> None:
        self.console.write("miai thinks …")
        self._pondering.end()
        report = self.player.choose(self.game, self.human).report
        self.console.write("move   wins  visits  points  then")
        for move_report in report.moves[:_NUM_HINTS]:
            self.console.write(self._describe_hint(move_report))

    def _describe_hint(self, report: "MoveReport") -> str:
        size = self.game.size
        then = " ".join(vertex_of(move, size) for move in report.variation[1:_HINT_VARIATION])
        vertex = vertex_of(report.move, size)
        return f"{vertex:<5}{report.value:>6.0%}{report.visits:>8d}{report.score:>+8.1f}  {then}".rstrip()

    def _show_count(self) -> None:
        self.console.write(f"{describe_score(self.game.score())} if all stones on the board are alive.")

    def _finish_by_count(self) -> None:
        """Agree on the dead stones and count the board without them, or take the person's pass back to play on."""
        from gtp.dead_stones import score_without

        self._pondering.end()
        ask = self._read if self.console.is_interactive else None
        dead = agree_on_dead(self.game, self.player.dead_stones(self.game), ask, self.console.write, describe_score)
        if dead is None:
            self._undo()
            return
        score = score_without(self.game, dead)
        self.result = result_of(score)
        self.console.write(f"Both passed. {describe_score(score)}: {self._describe_winner(score)}")

    def _describe_winner(self, score: float) -> str:
        if score == 0:
            return "nobody wins."
        return "you win!" if (score > 0) == (self.human == BLACK) else "miai wins."

    def _resign(self) -> None:
        self.console.write("You resign: miai wins.")
        self.result = f"{'W' if self.human == BLACK else 'B'}+R"

    def _quit(self) -> None:
        self.has_quit = True
        self.console.write("Goodbye.")

    def _offer_to_save(self) -> None:
        """Ask for a file name until the game is saved or the answer is empty."""
        while True:
            name = self._read("Save the game as (empty: do not save): ")
            if not name or self._save(name):
                return

    def _save(self, name: str) -> bool:
        """Write the game to a file that is new or was written by this game; tell whether it worked."""
        if not name.strip():
            self.console.write("Name a file, as in: save game.sgf")
            return False
        from engine.go.sgf import GameInfo, SgfError, save_game

        path = Path(name.strip()).expanduser()
        if path.exists() and path not in self._saved_files:
            self.console.write(f"{path} exists already: choose another name.")
            return False
        names = self.names
        info = GameInfo(names[BLACK], names[WHITE], self.result, date=datetime.date.today().isoformat())
        try:
            save_game(self.game, path, info)
        except SgfError as error:
            self.console.write(f"{error}.")
            return False
        self._saved_files.add(path)
        self.console.write(f"Saved as {path}.")
        return True


def result_of(score: float) -> str:
    """Return SGF's result of a score, Black minus White: `B+2.5`, `W+1`, or `0` for a draw."""
    return "0" if score == 0 else f"{'B' if score > 0 else 'W'}+{abs(score):g}"


def describe_score(score: float) -> str:
    """Return a score, Black minus White, in words."""
    if score == 0:
        return "The score is even"
    return f"{'Black' if score > 0 else 'White'} leads by {abs(score):g}"


def choose_color(name: str) -> int:
    """Return the person's colour for `black`, `white` or `random`."""
    return {"black": BLACK, "white": WHITE}.get(name) or random.choice((BLACK, WHITE))


@click.command()
@click.option(
    "--color", type=click.Choice(["black", "white", "random"]), default="black", show_default=True, help="Your colour."
)
@click.option("--handicap", type=int, metavar="STONES", help="Black starts with this many stones; White moves first.")
@take_options
def command(color: str, handicap: int | None, player_options: PlayerOptions, game_options: GameOptions) -> None:
    """Play a game against miai in the terminal.

    Moves are typed as D4; `help` lists what else you can type.
    """
    try:
        handicap_points = fixed_handicap_points(game_options.size, handicap) if handicap else []
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    check_parameters(player_options, game_options.size)
    compile_if_cold(player_options, game_options.size)
    from engine.go.game import Game
    from gtp.player import Player

    rules = dataclasses.replace(RULES[game_options.rules], removes_dead=True)
    game = Game(game_options.size, game_options.komi, rules)
    if handicap_points:
        game.place_handicap(handicap_points)
    options = options_on(player_options, game_options.size)
    if options != player_options:
        click.echo(describe_fallback(player_options, game_options.size), err=True)
    player = Player(options)
    use_color = sys.stdout.isatty() and "NO_COLOR" not in os.environ
    TerminalGame(
        game,
        player,
        choose_color(color),
        Console(input, click.echo, use_color, sys.stdin.isatty()),
        ponders=player_options.ponder,
    ).run()
