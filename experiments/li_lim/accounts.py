"""What kept runs of Li & Lim's matches came to, for the book: their plan read back."""

from miai.experiments.catalogue import Account, KeptRun, commands_of_lines, rows_of_lines
from miai.experiments.comparisons import Comparison


def account_of_backups_go(run: KeptRun) -> Account:
    """Return what backup rules against each other came to."""
    from miai.experiments.li_lim import backup_match_report as report
    from miai.experiments.li_lim.backup_matches import BackupMatchPlan
    from miai.experiments.li_lim.published import ERWA_FORMS, LINES, PAPER_GAMES, PUBLISHED, RANGES, SIMULATIONS
    from miai.experiments.matches.match_scores import compare_scores, draw_scores

    values = {name: value for name, value in run.signature.items() if name not in ("experiment", "weights")}
    size = int(values["size"])
    games = rows_of_lines(run.results, LINES[size])
    values |= {"parameters": tuple(sorted(values["parameters"].items()))}
    plan = BackupMatchPlan(lines=tuple(games), games=max(games.values()), **values)
    scores, papers = report.scores_of(plan, run.results), PUBLISHED[size]
    options: dict[str, tuple[object, object]] = {
        "--size": (str(size), "9"),
        "--games": (0, PAPER_GAMES),
        "--net": (plan.net, "li-lim"),
        "--simulations": (plan.simulations, SIMULATIONS[size]),
        "--visits": (plan.visits, plan.simulations),
        "--values": (plan.values, RANGES[0]),
        "--erwa": (plan.erwa, ERWA_FORMS[0]),
        "--set": (tuple(f"{name}={value}" for name, value in plan.parameters), ()),
        "--counting": (plan.counting, "pairs"),
        "--komi": (plan.komi, 7.0),
        "--resign-below": (plan.resign_below, 0.05),
        "--net-backend": (plan.backend, None),
        "--together": (plan.together, 8),
        "--seed": (plan.seed, 0),
    }
    parts: dict[str, list[Comparison]] = {}
    for line, one in scores.items():
        found = compare_scores(f"`{line}`", papers[line], one)
        part = f"table {papers[line].table}" if papers[line].table.isdecimal() else papers[line].table
        parts.setdefault(f"{part}, {size}x{size}", []).append(found)
    label = "win % of the side named first"
    return Account(
        commands_of_lines("backups-go", "--line", games, LINES[size], options),
        f"{len(run.results['line']):,} games",
        parts,
        report.score_table(scores, papers),
        {
            "scores": lambda path: draw_scores(path, scores, papers, label, report.limits_of(scores)),
            "profiles": lambda path: report.draw_profiles(report.weight_profiles(plan.visits), path),
        },
    )
