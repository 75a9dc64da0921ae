"""What a loop of self-play and training does. Plain Python: importing it loads no compiled code."""

import dataclasses
from dataclasses import dataclass
from pathlib import Path

from miai.nets.config import NetConfig
from miai.players.options import PlayerOptions
from miai.selfplay.generation.selfplay_recipe import SelfPlayRecipe
from miai.selfplay.training.training_recipe import TrainingRecipe


@dataclass(frozen=True)
class LoopPlan:
    """The numbers and parts of a loop. All may change from start to start but the network's form."""

    network: NetConfig
    """What is trained."""
    teacher: PlayerOptions
    """Who plays before there is a network."""
    player: PlayerOptions
    """Who plays with one; `net` is each time the newest."""
    evaluator: str
    """What it values positions by: `net` or `mixed`."""
    teacher_recipe: SelfPlayRecipe
    """How the teacher's games are played; its seed is that of the loop."""
    recipe: SelfPlayRecipe
    """How the others are played."""
    training: TrainingRecipe
    """How the network learns from them."""
    teacher_games: int = 1000
    """The first network learns from these; one to start from plays so many."""
    games: int = 200
    """Games of each network."""
    start_from: Path | None = None
    """File of weights that become the first network, in place of one that learned from the teacher."""
    first_window: int = 250_000
    """Positions from which on the oldest games are left out; see `miai.selfplay.data.window`."""

    def games_of(self, version: int) -> int:
        """Return how many games network number `version` plays; 0 is the teacher."""
        return self.teacher_games if version == (1 if self.start_from else 0) else self.games

    def recipe_of(self, version: int) -> SelfPlayRecipe:
        """Return how they are played: no two networks play games of the same seed."""
        recipe = self.recipe if version else self.teacher_recipe
        return dataclasses.replace(recipe, seed=self.teacher_recipe.seed + version, net_version=version)

    def player_of(self, net: Path | None) -> PlayerOptions:
        """Return who plays with a network, or the teacher without one."""
        if net is None:
            return self.teacher
        return dataclasses.replace(
            self.player, evaluator=self.evaluator, net=str(net.resolve()), simulations=self.recipe.simulations
        )
