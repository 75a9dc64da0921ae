"""How well backup operators estimate a position: values after S simulations against the best operator's after 2S."""

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np

from miai.engine.domains.go import GoWorkspace
from miai.engine.go.benson import pointless_points
from miai.engine.go.game import Game
from miai.engine.go.points import RESIGN
from miai.engine.random import new_stream
from miai.engine.search.backup.mix import mix
from miai.engine.search.parameters import describe_parameters, parameters_with
from miai.engine.search.rule_declaration import BackupRule, SelectionRule
from miai.engine.search.search import Budget, Parts, Search
from miai.engine.search.selection.crazystone import crazystone
from miai.engine.search.tree import ROOT, Tree
from miai.players.evaluators import make_domain, make_evaluator_workspace
from miai.players.options import resolve_options
from miai.players.player import Player

SIZE = 9
FIRST_CHECKPOINT = 128
OPERATORS = ("mean", "max", "robust-max", "mix")
PIECE = 5
"""Positions in a piece of work."""
MEMORY = 512 << 20
MAX_MOVES = 60
"""Moves, at most, after which a position is taken from a game."""


@dataclass(frozen=True)
class BackupPlan:
    """What the experiment runs."""

    num_positions: int
    simulations: int
    game_simulations: int
    seed: int
    parameters: tuple[tuple[str, float | str], ...] = ()
    """Those of the rules `crazystone` and `mix` that are not as the paper has them, as `crazystone.prior`."""

    @property
    def checkpoints(self) -> list[int]:
        """The numbers of simulations S whose values are compared: 128, 256, …"""
        return [1 << power for power in range(7, self.simulations.bit_length()) if 1 << power <= self.simulations]

    @property
    def num_pieces(self) -> int:
        """How many pieces of work there are."""
        return -(-self.num_positions // PIECE)

    def rows_of(self, piece: int) -> int:
        """Return how many positions a piece has."""
        return min(PIECE, self.num_positions - piece * PIECE)

    def run_piece(self, piece: int) -> dict[str, np.ndarray]:
        """Search the positions of a piece; return `errors`, see `search_positions`."""
        first = piece * PIECE
        return {"errors": search_positions(self, range(first, first + self.rows_of(piece)))}

    def signature(self) -> dict[str, Any]:
        """Return what must agree for pieces to belong together; more positions may be added later."""
        found = {"simulations": self.simulations, "game_simulations": self.game_simulations, "seed": self.seed}
        return {**found, "parameters": dict(self.parameters)} if self.parameters else found

    def check(self) -> None:
        """Make sure that there are such parameters, with such values.

        Raises:
            ValueError: naming what is wrong and what is allowed.
        """
        known = [f"{rule.name}.{name}" for rule in (crazystone, mix) for name in rule.defaults._fields]
        for name, value in self.parameters:
            if name not in known:
                raise ValueError(f"there is no parameter {name!r} (allowed: {', '.join(known)})")
            if isinstance(value, str):
                raise ValueError(f"parameter {name}: {value!r} is not allowed (allowed: a number)")
        for rule in (crazystone, mix):
            describe_parameters(self.parameters_of(rule, rule.defaults))

    def parameters_of(self, rule: SelectionRule | BackupRule, defaults: Any) -> Any:
        """Return a rule's parameters: defaults, and what is changed of them."""
        own = [(name.partition(".")[2], value) for name, value in self.parameters if name.startswith(f"{rule.name}.")]
        changed = {name: float(value) for name, value in own}
        return parameters_with(defaults, changed)


def take_position(index: int, plan: BackupPlan) -> Game:
    """Return a position from a game that the preset `crazystone` plays against itself, after 0 to 59 moves."""
    rng = np.random.default_rng([plan.seed, index])
    num_moves = int(rng.integers(MAX_MOVES))
    options, game_options = resolve_options(
        "crazystone", None, {"simulations": plan.game_simulations, "seed": int(rng.integers(1 << 31)), "memory": 64}
    )
    player = Player(options)
    game = Game(SIZE, game_options.komi)
    while len(game.moves) < num_moves:
        color = game.to_play
        move = player.choose(game, color).move
        if move == RESIGN:
            break
        game.play(color, move)
        if game.is_over:
            break
    player.close()
    return game


def root_estimates(tree: Tree, point_scale: float) -> dict[str, float]:
    """Return what each operator says of the root, in points for the player to move.

    The children's values are those of `mix`, which the search is led by.
    """
    children = tree.children(ROOT)
    rows = slice(children.start, children.stop)
    visits = tree["visits"][rows]
    points = np.where(visits > 0, (tree["value"][rows] - 0.5) * 2.0 * point_scale, -np.inf)
    return {
        "mean": -float(tree["score"][ROOT]),
        "max": float(points.max()),
        "robust-max": float(points[visits.argmax()]),
        "mix": float((0.5 - tree["value"][ROOT]) * 2.0 * point_scale),
    }


def search_positions(plan: BackupPlan, indices: range) -> np.ndarray:
    """Return how much each operator's value after S simulations exceeds that of `mix` after 2S.

    Returns:
        float64 [positions, checkpoints, operators], in points for the player to move.
    """
    workspace = GoWorkspace(SIZE, make_evaluator_workspace("playouts", SIZE))
    search = Search(Parts(make_domain("playouts", "crazystone", mix), crazystone, mix), [workspace], MEMORY)
    search.settings.selection = plan.parameters_of(crazystone, crazystone.defaults)
    search.settings.backup = plan.parameters_of(mix, mix.defaults._replace(internal_at=0))
    found = []
    for index in indices:
        game = take_position(index, plan)
        workspace.load(game, game.to_play, pointless_points(game.board, game.rules.suicide))
        workspace.record["stream"] = new_stream(plan.seed, index, 0)
        workspace.record["evaluator"]["stream"] = new_stream(plan.seed, index, 1)
        search.clear()
        done = 0
        estimates = []
        for checkpoint in [*plan.checkpoints, 2 * plan.checkpoints[-1]]:
            search.run(Budget(checkpoint - done), early_stop=False)
            done = checkpoint
            estimates.append(root_estimates(search.tree, float(workspace.record["point_scale"])))
        found.append(
            [[here[operator] - later["mix"] for operator in OPERATORS] for here, later in itertools.pairwise(estimates)]
        )
    return np.array(found)
