"""The state behind a GTP connection: a game, a player and a clock.

Komi, rules and time settings outlive the game, because clients send them once and in any order. Game and player are
made when they are first needed: making them imports compiled code, and `name` must not wait for that.
"""

import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from miai.engine.go.points import BLACK, PASS, RESIGN
from miai.engine.log import log
from miai.engine.search.time_management import TimeManager
from miai.players.fallback import describe_fallback, options_on
from miai.players.options import GameOptions, PlayerOptions, with_strength
from miai.players.pondering import Pondering
from miai.players.presets import FULL_STRENGTH

if TYPE_CHECKING:
    from miai.engine.go.game import Game
    from miai.engine.go.rules import Rules
    from miai.engine.search.report import SearchReport
    from miai.players.player import Budget, Decision, Player
    from miai.players.status import Status, StoneBlock

    OnReport = Callable[[SearchReport], None]

REPORT_SIMULATIONS = 1000
"""Simulations of the short search behind a view or a final status."""
REPORT_SECONDS = 3.0
"""Most seconds of that search."""


def load_player(options: PlayerOptions) -> "Player":
    """Import and make the real player."""
    from miai.players.player import Player

    return Player(options)


class PositionReport(NamedTuple):
    """A search's report and its position."""

    report: "SearchReport"
    game: "Game"


class Session:
    """What commands work on."""

    def __init__(
        self,
        player_options: PlayerOptions | None = None,
        game_options: GameOptions | None = None,
        make_player: "Callable[[PlayerOptions], Player]" = load_player,
        prepare: Callable[[PlayerOptions, int], None] = lambda options, size: None,
    ) -> None:
        """Begin with an empty board.

        Args:
            player_options: how the player thinks.
            game_options: what is played.
            make_player: makes a player with options.
            prepare: called before a player with options first plays on boards of a size.
        """
        self._full_options = player_options or PlayerOptions()
        self.strength = FULL_STRENGTH
        """The level that was asked for since the start; the highest is what the options say."""
        self.game_options = game_options or GameOptions()
        self.clock = TimeManager()
        self.live_graphics = "none"
        """What a running search shows in GoGui: `none`, `visits` or `variation`."""
        self.last_report: PositionReport | None = None
        """The latest search, for views."""
        self._explained: PositionReport | None = None
        self._make_player = make_player
        self._prepare = prepare
        self._prepared: set[tuple[PlayerOptions, int]] = set()
        self._players: dict[PlayerOptions, Player] = {}
        self._seed: int | None = None
        self._game: Game | None = None
        self._is_new_game = True
        self._pondering = Pondering()
        self._lock = threading.RLock()

    @property
    def player_options(self) -> PlayerOptions:
        """How the player thinks at the present level."""
        return with_strength(self._full_options, self.strength)

    @property
    def game(self) -> "Game":
        """The game that is played."""
        with self._lock:
            if self._game is None:
                self._game = self._make_game(self.game_options.size)
            return self._game

    @property
    def player(self) -> "Player":
        """The player for the game's board, free to search: its pondering ends."""
        self._pondering.end()
        with self._lock:
            return self._player_with(self.player_options)

    def _player_with(self, wanted: PlayerOptions) -> "Player":
        """Return the one player with these options, or their fallback's, ready to play on the game's board."""
        size = self.game.size
        options = options_on(wanted, size)
        if (options, size) not in self._prepared:
            if options != wanted:
                log(describe_fallback(wanted, size))
            self._prepare(options, size)
            self._prepared.add((options, size))
        if options not in self._players:
            player = self._make_player(options)
            if self._seed is not None:
                player.set_seed(self._seed)
            self._players[options] = player
        return self._players[options]

    def set_strength(self, strength: int) -> None:
        """Play at a level from the next move on; what its player runs is compiled now.

        Raises:
            ValueError: if the options and the board leave no player of this level; nothing is changed.
        """
        with self._lock:
            self._player_with(with_strength(self._full_options, strength))
            self.strength = strength

    def set_seed(self, seed: int) -> None:
        """Begin the random numbers of the players of all levels anew, those still to be made included.

        Args:
            seed: what the option `seed` may be, and not None.
        """
        self._pondering.end()
        with self._lock:
            self._seed, self._is_new_game = seed, True
            for player in self._players.values():
                player.set_seed(seed)

    def prepare_player(self) -> None:
        """Make the player for the game's board now, so that no move waits until what it runs is compiled."""
        _ = self.player

    def load(self) -> None:
        """Make the game and the player now, and search once, so that the first move does not wait for any of it."""
        from miai.players.player import Budget

        self.player.choose(self.game.copy(), BLACK, Budget(simulations=1))

    def start_game(self, size: int | None = None) -> None:
        """Begin a game on an empty board; komi and time settings stay.

        Raises:
            ValueError: if there is no board of this size.
        """
        self.replace_game(self._make_game(self.game.size if size is None else size))

    def replace_game(self, game: "Game") -> None:
        """Go on with another game, as read from a file or set up. Its komi and rules become the session's.

        Raises:
            OptionError: if the player cannot play on boards of its size; nothing is changed.
        """
        options_on(self.player_options, game.size)
        self._pondering.end()
        self._game = game
        self._is_new_game = True
        self._explained = None
        self.clock.reset()

    def set_rules(self, rules: "Rules") -> None:
        """Play by other rules from now on, in this game and later ones; the position and the history stay."""

        def change(game: "Game") -> None:
            game.rules = rules

        self.change_game(change)

    def stop_pondering(self) -> None:
        """End pondering."""
        self._pondering.end()

    def change_game(self, change: "Callable[[Game], None]") -> None:
        """Carry out a change of several steps wholly or, if it raises an exception, not at all."""
        game = self.game.copy()
        change(game)
        self._game = game

    def choose(
        self,
        color: int,
        stop: threading.Event,
        on_report: "OnReport | None" = None,
        report_every: float = 0.0,
        is_timed: bool = True,
    ) -> "Decision":
        """Choose a move within the budget and the clock, which is charged if `is_timed`. The game is not changed."""
        started = time.monotonic()
        player = self._ready_player()
        choice = player.choose(self.game, color, self._budget_for(color), on_report, report_every, stop)
        self.last_report = PositionReport(choice.report, self.game.copy())
        if is_timed:
            self.clock.spend(color, time.monotonic() - started)
        return choice

    def choose_cleanup(self, color: int, stop: threading.Event) -> "tuple[int, dict[StoneBlock, Status]]":
        """Choose a move, and judge all stones if it is a pass or resignation; the clock is charged for both.

        The search has a quarter of the time that the budget and the clock allow, the judging the rest.
        """
        from miai.players.player import Budget

        started = time.monotonic()
        player = self._ready_player()
        budget = self._budget_for(color)
        seconds = None if budget.seconds is None else budget.seconds / 4
        choice = player.choose(self.game, color, Budget(budget.simulations, seconds), stop=stop)
        self.last_report = PositionReport(choice.report, self.game.copy())
        statuses: dict[StoneBlock, Status] = {}
        if choice.move in (PASS, RESIGN):
            left = None if budget.seconds is None else budget.seconds - (time.monotonic() - started)
            statuses = player.judge_stones(self.game, left, stop)
        self.clock.spend(color, time.monotonic() - started)
        return choice.move, statuses

    def commit(self, color: int, move: int) -> None:
        """Play the move that was chosen, and ponder the reply if that is switched on; RESIGN changes no board."""
        self._explained = self.last_report
        if move == RESIGN:
            return
        self.game.play(color, move)
        if self.player_options.uses_opponents_time and not self.game.is_over:
            self._pondering.begin(self.player, self.game)

    def close(self) -> None:
        """End the search in the background."""
        self.stop_pondering()

    def analyze(self, color: int, stop: threading.Event, on_report: "OnReport", report_every: float) -> "SearchReport":
        """Search the position for `color` until `stop`."""
        player = self._ready_player()
        report = player.analyze(self.game, color, on_report, report_every, stop)
        if self.player_options.temperature > 0.0:
            player.forget_tree()  # a weak level must not go on from what the analysis found
        self.last_report = PositionReport(report, self.game.copy())
        return report

    def report_position(self, color: int | None = None) -> "SearchReport":
        """Return a report on the present position: that of the latest search, else of a short one."""
        color = self.game.to_play if color is None else color
        latest = self.last_report
        if latest and latest.report.color == color and _is_same_position(latest.game, self.game):
            return latest.report
        stop = threading.Event()
        started = time.monotonic()

        def stop_when_enough(report: "SearchReport") -> None:
            if report.simulations >= REPORT_SIMULATIONS or time.monotonic() - started >= REPORT_SECONDS:
                stop.set()

        return self.analyze(color, stop, stop_when_enough, 0.05)

    def judge_stones(self) -> "dict[StoneBlock, Status]":
        """Return the status of every block, the same as long as no stone changes."""
        return self._ready_player().judge_stones(self.game)

    def explanation(self) -> PositionReport | None:
        """Return the search behind the last move generated in this game."""
        return self._explained

    def _make_game(self, size: int) -> "Game":
        from miai.engine.go.game import Game
        from miai.engine.go.rules import RULES

        if self._game is not None:
            return Game(size, self._game.komi, self._game.rules)
        return Game(size, self.game_options.komi, RULES[self.game_options.rules])

    def _ready_player(self) -> "Player":
        """Return the player, told if a new game begins: the n-th game that is searched has the n-th random stream."""
        player = self.player
        if self._is_new_game:
            player.new_game()
            self._is_new_game = False
        return player

    def _budget_for(self, color: int) -> "Budget":
        """Return the limits of the options and the clock, whichever ends first.

        With a clock and no limit asked for by the user, the clock alone counts.
        """
        from miai.players.player import Budget

        game = self.game
        options = options_on(self.player_options, game.size)
        num_empty = game.size**2 - len(game.stones())
        seconds = self.clock.seconds_for(color, num_empty)
        if seconds is None:
            return Budget(options.simulation_limit, options.time)
        return Budget(options.simulations, seconds if options.time is None else min(seconds, options.time))


def _is_same_position(first: "Game", second: "Game") -> bool:
    return (
        first.size == second.size
        and first.komi == second.komi
        and first.rules == second.rules
        and first.setup_stones == second.setup_stones
        and first.moves == second.moves
    )
