"""What kept runs of experiments that are matches came to, for the book: their plans read back."""

import re
from collections.abc import Callable, Mapping
from pathlib import Path

from miai.experiments.catalogue import Account, KeptRun, command_line
from miai.experiments.comparisons import Comparison
from miai.experiments.match_lines import MatchLine, MatchLinesPlan
from miai.experiments.tables import markdown_table


def account_of_backups_go(run: KeptRun) -> Account:
    """Return what backup rules against each other came to."""
    from miai.experiments import backup_match_report as report
    from miai.experiments.backup_matches import BackupMatchPlan
    from miai.experiments.li_lim import ERWA_FORMS, LINES, PUBLISHED, RANGES, SIMULATIONS
    from miai.experiments.match_scores import draw_scores

    values = {name: value for name, value in run.signature.items() if name not in ("experiment", "weights")}
    size = int(values["size"])
    played = {place: int((run.results["line"] == place).sum()) for place in set(run.results["line"].tolist())}
    lines = tuple(line for place, line in enumerate(LINES[size]) if place in played)
    games = max(played.values())
    values |= {"parameters": tuple(sorted(values["parameters"].items()))}
    plan = BackupMatchPlan(lines=lines, games=games, **values)
    scores, papers = report.scores_of(plan, run.results), PUBLISHED[size]
    options: dict[str, tuple[object, object]] = {
        "--size": (str(size), "9"),
        "--line": (() if lines == LINES[size] else lines, ()),
        "--games": (games, 1000),
        "--net": (plan.net, "li-lim"),
        "--simulations": (plan.simulations, SIMULATIONS[size]),
        "--visits": (plan.visits, plan.simulations),
        "--values": (plan.values, RANGES[0]),
        "--erwa": (plan.erwa, ERWA_FORMS[0]),
        "--set": (tuple(f"{name}={value}" for name, value in plan.parameters), ()),
        "--counting": (plan.counting, "pairs"),
        "--seed": (plan.seed, 0),
    }
    parts: dict[str, list[Comparison]] = {}
    for line, one in scores.items():
        found = Comparison(f"`{line}`", papers[line].score, papers[line].error, one.percent, one.error, 1, 0.05)
        part = f"table {papers[line].table}" if papers[line].table.isdecimal() else papers[line].table
        parts.setdefault(f"{part}, {size}x{size}", []).append(found)
    label = "win % of the side named first"
    return Account(
        command_line("backups-go", options),
        f"{len(run.results['line']):,} games",
        parts,
        report.score_table(scores, papers),
        {"scores": lambda path: draw_scores(path, scores, papers, label, report.limits_of(scores))},
    )


def account_of_crazy_stone(run: KeptRun) -> Account:
    """Return what Crazy Stone's games against GNU Go came to."""
    from miai.experiments import crazy_stone_report as report
    from miai.experiments.crazy_stone import BASE, DEFAULT_LINES, FULL_GAMES, GNUGO, KOMI, PAPER, line_name
    from miai.experiments.line_report import scores_of_lines

    plan = _plan_of(run)
    scores = scores_of_lines(plan, run.results)
    first = plan.lines[0]
    options: dict[str, tuple[object, object]] = {
        "--line": (() if plan.chosen == DEFAULT_LINES else plan.chosen, ()),
        "--games": (plan.games, FULL_GAMES),
        "--simulations": (_number_in(first.first, "simulations"), None),
        "--opponent": (f"'{first.second}'", f"'{GNUGO}'"),
        "--komi": (first.komi, KOMI),
        "--memory": (_number_in(first.first, "memory"), 512),
        "--counting": (plan.counting, "twogtp"),
        "--seed": (plan.seed, 0),
    }
    compared = [
        Comparison(f"{minutes} minutes", paper.score, paper.error / 2.0, 100.0 * one.rate, 100.0 * one.error, 1, 0.05)
        for minutes, paper in PAPER.items()
        if (one := scores.get(line_name(BASE, minutes))) and one.games
    ]
    return Account(
        command_line("crazy-stone", options),
        f"{len(run.results['line']):,} games",
        {"table 2": compared} if compared else {},
        f"{report.score_table(scores)}\n\n{report.compare_machines(scores)}".strip(),
        {"scores": lambda path: report.draw_scores(scores, path)},
    )


def account_of_dominance(run: KeptRun) -> Account:
    """Return what the matches of Holden's search came to, and his opening example."""
    from miai.experiments import dominance_report as report
    from miai.experiments.dominance import FULL_GAMES, KOMI, LINES
    from miai.experiments.dominance_example import example_table, plot_example
    from miai.experiments.line_report import scores_of_lines

    plan = _plan_of(run)
    scores = scores_of_lines(plan, run.results)
    lines = {line.name: line for line in plan.lines}
    few, timed = lines["puct"], lines["puct-time"]
    options: dict[str, tuple[object, object]] = {
        "--line": (() if plan.chosen == LINES else plan.chosen, ()),
        "--games": (plan.games, FULL_GAMES),
        "--simulations": (_number_in(few.first, "simulations"), 1000),
        "--seconds": (_number_in(timed.first, "time"), 0.2),
        "--evaluator": (_word_in(few.first, "evaluator"), "static"),
        "--komi": (few.komi, KOMI),
        "--memory": (_number_in(few.first, "memory"), 128),
        "--counting": (plan.counting, "pairs"),
        "--seed": (plan.seed, 0),
    }
    table = markdown_table(report.HEADERS, report.score_rows(scores))
    figures: Mapping[str, Callable[[Path], None]] = {
        "example": plot_example,
        "scores": lambda path: report.draw_scores(scores, path),
    }
    return Account(
        command_line("dominance", options),
        f"{len(run.results['line']):,} games",
        {},
        f"{example_table()}\n\n{table}\n\n{report.compare_draws(scores)}".strip(),
        figures,
    )


def _plan_of(run: KeptRun) -> MatchLinesPlan:
    """Return the plan of match lines that were played."""
    lines = tuple(MatchLine(**fields) for fields in run.signature["lines"].values())
    places = run.results["line"].tolist()
    games = max(places.count(place) for place in set(places))
    chosen = tuple(line.name for place, line in enumerate(lines) if place in places)
    rest = {name: run.signature[name] for name in ("experiment", "rules", "counting", "seed")}
    return MatchLinesPlan(lines=lines, chosen=chosen, games=games, **rest)


def _word_in(contestant: str, option: str) -> str | None:
    """Return the value of an option in the text of a contestant."""
    found = re.search(rf"[:,]{option}=([^,]+)", contestant)
    return found[1] if found else None


def _number_in(contestant: str, option: str) -> float | None:
    word = _word_in(contestant, option)
    return None if word is None else float(word)
