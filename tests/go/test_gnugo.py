"""GNU Go as referee: it agrees on legality, captures, stones and area score of random games.

The large run, 200 games:  pytest -m "slow and gnugo" tests/go/test_gnugo.py
"""

import os
import random
import shutil

import numpy as np
import pytest

from miai.engine.go.eyes import is_own_eye
from miai.engine.go.game import Game
from miai.engine.go.handicap import fixed_handicap_points
from miai.engine.go.legality import leaves_liberty
from miai.engine.go.points import BLACK, PASS, WHITE, color_name, move_at, opponent, vertex_of
from miai.engine.go.rules import Rules
from miai.gtp.client import Client, GtpError

PROGRAM = shutil.which("gnugo") or shutil.which("gnugo", path=f"{os.environ.get('PATH', '')}:/usr/games")
pytestmark = [pytest.mark.gnugo, pytest.mark.skipif(PROGRAM is None, reason="gnugo is not installed")]

ALL_RULES = [Rules(superko, suicide) for superko in ("positional", "none") for suicide in (False, True)]


def start_referee(rules: Rules) -> Client:
    options = ["--mode", "gtp", "--level", "1", "--chinese-rules", "--capture-all-dead"]
    options.append("--positional-superko" if rules.has_superko else "--simple-ko")
    options.append("--allow-all-suicide" if rules.suicide else "--forbid-suicide")
    return Client.start([str(PROGRAM), *options])


def repeats_by_suicide(game: Game, color: int, point: int) -> bool:
    is_suicide = not leaves_liberty(game.board, point, np.uint8(color))
    return is_suicide and game.why_illegal(color, point) == "superko"


def check_position(game: Game, referee: Client) -> None:
    stones = game.stones()
    for color in (BLACK, WHITE):
        name = color_name(color)
        legal = {vertex_of(point, game.size) for point in game.legal_points(color)}
        allowed = set(referee.send(f"all_legal {name}").split())
        if game.rules.suicide and game.rules.has_superko:
            # GNU Go looks for repetition before own stones come off, so it does not see that a suicide repeats.
            allowed = {vertex for vertex in allowed if not repeats_by_suicide(game, color, move_at(vertex, game.size))}
        assert allowed == legal
        expected = {vertex_of(point, game.size) for point, stone in stones.items() if stone == color}
        assert set(referee.send(f"list_stones {name}").split()) == expected
        assert int(referee.send(f"captures {name}")) == game.num_captured[opponent(color)]


def check_game(rng: random.Random, size: int, rules: Rules, referee: Client, max_moves: int) -> bool:
    """Play a random game that fills no eyes; tell whether it was played to its end and counted.

    GNU Go takes dead stones off before it counts, Tromp and Taylor do not: a game counts if no stone is dead. (Where
    superko forbids the last capture, a random game ends with dead stones on the board.)
    """
    game = Game(size, komi=7.5, rules=rules)
    referee.send(f"boardsize {size}")
    referee.send("clear_board")
    referee.send("komi 7.5")
    while not game.is_over and len(game.moves) < max_moves:
        color = game.to_play if rng.random() < 0.97 else opponent(game.to_play)
        legal = game.legal_points(color)
        moves = [point for point in legal if not is_own_eye(game.board, point, np.uint8(color))]
        move = rng.choice(moves) if moves else PASS
        game.play(color, move)
        referee.send(f"play {color_name(color)} {vertex_of(move, size)}")
        check_position(game, referee)
        if moves and rng.random() < 0.02:
            game.undo()
            referee.send("undo")
            check_position(game, referee)
    if game.is_over and not rules.suicide and not referee.send("final_status_list dead").strip():
        score = game.score()
        assert referee.send("final_score") == f"{'B' if score > 0 else 'W'}+{abs(score):.1f}"
        return True
    return False


def test_random_games_agree_with_gnugo() -> None:
    num_counted = 0
    for number, rules in enumerate(ALL_RULES[:3]):
        with start_referee(rules) as referee:
            num_counted += check_game(random.Random(number), 9, rules, referee, 450)
    assert num_counted == 2


@pytest.mark.slow
@pytest.mark.parametrize("rules", ALL_RULES, ids=str)
def test_many_random_games_agree_with_gnugo(rules: Rules) -> None:
    """50 games for each of the four rules: 200."""
    num_counted = 0
    with start_referee(rules) as referee:
        for number in range(50):
            size = (5, 7, 9, 9, 13)[number % 5]
            num_counted += check_game(random.Random(f"{rules} {number}"), size, rules, referee, 450)
    assert num_counted >= 30 or rules.suicide


def test_fixed_handicap_agrees_with_gnugo() -> None:
    """On size 12 they differ: GNU Go stands on the fourth line from there, GTP from 13."""
    with start_referee(ALL_RULES[0]) as referee:
        for size in (7, 8, 9, 10, 11, 13, 14, 19):
            referee.send(f"boardsize {size}")
            for stones in range(2, 11):
                referee.send("clear_board")
                try:
                    expected = set(referee.send(f"fixed_handicap {stones}").split())
                except GtpError:
                    with pytest.raises(ValueError, match="allowed are"):
                        fixed_handicap_points(size, stones)
                else:
                    points = fixed_handicap_points(size, stones)
                    assert {vertex_of(point, size) for point in points} == expected
