"""Run everything that a player runs once, so that it is compiled."""

from collections.abc import Iterator

from miai.engine.go.game import Game
from miai.engine.go.points import BLACK, WHITE
from miai.engine.search.search import Budget
from miai.players.options import PlayerOptions
from miai.players.player import Player

NUM_WARM_UP_STEPS = 4


def warm_up(options: PlayerOptions, size: int) -> Iterator[str]:
    """Compile whatever a player with these options runs; yields the name of each step as it begins."""
    yield "rules"
    game = Game(size)
    game.is_legal(BLACK, game.legal_points(BLACK)[0])
    game.score()
    game.copy()
    yield "playout policy"
    player = Player(options)
    player.playout_moves_at(game, WHITE)
    yield "search"
    player.choose(game, BLACK, Budget(simulations=20))
    yield "tree"
    move = game.legal_points(BLACK)[0]
    game.play(BLACK, move)
    player.choose(game, WHITE, Budget(simulations=20))
    player.close()
