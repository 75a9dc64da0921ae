"""What kept runs of Li & Lim's matches came to, for the book: their plan read back."""

from miai.experiments.catalogue import Account, KeptRun, command_line
from miai.experiments.comparisons import Comparison


def account_of_backups_go(run: KeptRun) -> Account:
    """Return what backup rules against each other came to."""
    from miai.experiments.li_lim import backup_match_report as report
    from miai.experiments.li_lim.backup_matches import BackupMatchPlan
    from miai.experiments.li_lim.published import ERWA_FORMS, LINES, PUBLISHED, RANGES, SIMULATIONS
    from miai.experiments.matches.match_scores import draw_scores

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
