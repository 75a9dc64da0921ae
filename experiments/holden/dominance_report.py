"""What the matches of Holden's search came to, and his opening example."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from miai.engine.files import write_file
from miai.experiments.holden.dominance import FULL_GAMES, KAPPAS, LINES, SECONDS, SIMULATIONS
from miai.experiments.holden.dominance_example import example_table, plot_example
from miai.experiments.matches.kept_lines import number_in
from miai.experiments.matches.line_report import (
    LineScore,
    draw_line_scores,
    score_bars,
    scores_of_lines,
    show_number,
    unscored_games,
    write_games,
)
from miai.experiments.matches.match_lines import MatchLine, MatchLinesPlan, chosen_lines
from miai.experiments.plots import OURS, drawing
from miai.experiments.report_tables import markdown_table, time_of_lines, write_csv
from miai.experiments.running.pieces import Results

if TYPE_CHECKING:
    from matplotlib.axes import Axes

HEADERS = ["line", "games", "won, drawn, lost", "score %", "p if even", "simulations a game", "s a game"]


def score_rows(scores: Mapping[str, LineScore]) -> list[list[str]]:
    """Return a row for each line, see `HEADERS`; the last two of both sides."""
    return [
        [
            f"`{name}`",
            f"{score.games:,}",
            f"{score.wins}, {score.draws}, {score.losses}",
            score.show(),
            f"{score.chance_of_even():.2g}" if score.games else "",
            ", ".join(map(show_number, score.simulations)),
            ", ".join(f"{seconds:.3g}" for seconds in score.seconds),
        ]
        for name, score in scores.items()
    ]


def compare_draws(scores: Mapping[str, LineScore]) -> str:
    """Return a line on the same match with and without draws, empty if it was not played."""
    first, second = scores.get("puct"), scores.get("puct-no-draws")
    if not (first and second and first.games and second.games):
        return ""
    z, p = first.compare(second.rate, second.games / second.effect)
    change = 100 * (second.rate - first.rate)
    return (
        f"Against `puct`, {100 * first.draws / first.games:.1f} % of the games are drawn; where half a point of komi "
        f"rules that out, the score changes by {change:+.1f} (z = {0.0 - z:+.1f}, p = {p:.2g}).\n\n"
    )


def draw_scores(scores: Mapping[str, LineScore], path: Path) -> None:
    """Draw the sweep of kappa, and the scores of all other lines."""
    kappas = [(kappa, scores[f"kappa-{kappa:g}"]) for kappa in KAPPAS if f"kappa-{kappa:g}" in scores]
    kappas = [(kappa, score) for kappa, score in kappas if score.games]
    rest = [name for name, score in scores.items() if not name.startswith("kappa-") and score.games]
    panels: list[Callable[[Axes], None]] = []
    if kappas:
        panels.append(lambda axes: _draw_sweep(axes, kappas))
    if rest:
        panels.append(lambda axes: draw_line_scores(axes, {name: scores[name] for name in rest}))
    if not panels:
        return
    with drawing(path, 5.0 * len(panels), 5) as figure:
        for axes, draw in zip(figure.subplots(1, len(panels), squeeze=False)[0], panels, strict=True):
            draw(axes)


def _draw_sweep(axes: "Axes", kappas: Sequence[tuple[float, LineScore]]) -> None:
    rates, bars = score_bars([score for _, score in kappas])
    axes.errorbar([kappa for kappa, _ in kappas], rates, yerr=bars, fmt="o-", color=OURS, capsize=2)
    axes.axhline(50, linestyle=":", color=OURS)
    axes.set(xlabel="kappa", ylabel="score % against the product (bars: 95 %)", xlim=(-0.05, 1.05), ylim=(0, 100))


def _scale_of(line: MatchLine) -> float:
    """Return how many times as long a game of a line takes at full size."""
    simulations = number_in(line.first, "simulations")
    return SECONDS / (number_in(line.first, "time") or SECONDS) if simulations is None else SIMULATIONS / simulations


def write_report(plan: MatchLinesPlan, results: Results, folder: Path, command: str) -> str:
    """Write the games, the tables and the figures into a folder; return the tables."""
    scores = scores_of_lines(plan, results)
    write_games(plan, results, folder)
    rows = [
        (name, *score[:4], score.rate, *score.interval, score.chance_of_even(), command)
        for name, score in scores.items()
    ]
    headers = ("line", "games", "wins", "draws", "losses", "score", "low", "high", "p", "command")
    write_csv(folder / "table.csv", headers, rows)
    played = "\n".join(
        f"* `{one.name}`: `{one.first}` against `{one.second}`, komi {one.komi:g}" for _, one in chosen_lines(plan)
    )
    example, table = example_table(), markdown_table(HEADERS, score_rows(scores))
    write_file(
        folder / "table.md",
        f"# Holden's search: counted by {plan.counting}\n\n```\n{command}\n```\n\n"
        f"## The opening example\n\n{example}\n\n## Matches\n\n{played}\n\n{table}\n\n"
        f"{compare_draws(scores)}{unscored_games(scores)}"
        + time_of_lines(results, "games", [FULL_GAMES] * len(LINES), [_scale_of(line) for line in plan.lines]),
    )
    plot_example(folder / "example.svg")
    draw_scores(scores, folder / "scores.svg")
    return f"{example}\n\n{table}"
