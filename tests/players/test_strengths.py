"""The levels for people: even the weakest, whose moves are sampled from the network's policy, play sensibly."""

import numpy as np
import pytest

from miai.engine.go.eyes import is_own_eye
from miai.engine.go.game import Game
from miai.engine.go.points import BLACK, PASS, location_of, opponent
from miai.players.options import resolve_options
from miai.players.player import Player
from miai.players.presets import STRENGTHS

SIZE = 9
OPENING = 12
DRAWN_FROM_POLICY = [strength for strength, values in STRENGTHS.items() if values.get("simulations") == 1]


@pytest.mark.parametrize("strength", DRAWN_FROM_POLICY)
def test_weak_levels_fill_no_eyes_and_do_not_open_at_the_edge(strength: int) -> None:
    options, _ = resolve_options(given={"strength": strength, "seed": 1, "memory": 16, "resign_below": 0.0})
    player = Player(options)
    for _ in range(3):
        player.new_game()
        game, color = Game(SIZE), BLACK
        while not game.is_over and len(game.moves) < 200:
            move = player.choose(game, color).move
            if move != PASS:
                assert not is_own_eye(game.board, move, np.uint8(color))
                assert len(game.moves) >= OPENING or not {0, SIZE - 1} & set(location_of(move, SIZE))
            game.play(color, move)
            color = opponent(color)
        assert game.is_over and len(game.moves) > OPENING
    player.close()
