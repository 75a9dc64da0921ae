"""What kept runs of the experiments came to, for the book: their plans read back, their numbers beside the printed."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from miai.experiments.catalogue import Account, KeptRun, command_line
from miai.experiments.comparisons import Comparison, comparison_table


def account_of_trees(run: KeptRun) -> Account:
    """Return what searches on simulated trees came to."""
    from miai.experiments import tree_report
    from miai.experiments.tree_ranks import draw_ranks, sample_ranks
    from miai.experiments.tree_runs import PIECE, TreePlan, read_contestant
    from miai.experiments.tree_scan import C0_SCAN, scan_table
    from miai.experiments.tree_subsets import compare_subsets

    signature = run.signature
    test = str(signature["test"])
    labels = tuple(_contestant_text(*entry) for entry in signature["contestants"])
    contestants = tuple(read_contestant(_shorten(label, test), test) for label in labels)
    regrets = run.results["regrets"][: run.num_leading() * PIECE]  # row for row the trees from the first on
    plan = TreePlan(test, int(signature["playouts"]), len(regrets), contestants, int(signature["seed"]))
    names = tuple(one.label for one in contestants)
    options: dict[str, tuple[object, object]] = {
        "--test": (test, "A"),
        "--playouts": (plan.playouts, 65536),
        "--trees": (plan.num_trees, 0),
        "--select": (() if names == C0_SCAN else names, ("esprit", "puct")),
        "--seed": (plan.seed, 0),
    }
    command = command_line("trees", options) + (" --scan-c0" if names == C0_SCAN else "")
    figure = {"A": "figure 3, text", "B": "figure 4, text", "C": "figure 5, text"}[test]
    subsets = compare_subsets(plan, regrets)
    parts = {figure: tree_report.compare_with_paper(plan, regrets), "table 3": subsets}
    table = scan_table(plan, regrets) or f"{_last_rows(tree_report.main_table(plan, regrets), len(names))}\n\n"
    if subsets:
        table += comparison_table(subsets) + "\n\n"
    table += tree_report.slope_line(plan, regrets)
    return Account(
        command,
        f"{plan.num_trees:,} trees of {plan.playouts:,} playouts",
        {part: found for part, found in parts.items() if found},
        table.strip(),
        {
            "regret": lambda path: tree_report.draw_regrets(plan, regrets, path),
            "ranks": lambda path: draw_ranks(sample_ranks(tree_report.TESTS[test]), path),
        },
    )


def _contestant_text(
    select: str, backup: str, values: list[tuple[str, float]], batch: int = 0, batching: str = "virtual-loss"
) -> str:
    """Return a contestant of a plan's signature as `read_contestant` reads it."""
    words = [f"{name}={value:g}" for name, value in values]
    if batch:
        words.append(f"{'waves' if batching == 'waves' else 'batch'}={batch}")
    return select + ("" if backup == "mean" else f"/{backup}") + (":" + ",".join(words) if words else "")


def _shorten(text: str, test: str) -> str:
    """Return the shortest text that is read as the same contestant: without what is the test's own setting."""
    from miai.experiments.tree_runs import read_contestant

    wanted = read_contestant(text, test)
    rules, _, assignments = text.partition(":")
    kept = assignments.split(",") if assignments else []
    for word in list(kept):
        shorter = ",".join(one for one in kept if one != word)
        trial = read_contestant(rules + (f":{shorter}" if shorter else ""), test)
        if (trial.values, trial.batch, trial.batching) == (wanted.values, wanted.batch, wanted.batching):
            kept.remove(word)
    return rules + (f":{','.join(kept)}" if kept else "")


def _last_rows(table: str, number: int) -> str:
    """Return a Markdown table with its head and its last rows alone."""
    lines = table.splitlines()
    return "\n".join([*lines[:2], *lines[-number:]])


def account_of_backups(run: KeptRun) -> Account:
    """Return what the comparison of backup operators came to."""
    from miai.experiments import backup_report
    from miai.experiments.backup_runs import BackupPlan

    errors = run.results["errors"]
    signature = run.signature
    plan = BackupPlan(
        len(errors), int(signature["simulations"]), int(signature["game_simulations"]), int(signature["seed"])
    )
    options: dict[str, tuple[object, object]] = {
        "--positions": (plan.num_positions, 0),
        "--simulations": (plan.simulations, 65536),
        "--game-simulations": (plan.game_simulations, 200),
        "--seed": (plan.seed, 0),
    }
    return Account(
        command_line("backups", options),
        f"{plan.num_positions:,} positions",
        {"slide Results": backup_report.compare_with_paper(plan, errors)},
        backup_report.error_table(plan, errors),
        {"errors": lambda path: backup_report.draw_errors(plan, errors, path)},
    )


def account_of_policies(run: KeptRun) -> Account:
    """Return what the matches of policies came to."""
    from miai.experiments import policy_report
    from miai.experiments.fernando_muller import LINES, STRENGTHS, SUBTRACTIVE
    from miai.experiments.policy_matches import PolicyMatchPlan

    values = _fields(run.signature)
    places = [piece % len(LINES) for piece in run.pieces]
    lines = tuple(line for place, line in enumerate(LINES) if place in places)
    rows = np.bincount(run.results["line"], minlength=len(LINES))
    of_all = [int(rows[LINES.index(line)]) for line in SUBTRACTIVE]
    games = max(of_all) or 4 * int(rows.max())
    plan = PolicyMatchPlan(lines=lines, games=games, **(values | {"without": tuple(values["without"])}))
    scores = policy_report.scores_of(plan, run.results)
    options: dict[str, tuple[object, object]] = {
        "--policy": (() if lines == LINES else lines, ()),
        "--games": (games, 2000),
        "--simulations": (plan.simulations, 5000),
        "--base": (plan.base, "fuego1585"),
        "--counting": (plan.counting, "twogtp"),
        "--prior": (plan.prior, "policy"),
        "--numbers": (plan.numbers, "fuego1585"),
        "--without": (plan.without, ()),
        "--komi": (plan.komi, 6.5),
        "--seed": (plan.seed, 0),
    }
    compared = [
        Comparison(f"`{line}`", STRENGTHS[line].score, STRENGTHS[line].error, one.percent, one.error, 1, 0.05)
        for line, one in scores.items()
    ]
    return Account(
        command_line("policies", options),
        f"{len(run.results['line']):,} games",
        {"table 2": compared},
        f"{policy_report.score_table(scores)}\n\n{policy_report.agreement(scores)}",
        {"strengths": lambda path: policy_report.draw_table(scores, path)},
    )


def account_of_blunders(run: KeptRun) -> Account:
    """Return what the judged games of policies came to."""
    from miai.experiments import blunder_report
    from miai.experiments.blunder_runs import PAPER_GAMES
    from miai.experiments.fernando_muller import BLUNDERS, STRENGTHS, SUBTRACTIVE

    counted = blunder_report.count_blunders(run.results)
    compared = []
    for line, one in counted.items():
        paper = BLUNDERS[line]
        names = ("% without blunder", "% even")
        for name, ours, theirs in zip(names, one.figures[:2], (paper.free, paper.even), strict=True):
            error, printed_error = (_error_of_share(*pair) for pair in ((ours, one.games), (theirs, PAPER_GAMES)))
            compared.append(Comparison(f"`{line}`, {name}", theirs, printed_error, ours, error, 0, 0.5))
        printed_error = one.error * np.sqrt(one.games / PAPER_GAMES)
        what = f"`{line}`, % of moves"
        compared.append(Comparison(what, paper.percent, float(printed_error), one.figures[2], one.error, 2, 0.005))
    values = _fields(run.signature)
    games = max(one.games for one in counted.values())
    options: dict[str, tuple[object, object]] = {
        "--policy": (() if len(counted) == len(SUBTRACTIVE) else tuple(counted), ()),
        "--games": (games, 100),
        "--simulations": (values["simulations"], 5000),
        "--base": (values["base"], "fuego1585"),
        "--komi": (values["komi"], 6.5),
        "--seed": (values["seed"], 0),
    }
    strengths = {line: STRENGTHS[line].score for line in SUBTRACTIVE}
    correlations = blunder_report.correlation_lines(counted, strengths)
    return Account(
        command_line("blunders", options),
        f"{len(run.results['line']):,} games",
        {"table 3": compared},
        f"{blunder_report.blunder_table(counted)}\n\nIn brackets the paper's. Correlation with its strengths "
        f"(figure 4):\n\n{correlations}",
        {"strength": lambda path: blunder_report.draw_correlations(counted, strengths, path)},
    )


def _error_of_share(percent: float, number: int) -> float:
    """Return the standard error of a share in per cent, with one more of either kind: never 0."""
    share = (percent / 100.0 * number + 1.0) / (number + 2.0)
    return float(100.0 * np.sqrt(share * (1.0 - share) / number))


def account_of_fair_komi(run: KeptRun) -> Account:
    """Return what annotated positions say of policies; reads `annotations.npz` of the run's folder.

    Raises:
        ValueError: if the folder has none.
    """
    from miai.experiments import fair_komi_report
    from miai.experiments.annotations import read_annotations
    from miai.experiments.fair_komi_figures import plot_errors
    from miai.experiments.fernando_muller import ERRORS, STRENGTHS
    from miai.experiments.policy_errors import errors_of_lines

    positions = read_annotations(run.folder)
    errors = errors_of_lines(positions, "fuego1585")
    compared = []
    for line, one in errors.items():
        for column, name, factor, printed in (
            ("blunders", "blunder chance, %", 100.0, ERRORS[line].blunders),
            ("losses", "points lost", 1.0, ERRORS[line].loss),
        ):
            mean, error = (factor * value for value in one.mean_and_error(column))
            theirs = error * np.sqrt(len(positions) / fair_komi_report.PAPER_POSITIONS)
            compared.append(Comparison(f"`{line}`, {name}", printed, float(theirs), mean, error, 2, 0.005))
    strengths = {line: one.score for line, one in STRENGTHS.items()}
    return Account(
        f"miai experiment fair-komi --from GAMES --positions {len(positions)}",
        f"{len(positions):,} positions",
        {"table 4": compared},
        f"{fair_komi_report.error_table(errors)}\n\n{fair_komi_report.agreement(errors, strengths)}",
        {"errors": lambda path: plot_errors(errors, strengths, path)},
    )


def account_of_tactics(run: KeptRun) -> Account:
    """Return what the searches of tactical positions came to."""
    from dataclasses import replace

    from miai.experiments.tactic_report import set_report
    from miai.experiments.tactic_runs import POSITION_SETS, Pair, TacticPlan, positions_to_run

    signature = run.signature
    pairs = tuple(Pair(select, backup) for select, backup in signature["pairs"])
    positions = positions_to_run([row[0] for row in signature["positions"]])
    simulations = int(signature["simulations"])
    num_seeds = run.num_leading() // len(pairs)
    if num_seeds == 0:
        raise ValueError(f"{run.folder} has not all pairs of its first seed")
    plan = TacticPlan(pairs, positions, str(signature["policy"]), simulations, num_seeds)
    right = run.results["right"].reshape(-1, len(positions), len(plan.checkpoints))[: num_seeds * len(pairs)]
    right = right.reshape(num_seeds, len(pairs), len(positions), len(plan.checkpoints))
    sets = {
        name: [place for place, one in enumerate(positions) if one in there] for name, there in POSITION_SETS.items()
    }
    tables = [
        set_report(replace(plan, positions=tuple(positions[place] for place in places)), right[:, :, places], name)
        for name, places in sets.items()
        if places
    ]
    whole = [name for name, places in sets.items() if len(places) == len(POSITION_SETS[name])]
    options: dict[str, tuple[object, object]] = {
        "--position": (tuple(whole) if len(whole) < len(sets) else (), ()),
        "--backup": (tuple(dict.fromkeys(pair.backup for pair in pairs)), ()),
        "--policy": (plan.policy, "fuego"),
        "--simulations": (simulations, 16384),
        "--seeds": (num_seeds, 3),
    }
    size = f"{len(positions)} positions, {len(pairs)} pairs of rules, {num_seeds} seed{'s' * (num_seeds > 1)}"
    return Account(
        command_line("tactics", options), size, {}, "\n".join(tables).replace("## Positions", "#### Positions").strip()
    )


def account_of_esprit(run: KeptRun) -> Account:
    """Return what Jones's search came to on Go."""
    from miai.experiments import esprit_report
    from miai.experiments.esprit_matches import FULL_GAMES, LINES, EspritPlan

    values = _fields(run.signature)
    values.pop("weights")
    present = [place for place in range(len(LINES)) if (run.results["line"] == place).any()]
    lines = tuple(tuple(LINES)[place] for place in present)
    games = max(int((run.results["line"] == place).sum()) for place in present)
    plan = EspritPlan(lines=lines, games=games, **values)
    options: dict[str, tuple[object, object]] = {
        "--line": (() if len(lines) == len(LINES) else lines, ()),
        "--games": (games, FULL_GAMES),
        "--net": (plan.net, "miai"),
        "--numbers": (plan.numbers, "miai"),
        "--rule": (plan.rule, "esprit"),
        "--seconds": (plan.seconds, 0.5),
        "--simulations": (plan.most_simulations, None),
        "--komi": (plan.komi, 7.0),
        "--seed": (plan.seed, 0),
    }
    results = run.results
    return Account(
        command_line("esprit", options),
        f"{len(results['line']):,} games",
        {"section 4.3, on Go": found} if (found := esprit_report.compare_with_paper(plan, results)) else {},
        esprit_report.score_table(plan, results),
        {
            "strength": lambda path: esprit_report.draw_strength(results, path),
            "speed": lambda path: esprit_report.draw_speed(results, path),
        },
    )


def _fields(signature: Mapping[str, Any]) -> dict[str, Any]:
    """Return a signature without the experiment's name."""
    return {name: value for name, value in signature.items() if name != "experiment"}
