"""`miai play`: a game against miai in the terminal."""

import dataclasses
import datetime
import os
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from miai.cli.agreement import agree_on_dead
from miai.cli.console import Console, EndOfInput, open_console
from miai.cli.hints import Adviser, choose_hints, list_hints, mark_hints
from miai.cli.player_flags import find_given_options, take_options
from miai.engine.go.board_picture import describe_state, draw_board
from miai.engine.go.handicap import fixed_handicap_points
from miai.engine.go.points import BLACK, PASS, RESIGN, WHITE, VertexError, format_score, move_at, opponent, vertex_of
from miai.engine.go.rules import RULES
from miai.engine.search.rule_names import RuleFailure
from miai.players.compiling import check_parameters, compile_if_cold
from miai.players.fallback import describe_fallback, options_on
from miai.players.option_kinds import Integer, OptionError, suggest
from miai.players.options import PLAYER_FIELDS, GameOptions, PlayerOptions, read_value, with_strength
from miai.players.pondering import Pondering
from miai.players.presets import FULL_STRENGTH

if TYPE_CHECKING:
    from miai.engine.go.game import Game

HELP = """\
D4          play at D4: the letter of the column (no I), the number of the row
pass        pass; after two passes in a row you agree on the dead stones
undo        take back your last move and miai's answer; undo 2: your last two
hint        let miai search your position and show its best moves
score       count the board as it stands (all stones count as alive)
board       show the board again
save FILE   write the game to an SGF file
resign      give up
quit        leave without a result
help        show this"""

_COLOR_NAMES = {BLACK: "Black", WHITE: "White"}
_HANDICAP_KOMI = 0.5
"""Points for White in a game with handicap stones, unless somebody says otherwise: no draw."""
_OPTIONS_OF_STRENGTH = {"preset", "config", "strength", *PLAYER_FIELDS}
"""Who gives any of these is not asked for a level."""


@dataclass
class TerminalGame:
    """One game between a person and a player."""

    game: "Game"
    player: Any
    """A `miai.players.player.Player`."""
    human: int
    """The person's colour."""
    console: Console
    adviser: Any
    """A `miai.cli.hints.Adviser`."""
    result: str = ""
    """`B+2`, `W+R`, `0`; empty while the game goes on."""
    has_quit: bool = False
    ponders: bool = False
    """Whether the player thinks while the person does."""
    _saved_files: set[Path] = field(default_factory=set)
    _saved_state: object = None
    """What was saved last, to see whether there is anything new."""
    _pondering: Pondering = field(default_factory=Pondering)

    @property
    def names(self) -> dict[int, str]:
        """Who plays which colour."""
        return {self.human: "you", opponent(self.human): "miai"}

    def run(self) -> None:
        """Play until the game ends or the person leaves."""
        self.player.new_game()
        self.console.write(
            f"You are {_COLOR_NAMES[self.human]} ({self.console.stones[self.human]}), komi {self.game.komi:g}. "
            "Type a move like D4, or help."
        )
        try:
            self._take_turns()
        except (OptionError, RuleFailure) as error:
            self.console.write(f"{error}\nThe game cannot go on.")
        except (EndOfInput, KeyboardInterrupt):
            self.console.write("")
        finally:
            self._pondering.end()
        try:
            self._offer_to_save()
        except (EndOfInput, KeyboardInterrupt):
            self.console.write("")
        if not self.result:
            self.console.write("The game is left unfinished. Goodbye." if self.game.moves else "Goodbye.")

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
        console = self.console
        picture = draw_board(self.game, console.use_color, console.stones)
        console.write(f"\n{picture}\n{describe_state(self.game, self.names, console.stones)}")

    @property
    def _commands(self) -> dict[str, Callable[[str], object]]:
        """What can be typed besides moves; each takes what stands behind it."""
        return {
            "undo": self._undo,
            "hint": lambda _: self._hint(),
            "score": lambda _: self._show_count(),
            "board": lambda _: self._show_board(),
            "save": self._save,
            "resign": lambda _: self._resign(),
            "quit": lambda _: self._quit(),
            "help": lambda _: self.console.write(HELP),
        }

    def _ask(self) -> None:
        """Read one line and do what it says; a line that says nothing sensible changes nothing."""
        line = self.console.read("Your move: ")
        word, _, argument = line.partition(" ")
        if command := self._commands.get(word.lower()):
            command(argument)
        elif line:
            self._play(line)

    def _play(self, text: str) -> None:
        from miai.engine.go.game import IllegalMove

        try:
            move = move_at(text, self.game.size)
            if move == PASS and self._is_after_a_pass() and not self.console.confirm("Your pass ends the game. Pass?"):
                return
            self.game.play(self.human, move)
        except IllegalMove as error:
            self.console.write(f"{error}.")
        except VertexError as error:
            suggestion = suggest(text.split()[0].lower(), [*self._commands, "pass"])
            self.console.write(f"{error}{suggestion or '. Type help for the commands.'}")

    def _is_after_a_pass(self) -> bool:
        return bool(self.game.moves) and self.game.moves[-1][1] == PASS

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
            f"{report.simulations} simulation{'' if report.simulations == 1 else 's'} in {report.seconds:.1f} s."
        )

    def _undo(self, argument: str) -> None:
        num_own = self._num_own_moves()
        if num_own == 0:
            self.console.write("There is no move of yours to take back.")
            return
        try:
            num_kept = num_own - (Integer(1, num_own).read(argument or 1) or 1)
        except OptionError as error:
            self.console.write(f"undo: {error}.")
            return
        while self._num_own_moves() > num_kept:
            self.game.undo()
        self._show_board()

    def _num_own_moves(self) -> int:
        return sum(color == self.human for color, _ in self.game.moves)

    def _hint(self) -> None:
        self.console.write("miai thinks …")
        hints = choose_hints(self.adviser.judge(self.game, self.human))
        self.console.write(draw_board(self.game, self.console.use_color, self.console.stones, mark_hints(hints)))
        self.console.write(list_hints(hints, self.game.size))

    def _show_count(self) -> None:
        self.console.write(f"{describe_score(self.game.score())} if all stones on the board are alive.")

    def _finish_by_count(self) -> None:
        """Agree on the dead stones and count the board without them, or take the person's pass back to play on."""
        from miai.players.dead_stones import score_without

        self._pondering.end()
        ask = self.console.read if self.console.is_interactive else None
        dead = agree_on_dead(self.game, self.player.dead_stones(self.game), ask, self.console.write, describe_score)
        if dead is None:
            self._undo("")
            return
        score = score_without(self.game, dead)
        self.result = format_score(score)
        self.console.write(f"Both passed. {describe_score(score)}: {self._describe_winner(score)}")

    def _describe_winner(self, score: float) -> str:
        if score == 0:
            return "nobody wins."
        return "you win!" if (score > 0) == (self.human == BLACK) else "miai wins."

    def _resign(self) -> None:
        if not self.console.confirm("Do you give up?"):
            return
        self.console.write("You resign: miai wins.")
        self.result = f"{'W' if self.human == BLACK else 'B'}+R"

    def _quit(self) -> None:
        self.has_quit = True

    @property
    def _state(self) -> object:
        return list(self.game.moves), self.result

    def _offer_to_save(self) -> None:
        """Ask a person for a file name, if there is anything to save, until it is saved or the answer is empty."""
        if not self.console.is_interactive or not self.game.moves:
            return
        while self._saved_state != self._state:
            name = self.console.read("Save the game as (Enter: do not save): ")
            if not name:
                return
            self._save(name)

    def _save(self, name: str) -> None:
        """Write the game to a file that is new or was written by this game."""
        if not name.strip():
            self.console.write("Name a file, as in: save game.sgf")
            return
        from miai.engine.go.sgf import GameInfo, SgfError, save_game

        name = os.path.expanduser(name.strip())
        path = Path(name if name.lower().endswith(".sgf") else f"{name}.sgf")
        if os.path.exists(path) and path not in self._saved_files:
            self.console.write(f"{path} exists already: choose another name.")
            return
        names = self.names
        info = GameInfo(names[BLACK], names[WHITE], self.result, date=datetime.date.today().isoformat())
        try:
            save_game(self.game, path, info)
        except SgfError as error:
            self.console.write(f"{error}.")
            return
        self._saved_files.add(path)
        self._saved_state = self._state
        self.console.write(f"Saved as {path}.")


def describe_score(score: float) -> str:
    """Return a score, Black minus White, in words."""
    if score == 0:
        return "The score is even"
    return f"{'Black' if score > 0 else 'White'} leads by {abs(score):g}"


def choose_color(name: str) -> int:
    """Return the person's colour for `black`, `white` or `random`."""
    return {"black": BLACK, "white": WHITE}.get(name) or random.choice((BLACK, WHITE))


def ask_strength(console: Console) -> int:
    """Ask a person how well miai shall play, until the answer is a level.

    Raises:
        EndOfInput: if the person leaves instead.
    """
    while True:
        text = console.read(f"miai's level, 1 (beginner) to {FULL_STRENGTH} (full strength, or just Enter): ")
        if text.lower() == "quit":
            raise EndOfInput
        try:
            return read_value("strength", text or FULL_STRENGTH) or FULL_STRENGTH
        except OptionError as error:
            console.write(f"{error}.")


@click.command()
@click.option(
    "--color", type=click.Choice(["black", "white", "random"]), default="black", show_default=True, help="Your colour."
)
@click.option(
    "--handicap",
    type=int,
    metavar="STONES",
    help=f"Black starts with this many stones; White moves first, and komi is {_HANDICAP_KOMI:g} by default.",
)
@take_options
def command(color: str, handicap: int | None, player_options: PlayerOptions, game_options: GameOptions) -> None:
    """Play a game against miai in the terminal.

    Moves are typed as D4; `help` lists what else you can type. At a terminal you are asked how well miai shall play,
    unless options say so.
    """
    try:
        handicap_points = fixed_handicap_points(game_options.size, handicap) if handicap else []
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    given = find_given_options()
    if handicap_points and "komi" not in given:
        game_options = dataclasses.replace(game_options, komi=_HANDICAP_KOMI)
    console = open_console()
    if console.is_interactive and given.isdisjoint(_OPTIONS_OF_STRENGTH):
        try:
            player_options = with_strength(player_options, ask_strength(console))
        except EndOfInput:
            console.write("\nGoodbye.")
            return
    _open_game(color, handicap_points, player_options, game_options, console).run()


def _open_game(
    color: str, handicap_points: list[int], player_options: PlayerOptions, game_options: GameOptions, console: Console
) -> TerminalGame:
    """Return a game that is ready to be played; compile what it needs."""
    check_parameters(player_options, game_options.size)
    compile_if_cold(player_options, game_options.size)
    from miai.engine.go.game import Game
    from miai.players.player import Player

    rules = dataclasses.replace(RULES[game_options.rules], removes_dead=True)
    game = Game(game_options.size, game_options.komi, rules)
    if handicap_points:
        game.place_handicap(handicap_points)
    options = options_on(player_options, game_options.size)
    if options != player_options:
        click.echo(describe_fallback(player_options, game_options.size), err=True)
    ponders = player_options.uses_opponents_time
    return TerminalGame(game, Player(options), choose_color(color), console, Adviser(options), ponders=ponders)
