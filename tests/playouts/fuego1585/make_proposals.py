"""Ask Fuego's revision 1585 for its patterns, and for what it proposes in positions of games by its policies.

python -m tests.playouts.fuego1585.make_proposals DRIVER

DRIVER is `driver.cpp`, built as it says; `patterns.txt` is as it writes it. A line of `proposals.txt` is a game, or `N`
and what it writes of the position after the game's first N moves.
"""

import subprocess
import sys
from pathlib import Path

import numpy as np

from miai.engine.go.game import Game
from miai.engine.go.points import PASS, vertex_of
from miai.playouts.distribution import distribution
from miai.playouts.policy import make_policy

PROPOSALS = Path(__file__).with_name("proposals.txt")
PATTERNS = Path(__file__).with_name("patterns.txt")
POLICIES = ("fuego1585_listed", "fuego1585_listed_random", "fuego1585_listed_only_patt")
NUM_GAMES, EVERY = 36, 4


def play_game(policy: str, seed: int) -> list[str]:
    """Return the moves of a game by a policy, up to 150."""
    game, rng = Game(9), np.random.default_rng(seed)
    while not game.is_over and len(game.moves) < 150:
        chances = distribution(make_policy(policy), game.board)
        move = int(rng.choice(len(chances), p=chances / chances.sum()))
        game.play(game.to_play, move if game.is_legal(game.to_play, move) else PASS)
    return [vertex_of(move, 9).upper() for _, move in game.moves]


def main(driver: str) -> None:
    PATTERNS.write_text(subprocess.run([driver, "patterns"], capture_output=True, text=True, check=True).stdout)
    games = [play_game(POLICIES[seed % len(POLICIES)], seed) for seed in range(NUM_GAMES)]
    wanted = [(game, number) for game in range(NUM_GAMES) for number in range(EVERY, len(games[game]), EVERY)]
    asked = "".join(" ".join(games[game][:number]) + "\n" for game, number in wanted)
    told = subprocess.run([driver], input=asked, capture_output=True, text=True, check=True).stdout.splitlines()
    lines: list[str] = []
    for (game, number), sections in zip(wanted, told, strict=True):
        if number == EVERY:
            lines.append(" ".join(games[game]))
        lines.append(f"{number} {sections}")
    PROPOSALS.write_text("".join(f"{line}\n" for line in lines))


if __name__ == "__main__":
    main(sys.argv[1])
