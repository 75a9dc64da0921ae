"""One game as a state machine: it says what to search, is told what was found, and moves.

Whoever runs the searches, one at a time or many in lockstep, drives it:

    playing = SelfPlayGame(recipe, number)
    while (request := playing.request) is not None:
        ...  # search playing.game
        playing.take(found)
    record = playing.record()
"""

import math

import numpy as np

from miai.engine.go.actions import action_of_move
from miai.engine.go.benson import pass_alive
from miai.engine.go.game import Game
from miai.engine.go.points import BLACK, PASS, opponent
from miai.engine.go.rules import RULES
from miai.engine.search.root import RootStatistics
from miai.selfplay.data.format import GameRecord, PolicyTarget
from miai.selfplay.data.settled_area import settled_area
from miai.selfplay.data.sgf import setup_of
from miai.selfplay.generation.branches import branch_off, recorded_games
from miai.selfplay.generation.selfplay_recipe import SearchRequest, SelfPlayRecipe

_NEAR_KOMI = 0.75
"""Share of the games with a komi near the recipe's."""
_KOMI_SPREAD = 1.0
"""Standard deviation of these, in points."""
_MIN_PROBABILITY = 1e-4
"""Smaller probabilities of a policy target are left out."""


def game_seed(seed: int, number: int) -> int:
    """Return what identifies a game in its folder, 0 to 2^63 - 1: another for each seed of a run and each number."""
    return int(np.random.SeedSequence((seed, number)).generate_state(1, np.uint64)[0] >> np.uint64(1))


class SelfPlayGame:
    """A game that a player plays against itself."""

    def __init__(self, recipe: SelfPlayRecipe, number: int) -> None:
        """Begin game `number` of a recipe's seed."""
        self._recipe = recipe
        self.seed = game_seed(recipe.seed, number)
        """Identifies the game; of the searches' randomness too."""
        self._rng = np.random.default_rng(self.seed)
        self.noise_rng = np.random.default_rng((self.seed, 1))
        """For noise in the searches that explore."""
        self.game = self._begin()
        """The position to search; whoever searches leaves it as it is."""
        self._branch = len(self.game.moves) if recipe.branch_off else -1
        self._opening = 0
        if recipe.opening_moves > 0 and not recipe.branch_off:
            self._opening = int(self._rng.exponential(recipe.opening_moves))
        self._may_resign = bool(self._rng.random() < recipe.resign_fraction)
        self._hopeless = {BLACK: 0, opponent(BLACK): 0}
        self._resigned: int | None = None
        self._record = GameRecord(
            recipe.size,
            self.game.komi,
            has_superko=self.game.rules.has_superko,
            suicide=self.game.rules.suicide,
            net_version=recipe.net_version,
            seed=self.seed,
        )
        self._record.setup = self._setup()
        self._is_worse = False
        self.request: SearchRequest | None = self._next_request()
        """What to search next; None when the game is over."""

    def take(self, found: RootStatistics) -> None:
        """Make the next move by what the search for `request` found."""
        assert self.request is not None
        game, color = self.game, self.game.to_play
        if self._is_worse:
            self._play(self._sample_worse_move(found))
        elif self.request.simulations == 0:
            self._play(self._sample_opening_move(found))
        elif self._gives_up(color, found.value):
            self._resigned = color
        else:
            target = self._target(found) if self.request.is_full else None
            self._play(self._choose(found), target, found.value, found.score)
        done = self._resigned is not None or game.is_over or len(game.moves) >= 3 * game.size**2
        self.request = None if done or self._is_decided() else self._next_request()

    def record(self) -> GameRecord:
        """Return the game, which is over."""
        record = self._record
        if self._resigned is not None:
            record.result = 0.0 if self._resigned == BLACK else 1.0
            return record
        owners = settled_area(self.game)
        score = float(owners.sum()) - self.game.komi
        by_the_rules = score if self._is_decided() else self.game.score()
        record.result = 0.5 + 0.5 * float(np.sign(by_the_rules))
        # who passed too early, with dead stones to take, has lost: nothing true can be said of the score then
        if (self.game.is_over or self._is_decided()) and np.sign(score) == np.sign(by_the_rules):
            record.score, record.ownership, record.is_scored = score, owners, True
        return record

    def _begin(self) -> Game:
        recipe = self._recipe
        if recipe.branch_off:
            return branch_off(recorded_games(recipe.branch_off, recipe.size), RULES[recipe.rules], self._rng)
        return Game(recipe.size, self._sample_komi(), RULES[recipe.rules])

    def _setup(self) -> np.ndarray | None:
        """Return the position that the record begins at: of a branch where it leaves the other game.

        The moves before belong to a game with another result.
        """
        stones = self.game.stones()
        return setup_of(stones, self.game.size) if stones else None

    def _sample_komi(self) -> float:
        low, high = self._recipe.komi_range
        if self._rng.random() < _NEAR_KOMI:
            komi = self._rng.normal(self._recipe.komi, _KOMI_SPREAD)
        else:
            komi = self._rng.uniform(low, high)
        return float(np.clip(np.round(2.0 * komi) / 2.0, low, high))

    def _next_request(self) -> SearchRequest:
        recipe = self._recipe
        number = len(self.game.moves)
        self._is_worse = number == self._branch
        if recipe.worse_moves > 0.0 and number >= self._opening:
            self._is_worse |= bool(self._rng.random() < recipe.worse_moves)
        if self._is_worse or number < self._opening:
            return SearchRequest(0, is_full=False)
        is_full = bool(self._rng.random() < recipe.full_search_fraction)
        return SearchRequest(recipe.simulations if is_full else recipe.fast_simulations, is_full)

    def _play(
        self, move: int, target: PolicyTarget | None = None, value: float = math.nan, score: float = math.nan
    ) -> None:
        color = self.game.to_play
        self.game.play(color, move)
        value = float(np.clip(value, 0.0, 1.0))  # win + draw/2 of a network in bfloat16 may be a little above 1
        self._record.add_move(color, action_of_move(move, self.game.size), target, value, score)

    def _sample_opening_move(self, found: RootStatistics) -> int:
        return self._draw(found, found.priors ** (1.0 / self._recipe.opening_temperature))

    def _sample_worse_move(self, found: RootStatistics) -> int:
        weights = np.sqrt(found.priors)
        weights[np.argmax(found.priors)] = 0.0
        return self._draw(found, weights)

    def _draw(self, found: RootStatistics, weights: np.ndarray) -> int:
        """Draw a move by weights; a pass only if there is no other."""
        weights = np.where(found.moves == PASS, 0.0, weights)
        total = weights.sum()
        return int(self._rng.choice(found.moves, p=weights / total)) if total > 0 else PASS

    def _choose(self, found: RootStatistics) -> int:
        """Draw a move by the temperature; a pass only if it is the best move: it gives the rest of a game away."""
        best = int(np.argmax(found.policy))
        if found.moves[best] == PASS:
            return PASS
        probabilities = np.where(found.moves == PASS, 0.0, found.policy / found.policy[best])
        weights = probabilities ** (1.0 / self._recipe.temperature(len(self.game.moves)))
        return int(self._rng.choice(found.moves, p=weights / weights.sum()))

    def _target(self, found: RootStatistics) -> PolicyTarget:
        kept = found.policy > _MIN_PROBABILITY
        probabilities = found.policy[kept]
        moves = [action_of_move(int(move), self.game.size) for move in found.moves[kept]]
        return PolicyTarget(np.array(moves, dtype=np.int16), (probabilities / probabilities.sum()).astype(np.float32))

    def _gives_up(self, color: int, value: float) -> bool:
        """Tell whether a player resigns, who found its position hopeless now and the last time."""
        self._hopeless[color] = self._hopeless[color] + 1 if value < self._recipe.resign_below else 0
        return self._may_resign and self._hopeless[color] >= 2

    def _is_decided(self) -> bool:
        """Tell whether every point belongs to somebody for good."""
        if self.game.board["num_empty"] > self.game.size**2 // 2:
            return False
        owners = np.empty(self.game.size**2, dtype=np.int8)
        pass_alive(self.game.board, owners, self.game.rules.suicide)
        return bool(owners.all())
