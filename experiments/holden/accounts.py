"""What kept runs of Holden's search came to, for the book: their plan read back."""

from collections.abc import Callable, Mapping
from pathlib import Path

from miai.experiments.catalogue import Account, KeptRun, commands_of_lines, rows_of_lines
from miai.experiments.matches.kept_lines import number_in, plan_of_kept, word_in
from miai.experiments.report_tables import markdown_table


def account_of_dominance(run: KeptRun) -> Account:
    """Return what the matches of Holden's search came to, and his opening example."""
    from miai.experiments.holden import dominance_report as report
    from miai.experiments.holden.dominance import FULL_GAMES, KOMI, LINES, SECONDS, SIMULATIONS
    from miai.experiments.holden.dominance_example import example_table, plot_example
    from miai.experiments.matches.line_report import scores_of_lines

    plan = plan_of_kept(run)
    scores = scores_of_lines(plan, run.results)
    games = rows_of_lines(run.results, [line.name for line in plan.lines])
    lines = {line.name: line for line in plan.lines}
    few, timed = lines["puct"], lines["puct-time"]
    options: dict[str, tuple[object, object]] = {
        "--games": (0, FULL_GAMES),
        "--simulations": (number_in(few.first, "simulations"), SIMULATIONS),
        "--seconds": (number_in(timed.first, "time"), SECONDS),
        "--evaluator": (word_in(few.first, "evaluator"), "static"),
        "--komi": (few.komi, KOMI),
        "--memory": (number_in(few.first, "memory"), 128),
        "--counting": (plan.counting, "pairs"),
        "--seed": (plan.seed, 0),
    }
    table = markdown_table(report.HEADERS, report.score_rows(scores))
    figures: Mapping[str, Callable[[Path], None]] = {
        "example": plot_example,
        "scores": lambda path: report.draw_scores(scores, path),
    }
    return Account(
        commands_of_lines("dominance", "--line", games, LINES, options),
        f"{len(run.results['line']):,} games",
        {},
        f"{example_table()}\n\n{table}\n\n{report.compare_draws(scores)}".strip(),
        figures,
    )
