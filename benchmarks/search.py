"""`miai bench search`: simulations per second of whole searches from the empty 9x9 board."""

import time
from collections.abc import Iterator

import click

from benchmarks.figures import Figure, print_figures, take_json
from engine.go.game import Game
from engine.go.points import BLACK
from engine.search.search import Budget
from gtp.options import PlayerOptions
from gtp.player import Player

CASES = {
    "rave.fuego": PlayerOptions(select="rave", policy="fuego", seed=1),
    "uct.fuego": PlayerOptions(select="uct", policy="fuego", seed=1),
    "puct.fuego": PlayerOptions(select="puct", policy="fuego", seed=1),
    "rave.random": PlayerOptions(select="rave", policy="random", seed=1),
    "rave.fuego.2threads": PlayerOptions(select="rave", policy="fuego", threads=2, seed=1),
}
"""What is measured: selection rule, playout policy, threads if more than one."""


def measure_search(options: PlayerOptions, simulations: int, rounds: int) -> float:
    """Return the simulations per second of the fastest of `rounds` searches of the empty 9x9 board."""
    player = Player(options)
    game = Game(9)
    player.choose(game, BLACK, Budget(simulations=200))
    rates = []
    for _ in range(rounds):
        player.new_game()
        start = time.perf_counter()
        report = player.choose(game, BLACK, Budget(simulations=simulations)).report
        rates.append(report.simulations / (time.perf_counter() - start))
    player.close()
    return max(rates)


def run(simulations: int = 10_000, rounds: int = 5) -> Iterator[Figure]:
    """Measure every case: `search.<rule>.<policy>.9x9` in simulations per second; then the gain of a second thread."""
    rates = {}
    for name, options in CASES.items():
        rates[name] = measure_search(options, simulations * options.threads, rounds)
        yield Figure(f"search.{name}.9x9", rates[name], "/s")
    yield Figure("search.speedup.2threads.9x9", rates["rave.fuego.2threads"] / rates["rave.fuego"], "x")


@click.command()
@click.option("--simulations", type=click.IntRange(min=100), default=10_000, show_default=True, help="Per thread.")
@take_json
def command(simulations: int, as_json: bool) -> None:
    """Measure whole searches, each the fastest of five."""
    print_figures(run(simulations), as_json)
