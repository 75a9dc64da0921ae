"""Holden's search against others, its mixture swept, draws, and what brings it nearer to `fuego`: the lines."""

from miai.experiments.matches.match_lines import MatchLine

OPPONENTS = ("uct", "puct", "esprit", "fuego")
"""Presets; `fuego` is who it is to come up to, and keeps its playouts. The others evaluate as Holden's search does."""
KAPPAS = (0.0, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9)
"""Weights of the product in footnote 4's mixture; 1 is whom they play."""
EVALUATORS = ("static", "playouts", "net")
"""What gives win, draw and loss probabilities: Holden's regression, two playouts each move, a network."""
KOMI = 7.0
"""A whole number: draws happen."""
FULL_GAMES = 200
SIMULATIONS, SECONDS = 1000, 0.2
"""A move of either side, in lines of equal simulations and of equal time."""
IDEAS = {
    "prior": "select=dominance-prior,final=visits",
    "effective": "backup=wdl-effective",
    "both": "select=dominance-prior,final=visits,backup=wdl-effective",
    "counts": "select=dominance-prior,final=visits,backup=wdl-counts,evaluator=playouts,search.expand_at=2",
}
"""What is changed of the preset `holden` for a line of that name, which plays `holden` as it is."""
BEST = "counts"
"""The idea that plays `fuego` itself."""
LINES = (
    *(f"{name}{budget}" for name in OPPONENTS for budget in ("", "-time")),
    *(f"kappa-{kappa:g}" for kappa in KAPPAS),
    "puct-no-draws",
    "draw-as-loss",
    *IDEAS,
    f"{BEST}-fuego",
    f"{BEST}-fuego-time",
)
"""The names of all. `-time` is at equal time, the others at equal simulations."""


def make_lines(simulations: int, seconds: float, evaluator: str, komi: float, memory: int) -> tuple[MatchLine, ...]:
    """Return all lines.

    Args:
        simulations: a move, for both sides.
        seconds: a move, for both sides, where they have equal time.
        evaluator: one of `EVALUATORS`.
        komi: White's; half a point more where there are to be no draws.
        memory: of each side's tree, in MiB.
    """
    shared = f"memory={memory}"
    budgets = {"": f"simulations={simulations},{shared}", "-time": f"time={seconds:g},{shared}"}
    few = budgets[""]

    def holden(budget: str = few) -> str:
        return f"holden:{budget},evaluator={evaluator}"

    def product(kappa: float = 1.0, budget: str = few) -> str:
        return f"{holden(budget)},wdl-product.kappa={kappa:g}"

    def other(name: str, budget: str) -> str:
        return f"{name}:{budget}" + ("" if name == "fuego" else f",evaluator={evaluator}")

    lines = [
        MatchLine(f"{name}{ending}", product(budget=budget), other(name, budget), komi)
        for name in OPPONENTS
        for ending, budget in budgets.items()
    ]
    lines += [MatchLine(f"kappa-{kappa:g}", product(kappa), product(), komi) for kappa in KAPPAS]
    lines.append(MatchLine("puct-no-draws", product(), other("puct", few), komi + 0.5))
    lines.append(MatchLine("draw-as-loss", f"{product()},search.draw_payoff=0", product(), komi))
    lines += [MatchLine(name, f"{holden()},{change}", holden(), komi) for name, change in IDEAS.items()]
    lines += [
        MatchLine(f"{BEST}-fuego{ending}", f"{holden(budget)},{IDEAS[BEST]}", f"fuego:{budget}", komi)
        for ending, budget in budgets.items()
    ]
    return tuple(lines)
