"""Games that branch off other games by random moves and are then played to the end.

A search looks at all moves of a position, a game shows only good ones. A branch begins where a game was after some of
its moves and one to three random moves more; from there on a player plays both sides. Its record starts with that
position as set-up stones, so that whoever learns from it sees none of the random moves. Every stone on the board counts
at the end, so players take dead ones off before they pass.
"""

import random

from miai.engine.go.eyes import is_own_eye
from miai.engine.go.game import Game
from miai.engine.go.points import MAX_KOMI, opponent
from miai.engine.go.rules import count_all_stones
from miai.players.player import Player

_MAX_RANDOM_MOVES = 3
_KOMI_SPREAD = 12
"""Points by which a branch's komi is at most higher or lower than the game's: branches should be undecided too."""


def branch_off(game: Game, rng: random.Random) -> Game | None:
    """Return a game that begins at a random position of `game` after some random moves; None if there were none left.

    The random moves are legal and fill no own eye.
    """
    number = rng.randrange(len(game.moves) + 1)
    komi = game.komi + rng.randint(-_KOMI_SPREAD, _KOMI_SPREAD)
    branch = Game(game.size, min(MAX_KOMI, max(-MAX_KOMI, komi)), count_all_stones(game.rules))
    branch.set_up(game.setup_stones, game.moves[0][0] if game.moves else game.to_play)
    for color, move in game.moves[:number]:
        branch.play(color, move)
    color = branch.to_play
    for _ in range(rng.randint(1, _MAX_RANDOM_MOVES)):
        moves = [point for point in branch.legal_points(color) if not is_own_eye(branch.board, point, color)]
        if not moves:
            return None
        branch.play(color, rng.choice(moves))
        color = opponent(color)
    branch.set_up(branch.stones(), color)
    return branch


def play_to_end(game: Game, player: Player) -> None:
    """Let a player that never resigns play both sides until two passes, or 3·size² moves."""
    player.new_game()
    while not game.is_over and len(game.moves) < 3 * game.size**2:
        color = game.to_play
        game.play(color, player.choose(game, color).move_if_played_on)
