"""The one module that puts named parts together into a player: domain, rules, evaluator, policy, search."""

import functools
import itertools
import os
import threading
import time
from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass

import numpy as np

from miai.engine.go.benson import pointless_points
from miai.engine.go.game import Game
from miai.engine.go.points import BLACK, EMPTY, PASS, RESIGN, opponent
from miai.engine.search.batched_search import LeafBatches
from miai.engine.search.final_move import check_final
from miai.engine.search.own_rules import explain_failure, find_backup_rule, find_selection_rule
from miai.engine.search.report import MoveReport, SearchReport
from miai.engine.search.root import RootStatistics, root_statistics
from miai.engine.search.root_noise import dirichlet_noise, no_gumbel_noise
from miai.engine.search.rule_compatibility import check_pair
from miai.engine.search.search import Budget as Budget
from miai.engine.search.search import Parts, Search
from miai.engine.search.tree import ROOT, Tree
from miai.players.dead_stones import dead_of, remove_stones
from miai.players.decision import decide, decide_by_agreement, margin_of, may_end, sample_move
from miai.players.evaluators import EvaluatorSetup, SearchSetup, make_evaluator_setup
from miai.players.options import PlayerOptions
from miai.players.parameters import CurrentParameter, PlayerParameters
from miai.players.root_report import report_root
from miai.players.status import Status, StoneBlock
from miai.players.stone_judge import SHORTEST_LOOK, StoneJudge
from miai.playouts.distribution import distribution, propose
from miai.playouts.policy import make_policy

MEBIBYTE = 1 << 20
_MEMORY_FOR_REPORTS = 8 * MEBIBYTE
"""What a search takes beside its tree."""
_PASS_SIMULATIONS = 200
"""Simulations, at least, to make sure that a pass is safe."""
_PART_BEFORE_JUDGING = 0.75
"""Of a move's time: for the search, where dead stones may have to be judged after it."""


@dataclass(frozen=True)
class Decision:
    """A player's decision."""

    move: int
    """A point, PASS or RESIGN."""
    report: SearchReport
    """The search behind it."""

    @property
    def move_if_played_on(self) -> int:
        """The move, or the search's best where that is to give up: a point or PASS."""
        return self.report.moves[0].move if self.move == RESIGN else self.move


@dataclass(frozen=True)
class PlayoutMove:
    """A move of the playout policy."""

    move: int
    probability: float
    layer: str
    """The subpolicy that decides in this position."""


class Player:
    """A search with its tree, carried from move to move of a game."""

    def __init__(self, options: PlayerOptions, evaluation: EvaluatorSetup | None = None) -> None:
        """Put the named parts together.

        Args:
            options: of the player.
            evaluation: that of another player with the same options, whose network it then uses too.

        Raises:
            ValueError: for a search parameter that does not exist or a value that is not allowed, for rules that do
                not go together, and for a network that cannot be used.
        """
        self.options = options
        self._selection = find_selection_rule(options.select)
        self._backup = find_backup_rule(options.backup)
        self.evaluation = evaluation or make_evaluator_setup(options, self._selection)
        """What values positions."""
        check_pair(self._selection, self._backup, self.evaluation.kinds)
        check_final(options.final, self._selection, self._backup)
        self._policy = make_policy(options.policy)
        self._parameters = PlayerParameters(self._selection, self._backup, options)
        self._seed = int.from_bytes(os.urandom(4), "little") if options.seed is None else options.seed
        self._num_games = self._size = 0
        self._search: Search | None = None
        self._setup: SearchSetup | None = None
        self._root: Game | None = None
        self._root_color = BLACK
        self._on_root: Callable[[Tree, range], None] | None = None
        self._judge = StoneJudge()
        self._seed_streams()
        for name, value in options.parameters.items():
            self.set_parameter(name, str(value))

    def set_seed(self, seed: int) -> None:
        """Forget the tree and begin the random streams that belong to a seed.

        Raises:
            ValueError: if it is negative; nothing is changed.
        """
        if seed < 0:
            raise ValueError(f"the seed {seed} is negative")
        self._seed, self._num_games = seed, 0
        self.new_game()

    def new_game(self) -> None:
        """Forget the tree and begin the random stream of the next game."""
        self._num_games += 1
        self._root, self._judge = None, StoneJudge()
        if self._search is not None:
            self._search.clear()
        self._seed_streams()

    def forget_tree(self) -> None:
        """Let the next search begin with an empty tree."""
        self._root = None

    def choose(
        self,
        game: Game,
        color: int,
        budget: Budget | None = None,
        on_report: Callable[[SearchReport], None] | None = None,
        report_every: float = 0.0,
        stop: threading.Event | None = None,
    ) -> Decision:
        """Search the position and decide on a move for `color`; the game stays as it is.

        Args:
            budget: by default that of the options.
            on_report: called every `report_every` seconds, if that is not 0.
            stop: ends the search at once; the best move so far is chosen.
        """
        budget = budget or Budget(self.options.simulation_limit, self.options.time)
        first = budget
        if budget.seconds is not None and game.rules.removes_dead and may_end(game):
            first = Budget(budget.simulations, _PART_BEFORE_JUDGING * budget.seconds)
        report = self._search_position(game, color, first, on_report, report_every, stop, self.options.early_stop)
        return self.decide_on(game, color, report, budget, stop)

    def decide_on(
        self, game: Game, color: int, report: SearchReport, budget: Budget, stop: threading.Event | None = None
    ) -> Decision:
        """Decide on a move for `color` after a search of this position, in what it left of this budget."""
        end = time.monotonic() + (budget.seconds or 0.0) - report.seconds

        def seconds_left() -> float | None:
            return None if budget.seconds is None else max(SHORTEST_LOOK, end - time.monotonic())

        def value_after_pass() -> float:
            return self._value_after_pass(game, color, Budget(budget.simulations, seconds_left()), stop)

        def draw(moves: Sequence[MoveReport]) -> MoveReport:
            if self.options.temperature == 0.0:
                return moves[0]
            return sample_move(moves, self.options.temperature, self.options.min_visit_ratio, self._rng)

        def agreed_margin() -> float:
            return margin_of(remove_stones(game, self.dead_stones(game, seconds_left(), stop)), color)

        below = self.options.resign_below
        if game.rules.removes_dead:
            return Decision(decide_by_agreement(game, report, below, agreed_margin, value_after_pass, draw), report)
        return Decision(decide(game, color, report, below, value_after_pass, draw), report)

    def analyze(
        self,
        game: Game,
        color: int,
        on_report: Callable[[SearchReport], None],
        report_every: float,
        stop: threading.Event,
        budget: Budget | None = None,
    ) -> SearchReport:
        """Search until `stop` or the end of the budget, reporting every so many seconds; return the last report."""
        return self._search_position(game, color, budget or Budget(), on_report, report_every, stop, early_stop=False)

    def search(
        self, game: Game, color: int, budget: Budget | None = None, stop: threading.Event | None = None
    ) -> SearchReport:
        """Search until `stop` or the end of the budget, by default the options', and report without deciding."""
        budget = budget or Budget(self.options.simulation_limit, self.options.time)
        return self._search_position(game, color, budget, None, 0.0, stop, self.options.early_stop)

    def judge_stones(
        self, game: Game, seconds: float | None = None, stop: threading.Event | None = None
    ) -> dict[StoneBlock, Status]:
        """Return the status of every block, as `StoneJudge.judge` does."""
        return self._judge.judge(game, self._search_among, seconds, stop)

    def dead_stones(self, game: Game, seconds: float | None = None, stop: threading.Event | None = None) -> set[int]:
        """Return the points of the stones that `judge_stones` finds dead."""
        return dead_of(self.judge_stones(game, seconds, stop))

    def search_root(self, game: Game, color: int, simulations: int, early_stop: bool) -> RootStatistics:
        """Search the position and return the root as arrays: quicker than a report.

        Args:
            game: stays as it is.
            color: the player to move.
            simulations: to do, at least one.
            early_stop: whether to end once no other move can get more visits.
        """
        _, done, _ = self._run(game, color, Budget(max(1, simulations)), None, None, early_stop)
        return self.read_root(done)

    def prepare_search(self, game: Game, color: int) -> None:
        """Make a position the root of `search_on(game.size)`, for programs that run or step it themselves."""
        self._prepare_root(self.search_on(game.size), game, color)

    def read_root(self, simulations: int) -> RootStatistics:
        """Return the root of the latest search, which did so many simulations, as arrays."""
        assert self._search is not None
        return root_statistics(self._search, self._selection, simulations)

    def set_root_noise(self, rng: np.random.Generator | None) -> None:
        """Add noise at the root from the next search on, to find moves to learn; None = add none.

        To the prior probabilities, or the Gumbel variables of the rule that draws them. These have the same weight in
        either case, as searches in lockstep share their parameters.
        """
        settings = self._parameters.settings
        if "noise" in settings.selection._fields:
            settings.selection = settings.selection._replace(noise=1.0)
            self._on_root = no_gumbel_noise if rng is None else None
        else:
            self._on_root = None if rng is None else dirichlet_noise(rng)

    def set_root_hook(self, hook: Callable[[Tree, range], None]) -> None:
        """Call `hook` once in each search from the next one on: as `miai.engine.search.search.Search.on_root`."""
        self._on_root = hook

    def read_report(self, seconds: float) -> SearchReport:
        """Return the report of the latest `prepare_search`, whose tree began empty and was searched so long."""
        assert self._search is not None and self._root is not None
        visits = int(self._search.tree["visits"][ROOT])
        return self._report(self._search, self._root, self._root_color, visits, seconds)

    def evaluate_batches(self, leaf_batches: LeafBatches) -> None:
        """Evaluate the waiting leaves of this player's search and of others that share its evaluation, all at once."""
        assert self._setup is not None and self._setup.batch is not None
        self._setup.batch.evaluate(leaf_batches)

    def playout_moves_at(self, game: Game, color: int) -> list[PlayoutMove]:
        """Return the playout policy's moves for `color` with their exact probabilities."""
        board = game.copy().board
        board["to_play"] = color
        layer = propose(self._policy, board).layer
        probabilities = distribution(self._policy, board)
        return [
            PlayoutMove(int(move), float(probabilities[move]), layer) for move in np.flatnonzero(probabilities > 0.0)
        ]

    def parameters(self) -> dict[str, CurrentParameter]:
        """Return the search's parameters by dotted name."""
        return self._parameters.current()

    def set_parameter(self, name: str, value: str) -> None:
        """Change a search parameter from the next search on.

        Raises:
            ValueError: if there is no such parameter or the value is not allowed; says which are.
        """
        self._parameters.set(name, value)

    def close(self) -> None:
        """Release the threads."""
        if self._search is not None:
            self._search.close()

    def search_on(self, size: int) -> Search:
        """Return the search on boards of this size."""
        if self._search is None or self._size != size:
            self.close()
            setup = self.evaluation.set_up(size, self._backup)
            parts = Parts(setup.domain, self._selection, self._backup, self.options.final)
            memory = self.options.memory * MEBIBYTE
            self._search = Search(parts, setup.workspaces, memory - min(memory // 8, _MEMORY_FOR_REPORTS), setup.batch)
            self._search.settings = self._parameters.settings
            self._setup = setup
            self._seed_streams()
            self._size = size
            self._root = None
        return self._search

    def _seed_streams(self) -> None:
        """Begin the random streams of the game that is played now."""
        self._rng = np.random.default_rng((self._seed, self._num_games))
        if self._setup is not None:
            self._setup.seed(self._seed, self._num_games)

    def _prepare_root(self, search: Search, game: Game, color: int, among: Container[int] | None = None) -> None:
        """Make a position the root, keeping the part of the tree that leads on from it."""
        root = self._root
        followed = root is not None and not game.is_over and _follows(root, self._root_color, game, color)
        if followed and root is not None:
            for _, move in game.moves[len(root.moves) :]:
                search.advance(move)
        else:
            search.clear()
        search.on_root = self._on_root
        avoided = pointless_points(game.board, game.rules.suicide)
        if among is not None:
            avoided[[point for point in np.flatnonzero(game.board["color"] == EMPTY) if point not in among]] = 1
        assert self._setup is not None
        self._setup.load(game, color, avoided, self._parameters)
        self._root, self._root_color = game.copy(), color

    def _search_position(
        self,
        game: Game,
        color: int,
        budget: Budget,
        on_report: Callable[[SearchReport], None] | None,
        report_every: float,
        stop: threading.Event | None,
        early_stop: bool,
        among: Container[int] | None = None,
    ) -> SearchReport:
        if game.rules.removes_dead and game.board["num_passes"] > 0:
            # A second pass ends nothing here before the players agree on the dead stones, and may be followed by play.
            game = game.copy()
            game.board["num_passes"] = 0
            self._root = None
        next_report = time.monotonic() + report_every

        def report_now_and_then(search: Search, simulations: int, seconds: float) -> None:
            nonlocal next_report
            if on_report is not None and report_every > 0 and (now := time.monotonic()) >= next_report:
                next_report = max(next_report + report_every, now + 0.5 * report_every)
                on_report(self._report(search, game, color, simulations, seconds))

        search, simulations, seconds = self._run(game, color, budget, stop, report_now_and_then, early_stop, among)
        return self._report(search, game, color, simulations, seconds)

    def _search_among(
        self, game: Game, color: int, budget: Budget, stop: threading.Event | None, among: Container[int] | None
    ) -> SearchReport:
        """Search a position of no game that is played, in a tree of its own."""
        self.forget_tree()
        report = self._search_position(game, color, budget, None, 0.0, stop, early_stop=False, among=among)
        self.forget_tree()
        return report

    def _run(
        self,
        game: Game,
        color: int,
        budget: Budget,
        stop: threading.Event | None,
        on_progress: Callable[[Search, int, float], None] | None,
        early_stop: bool,
        among: Container[int] | None = None,
    ) -> tuple[Search, int, float]:
        """Search moves on the points of `among`, or all; return the search, the simulations done and the seconds."""
        search = self.search_on(game.size)
        self._prepare_root(search, game, color, among)
        left = budget.less(int(search.tree["visits"][ROOT])) if self.options.count_kept else budget
        watch = None if on_progress is None else functools.partial(on_progress, search)
        try:
            simulations, seconds = search.run(left, stop, watch, early_stop)
        except Exception as error:
            search.clear()
            raise explain_failure(error, self._selection, self._backup) from error
        return search, simulations, seconds

    def _value_after_pass(self, game: Game, color: int, budget: Budget, stop: threading.Event | None) -> float:
        """Search the position after a pass, with a tenth of the simulations, and return its value for `color`."""
        after = game.copy()
        after.play(color, PASS)
        part = Budget(max(_PASS_SIMULATIONS, (budget.simulations or 0) // 10), budget.seconds)
        report = self._search_position(after, opponent(color), part, None, 0.0, stop, early_stop=False)
        return 1.0 - report.moves[0].value

    def _report(self, search: Search, game: Game, color: int, simulations: int, seconds: float) -> SearchReport:
        assert self._setup is not None
        return report_root(search, self._setup.workspaces, game, color, simulations, seconds)


def _follows(root: Game, root_color: int, game: Game, color: int) -> bool:
    """Tell whether the players came from `root` to `game` in turn, under the same rules and komi."""
    if (root.size, root.komi, root.rules) != (game.size, game.komi, game.rules):
        return False
    if root.setup_stones != game.setup_stones or root.moves != game.moves[: len(root.moves)]:
        return False
    colors = [mover for mover, _ in game.moves[len(root.moves) :]] + [color]
    return colors[0] == root_color and all(one == opponent(other) for one, other in itertools.pairwise(colors))
