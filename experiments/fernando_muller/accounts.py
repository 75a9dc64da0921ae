"""What kept runs of policies and blunders came to, for the book: their plans read back."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from miai.experiments.catalogue import Account, KeptRun, commands_of_lines, read_run, rows_of_lines
from miai.experiments.comparisons import Comparison

if TYPE_CHECKING:
    from miai.experiments.fernando_muller.policy_matches import PolicyMatchPlan

_ENOUGH_GAMES = 100
"""Of each line, for our strengths to stand in for the paper's."""


def account_of_policies(run: KeptRun) -> Account:
    """Return what the matches of policies came to."""
    from miai.experiments.fernando_muller import policy_report
    from miai.experiments.fernando_muller.mcts_of_policies import SIMULATIONS, options_of_reading
    from miai.experiments.fernando_muller.policy_matches import PAPER_GAMES, games_for
    from miai.experiments.fernando_muller.published import BASES, LINES, STRENGTHS
    from miai.experiments.matches.game_rows import COUNTINGS
    from miai.experiments.matches.match_scores import compare_scores

    plan = _policy_plan(run)
    most, played = plan.games, rows_of_lines(run.results, LINES)
    # a line that had as many games as belong to the same command is not told apart
    games = {
        line: most if plan.games_of(line) == number else games_for(line, number) for line, number in played.items()
    }
    scores = policy_report.scores_of(plan, run.results)
    options: dict[str, tuple[object, object]] = {
        "--games": (most, PAPER_GAMES),
        "--simulations": (plan.simulations, SIMULATIONS),
        "--base": (plan.base, BASES[0]),
        "--counting": (plan.counting, COUNTINGS[0]),
        **options_of_reading(plan.reading),
        "--komi": (plan.komi, 6.5),
        "--seed": (plan.seed, 0),
    }
    compared = [compare_scores(f"`{line}`", STRENGTHS[line], one) for line, one in scores.items()]
    return Account(
        commands_of_lines("policies", "--policy", games, LINES, options),
        f"{len(run.results['line']):,} games",
        {"table 2": compared},
        f"{policy_report.score_table(scores)}\n\n{policy_report.agreement(scores)}",
        {"strengths": lambda path: policy_report.draw_table(scores, path)},
    )


def _policy_plan(run: KeptRun) -> "PolicyMatchPlan":
    from miai.experiments.fernando_muller.mcts_of_policies import read_back
    from miai.experiments.fernando_muller.policy_matches import PolicyMatchPlan, games_for
    from miai.experiments.fernando_muller.published import LINES

    played = rows_of_lines(run.results, LINES)
    most = max(games_for(line, number) for line, number in played.items())
    rest = {name: run.settings[name] for name in ("base", "simulations", "komi", "counting", "seed")}
    return PolicyMatchPlan(lines=tuple(played), games=most, reading=read_back(run.settings), **rest)


def strengths_for(run: KeptRun, base: str, lines: Sequence[str]) -> tuple[dict[str, float], str]:
    """Return win % of MCTS(P) by line, and whose they are in words.

    They are ours if a run of `policies` with this base beside this run has enough games of every line.
    """
    from miai.experiments.fernando_muller import policy_report
    from miai.experiments.fernando_muller.published import STRENGTHS

    for folder in sorted(run.folder.parent.iterdir()):
        beside = read_run(folder) if folder.is_dir() else None
        told = beside.signature if beside else {}
        if beside and (told.get("experiment"), told.get("base")) == ("policies", base):
            scores = policy_report.scores_of(_policy_plan(beside), beside.results)
            if all(line in scores and scores[line].games >= _ENOUGH_GAMES for line in lines):
                return {line: scores[line].percent for line in lines}, f"the strengths of `{folder.name}`"
    return {line: STRENGTHS[line].score for line in lines}, "the paper's strengths"


def account_of_blunders(run: KeptRun) -> Account:
    """Return what the judged games of policies came to."""
    from miai.experiments.fernando_muller import blunder_report
    from miai.experiments.fernando_muller.blunder_runs import PAPER_GAMES
    from miai.experiments.fernando_muller.mcts_of_policies import SIMULATIONS, options_of_reading, read_back
    from miai.experiments.fernando_muller.nakade_position import draw_position
    from miai.experiments.fernando_muller.published import BASES, BLUNDERS, SUBTRACTIVE

    counted = blunder_report.count_blunders(run.results)
    compared = []
    for line, one in counted.items():
        paper = BLUNDERS[line]
        names = ("% without blunder", "% even")
        for name, ours, theirs in zip(names, one.figures[:2], (paper.free, paper.even), strict=True):
            error, printed_error = (_error_of_share(*pair) for pair in ((ours, one.games), (theirs, PAPER_GAMES)))
            compared.append(Comparison(f"`{line}`, {name}", theirs, printed_error, ours, error, 0, 0.5))
        printed_error = one.error * np.sqrt(one.games / PAPER_GAMES)
        what = f"`{line}`, % of moves judged"
        compared.append(Comparison(what, paper.percent, float(printed_error), one.figures[2], one.error, 2, 0.005))
    values = run.settings
    games = {line: one.games for line, one in counted.items()}
    options: dict[str, tuple[object, object]] = {
        "--games": (0, PAPER_GAMES),
        "--simulations": (values["simulations"], SIMULATIONS),
        "--base": (values["base"], BASES[0]),
        **options_of_reading(read_back(values)),
        "--komi": (values["komi"], 6.5),
        "--seed": (values["seed"], 0),
    }
    strengths, whose = strengths_for(run, values["base"], SUBTRACTIVE)
    return Account(
        commands_of_lines("blunders", "--policy", games, SUBTRACTIVE, options),
        f"{len(run.results['line']):,} games",
        {"table 3": compared},
        blunder_report.tables(counted, strengths, whose),
        {
            "strength": lambda path: blunder_report.draw_correlations(counted, strengths, path),
            "nakade": draw_position,
        },
    )


def _error_of_share(percent: float, number: int) -> float:
    """Return the standard error of a share in per cent, with one more of either kind: never 0."""
    share = (percent / 100.0 * number + 1.0) / (number + 2.0)
    return float(100.0 * np.sqrt(share * (1.0 - share) / number))
