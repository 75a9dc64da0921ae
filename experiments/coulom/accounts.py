"""What kept runs of backup operators and of Crazy Stone came to, for the book: their plans read back."""

from miai.experiments.catalogue import Account, KeptRun, command_line, commands_of_lines, rows_of_lines
from miai.experiments.comparisons import Comparison
from miai.experiments.matches.kept_lines import number_in, plan_of_kept


def account_of_backups(run: KeptRun) -> Account:
    """Return what the comparison of backup operators came to."""
    from miai.experiments.coulom import backup_report
    from miai.experiments.coulom.backup_runs import BackupPlan

    errors = run.results["errors"]
    signature = run.signature
    plan = BackupPlan(
        len(errors),
        int(signature["simulations"]),
        int(signature["game_simulations"]),
        int(signature["seed"]),
        tuple(sorted(signature.get("parameters", {}).items())),
    )
    options: dict[str, tuple[object, object]] = {
        "--positions": (plan.num_positions, 0),
        "--simulations": (plan.simulations, 65536),
        "--game-simulations": (plan.game_simulations, 200),
        "--set": (tuple(f"{name}={value}" for name, value in plan.parameters), ()),
        "--seed": (plan.seed, 0),
    }
    return Account(
        command_line("backups", options),
        f"{plan.num_positions:,} positions",
        {"slide Results": backup_report.compare_with_paper(plan, errors)},
        backup_report.error_table(plan, errors),
        {"errors": lambda path: backup_report.draw_errors(plan, errors, path)},
    )


def account_of_crazy_stone(run: KeptRun) -> Account:
    """Return what Crazy Stone's games against GNU Go or another came to."""
    from miai.experiments.coulom import crazy_stone_report as report
    from miai.experiments.coulom.crazy_stone import (
        BASE,
        DEFAULT_LINES,
        FULL_GAMES,
        GNUGO,
        KOMI,
        PAPER_GAMES,
        line_name,
        printed_scores,
    )
    from miai.experiments.matches.line_report import scores_of_lines

    plan = plan_of_kept(run)
    scores = scores_of_lines(plan, run.results)
    games = rows_of_lines(run.results, [line.name for line in plan.lines])
    first = plan.lines[0]
    printed = printed_scores(first.second)
    options: dict[str, tuple[object, object]] = {
        "--games": (0, FULL_GAMES),
        "--simulations": (number_in(first.first, "simulations"), None),
        "--opponent": (f"'{first.second}'", f"'{GNUGO}'"),
        "--komi": (first.komi, KOMI),
        "--memory": (number_in(first.first, "memory"), 512),
        "--counting": (plan.counting, "twogtp"),
        "--seed": (plan.seed, 0),
    }
    compared = [
        Comparison(
            f"{minutes} minutes",
            paper.score,
            paper.error / 2.0,
            100.0 * one.rate,
            100.0 * one.error,
            z=one.compare(paper.score / 100.0, PAPER_GAMES)[0],
        )
        for minutes, paper in printed.items()
        if (one := scores.get(line_name(BASE, minutes))) and one.games
    ]
    return Account(
        commands_of_lines("crazy-stone", "--line", games, DEFAULT_LINES, options),
        f"{len(run.results['line']):,} games",
        {"table 2": compared} if compared else {},
        f"{report.score_table(scores, printed)}\n\n{report.compare_machines(scores, printed)}".strip(),
        {"scores": lambda path: report.draw_scores(scores, printed, path)},
    )
