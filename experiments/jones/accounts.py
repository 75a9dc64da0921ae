"""What kept runs of simulated trees and of ESPRIT came to, for the book: their plans read back."""

from miai.experiments.catalogue import Account, KeptRun, command_line, commands_of_lines, rows_of_lines
from miai.experiments.comparisons import comparison_table


def account_of_trees(run: KeptRun) -> Account:
    """Return what searches on simulated trees came to."""
    from miai.experiments.jones import tree_report
    from miai.experiments.jones.tree_ranks import draw_ranks, sample_ranks
    from miai.experiments.jones.tree_runs import PIECE, TreePlan, read_contestant
    from miai.experiments.jones.tree_scan import C0_SCAN, scan_table
    from miai.experiments.jones.tree_subsets import compare_subsets

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
    from miai.experiments.jones.tree_runs import read_contestant

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


def account_of_esprit(run: KeptRun) -> Account:
    """Return what Jones's search came to on Go."""
    from miai.experiments.jones import esprit_report
    from miai.experiments.jones.esprit_matches import FULL_GAMES, LINES, SECONDS, TOGETHER, EspritPlan

    values = run.settings
    values.pop("weights")
    games = rows_of_lines(run.results, tuple(LINES))
    plan = EspritPlan(lines=tuple(games), games=max(games.values()), **values)
    options: dict[str, tuple[object, object]] = {
        "--games": (0, FULL_GAMES),
        "--net": (plan.net, "miai"),
        "--numbers": (plan.numbers, "miai"),
        "--rule": (plan.rule, "esprit"),
        "--seconds": (plan.seconds, SECONDS),
        "--simulations": (plan.most_simulations, None),
        "--komi": (plan.komi, 7.0),
        "--together": (plan.together, TOGETHER),
        "--seed": (plan.seed, 0),
    }
    results = run.results
    figures = {"strength": lambda path: esprit_report.draw_strength(results, path)}
    if esprit_report.wave_lines(results):
        figures["speed"] = lambda path: esprit_report.draw_speed(results, path)
    return Account(
        commands_of_lines("esprit", "--line", games, tuple(LINES), options),
        f"{len(results['line']):,} games",
        {},  # the paper prints nothing of Go
        esprit_report.score_table(plan, results),
        figures,
    )
