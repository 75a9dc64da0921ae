"""`miai bench search`: simulations per second of whole searches, on the empty 9x9 board and on simulated trees."""

import time
from collections.abc import Iterator

from miai.benchmarks.figures import Figure
from miai.engine.domains.simulated import SIMULATED_KINDS, TESTS, SimulatedWorkspace
from miai.engine.go.game import Game
from miai.engine.go.points import BLACK
from miai.engine.search.backup import BACKUP_RULES
from miai.engine.search.rule_compatibility import fits, fitting_pairs
from miai.engine.search.search import Budget
from miai.engine.search.selection import SELECTION_RULES
from miai.experiments.jones.tree_runs import make_search, read_contestant
from miai.nets.inference import available_backends
from miai.players.options import PlayerOptions, resolve_options
from miai.players.player import Player

SLOWNESS = {"wdl-product": 50}
"""How many times fewer simulations are measured where each does much more: playouts of every child."""
SPEEDUPS = {"rave.fuego": "search.speedup.2threads.9x9", "net": "search.net.speedup.2threads.9x9"}
"""Figures that tell the gain of a second thread, by the case with one thread."""


def cases() -> dict[str, PlayerOptions]:
    """Return what is measured on Go: every selection rule, every backup rule with `puct`, `net`, two threads."""
    found = {}
    for selection in SELECTION_RULES.values():
        backup = next(backup.name for backup in BACKUP_RULES.values() if fits(selection, backup))
        found[f"{selection.name}.fuego"] = PlayerOptions(select=selection.name, backup=backup, seed=1)
    for backup_name in BACKUP_RULES:
        if backup_name != "mean":
            found[f"puct.{backup_name}.fuego"] = PlayerOptions(select="puct", backup=backup_name, seed=1)
    found["rave.random"] = PlayerOptions(select="rave", policy="random", seed=1)
    found["rave.fuego.2threads"] = PlayerOptions(select="rave", threads=2, seed=1)
    if available_backends():
        for name, threads in (("net", 1), ("net.2threads", 2)):
            found[name] = resolve_options("net", given={"threads": threads, "seed": 1})[0]
    return found


def measure_search(options: PlayerOptions, simulations: int, rounds: int) -> float:
    """Return the simulations per second of the fastest of `rounds` searches of the empty 9x9 board."""
    player = Player(options)
    game = Game(9)
    player.choose(game, BLACK, Budget(simulations=20))
    rates = []
    for _ in range(rounds):
        player.new_game()
        start = time.perf_counter()
        report = player.choose(game, BLACK, Budget(simulations=simulations)).report
        rates.append(report.simulations / (time.perf_counter() - start))
    player.close()
    return max(rates)


def measure_trees(select: str, backup: str, playouts: int, rounds: int) -> float:
    """Return the playouts per second of the fastest of `rounds` searches of simulated trees of test A."""
    workspace = SimulatedWorkspace(TESTS["A"], 0)
    search = make_search(read_contestant(f"{select}/{backup}", "A"), workspace, playouts)
    search.run(Budget(20))
    rates = []
    for index in range(rounds):
        workspace.load(TESTS["A"], index)
        search.clear()
        start = time.perf_counter()
        search.run(Budget(playouts), early_stop=False)
        rates.append(playouts / (time.perf_counter() - start))
    return max(rates)


def run(simulations: int = 10_000, rounds: int = 5, only: str = "") -> Iterator[Figure]:
    """Measure every case whose figure's name has `only` in it, in simulations per second.

    `search.<select>[.<backup>].<policy>.9x9`, the gain of a second thread, and `search.<select>.trees-A` of 25 times
    as many playouts.
    """
    rates = {}
    needed = {case for name, figure in SPEEDUPS.items() if only in figure for case in (name, f"{name}.2threads")}
    for name, options in cases().items():
        is_wanted = only in (figure := f"search.{name}.9x9")
        if is_wanted or name in needed:
            number = simulations * options.threads // SLOWNESS.get(options.backup, 1)
            rates[name] = measure_search(options, number, rounds)
        if is_wanted:
            yield Figure(figure, rates[name], "/s")
    for name, figure in SPEEDUPS.items():
        if {name, f"{name}.2threads"} <= rates.keys():
            yield Figure(figure, rates[f"{name}.2threads"] / rates[name], "x")
    backups = {selection.name: backup.name for selection, backup in reversed([*fitting_pairs(SIMULATED_KINDS)])}
    for select, rule in SELECTION_RULES.items():
        if select in backups and not rule.needs_lasting_moves and only in (figure := f"search.{select}.trees-A"):
            yield Figure(figure, measure_trees(select, backups[select], 25 * simulations, rounds), "/s")
