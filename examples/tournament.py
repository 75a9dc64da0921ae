"""A tournament of search rules, one of them declared here.

    python examples/tournament.py --games 100 --simulations 1000 --output rules

Everyone plays everyone. The same call again goes on where it was stopped.
"""

import argparse
import itertools
from pathlib import Path
from typing import NamedTuple

import miai
from miai.engine.random import random_below, random_unit
from miai.engine.search.tree import children_of, values, visits


class Parameters(NamedTuple):
    """Of the rule below."""

    epsilon: float = 0.1


@miai.selection_rule(Parameters())
def epsilon_greedy(tree, node, params, workspace):
    """Visit every child once, then mostly the one of greatest value."""
    children, best, greatest = children_of(tree, node), -1, -1.0
    if random_unit(workspace) < params.epsilon:
        return children.first + random_below(workspace, children.end - children.first)
    for child in range(children.first, children.end):
        value = values(tree)[child] if visits(tree)[child] > 0 else 1.0
        if value > greatest:
            best, greatest = child, value
    return best


RULES = ("uct", "rave", "puct", f"{Path(__file__).resolve()}:epsilon_greedy")


def main() -> None:
    """Play all pairs; print the matches, and the points of each rule."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rules", nargs="+", default=RULES, metavar="RULE", help="names, or FILE.py:NAME")
    parser.add_argument("--games", type=int, default=20, help="of each pair")
    parser.add_argument("--simulations", type=int, default=400, help="of each move")
    parser.add_argument("--size", type=int, default=9, help="of the board")
    parser.add_argument("--output", type=Path, default=Path("rules"), help="folder of the games")
    given = parser.parse_args()
    names = [rule.rpartition(":")[2] for rule in given.rules]
    players = dict(zip(names, given.rules, strict=True))
    points = dict.fromkeys(players, 0.0)
    for a, b in itertools.combinations(players, 2):
        total = miai.play_match(
            f"fuego:select={players[a]},simulations={given.simulations}",
            f"fuego:select={players[b]},simulations={given.simulations}",
            games=given.games,
            size=given.size,
            output=given.output / f"{a}-{b}",
        ).total
        print(f"{a} {total.wins}, {b} {total.losses}, drawn {total.draws}")
        points[a] += total.wins + total.draws / 2
        points[b] += total.losses + total.draws / 2
    for name in sorted(points, key=lambda name: -points[name]):
        print(f"{name:16} {points[name]:g} points")


if __name__ == "__main__":
    main()
