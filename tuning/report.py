"""What a tuning came to: a table of the points, the optimum and its test, and a figure."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from miai.engine.files import write_file
from miai.experiments.plots import GREY, OURS, PAPERS, drawing
from miai.experiments.report_tables import markdown_table, write_csv
from miai.match.statistics import Interval, estimate_elo, estimate_score
from miai.match.table import count_games, describe_elo
from miai.tuning.model import ScoreModel
from miai.tuning.points import PublishedPoint
from miai.tuning.search_space import Values, name_with
from miai.tuning.tuning import Trial, Tuning

_CURVE = 100
"""Points of the model's curve in the figure."""
_WIDE = 1.96
"""Standard deviations of a 95 % interval."""


def write_report(tuning: Tuning, folder: Path, command: str, published: Sequence[PublishedPoint] = ()) -> str:
    """Write `table.md`, `points.csv` and `scores.svg` into a folder; return the table with what follows from it."""
    model = tuning.fit_model()
    optimum = tuning.find_optimum(model) if model else None
    text = "\n\n".join([_table(tuning, model), *_conclusions(tuning, model, optimum, published)])
    plan = tuning.plan
    title = f"# {plan.player} tuned against {plan.opponent}"
    write_file(
        folder / "table.md",
        f"{title}\n\n```\n{command}\n```\n\n{tuning.games.conditions}, {plan.games} games a point.\n\n{text}\n",
    )
    _write_points(tuning, model, folder / "points.csv", command)
    _plot(tuning, model, optimum, published, folder / "scores.svg")
    return text


def score_of(trial: Trial) -> Interval | None:
    """Return a point's score with its 95 % interval; None without a game that counts."""
    return estimate_score(trial.pairs) if trial.pairs else None


def _table(tuning: Tuning, model: ScoreModel | None) -> str:
    rows = []
    for number, trial in enumerate(tuning.trials, start=1):
        score = score_of(trial)
        rows.append(
            [
                str(number),
                *map(_number, trial.values),
                str(trial.tally.games),
                f"{100 * score.value:.1f}" if score else "–",
                f"{100 * score.low:.1f} to {100 * score.high:.1f}" if score else "–",
                _prediction(tuning, model, trial.values) if model else "–",
            ]
        )
    headers = ["point", *tuning.plan.space.names, "games", "score %", "95 % interval", "model %"]
    return markdown_table(headers, rows)


def _conclusions(
    tuning: Tuning, model: ScoreModel | None, optimum: Values | None, published: Sequence[PublishedPoint]
) -> list[str]:
    plan = tuning.plan
    lines = []
    if model and optimum:
        player = name_with(plan.player, plan.space.settings(optimum))
        lines.append(f"The model's optimum is `{player}`, where it expects {_prediction(tuning, model, optimum)} %.")
    for point in published:
        expected = f"; the model expects {_prediction(tuning, model, point.values)} % here" if model else ""
        shown = ", ".join(map(_number, point.values))
        lines.append(f"{point.name} ({shown}): {100 * point.score:.1f} % in the paper{expected}.")
    score = score_of(tuning.test) if tuning.test else None
    if tuning.test and score:
        lines.append(
            f"{tuning.test.tally.games} fresh games at the optimum: {100 * score.value:.1f} % (95 % interval "
            f"{100 * score.low:.1f} to {100 * score.high:.1f}), Elo {describe_elo(estimate_elo(score))}."
        )
    if tuning.is_exhausted:
        lines.append("All values that there are were played.")
    tally = tuning.tally
    if tally.forfeited:
        lines.append(f"{count_games(tally.forfeited, 'was', 'were')} forfeited by the tuned player and lost.")
    if tally.uncounted:
        told = count_games(tally.uncounted, "was", "were")
        lines.append(f"{told} void or forfeited by its opponent and not counted.")
    lines.append(f"Both sides thought {tally.seconds / 3600.0:,.2f} hours in {tally.games:,} games.")
    return lines


def _prediction(tuning: Tuning, model: ScoreModel, values: Values) -> str:
    """Return the model's score at values in per cent with its 95 % interval."""
    found = model.predict(np.array([tuning.plan.space.place_of(values)]))
    return f"{100 * found.means[0]:.1f} ± {100 * _WIDE * found.deviations[0]:.1f}"


def _number(value: float) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _write_points(tuning: Tuning, model: ScoreModel | None, path: Path, command: str) -> None:
    rows = []
    for number, trial in enumerate(tuning.trials, start=1):
        score = score_of(trial)
        counted = [score.value, score.low, score.high] if score else ["", "", ""]
        expected: list[object] = ["", ""]
        if model:
            found = model.predict(np.array([tuning.plan.space.place_of(trial.values)]))
            expected = [found.means[0], found.deviations[0]]
        rows.append([number, *trial.values, trial.tally.games, *counted, *expected, command])
    names = tuning.plan.space.names
    write_csv(path, ["point", *names, "games", "score", "low", "high", "model", "model_deviation", "command"], rows)


def _plot(
    tuning: Tuning,
    model: ScoreModel | None,
    optimum: Values | None,
    published: Sequence[PublishedPoint],
    path: Path,
) -> None:
    """Draw the scores against each parameter, and the model's along a line through its optimum."""
    space = tuning.plan.space
    scored = [(trial, score) for trial in tuning.trials if (score := score_of(trial))]
    columns = min(3, len(space.parameters))
    rows = -(-len(space.parameters) // columns)
    with drawing(path, 1.0 + 4.0 * columns, 0.5 + 3.5 * rows) as figure:
        for index, parameter in enumerate(space.parameters):
            axes = figure.add_subplot(rows, columns, index + 1)
            axes.axhline(50.0, color=GREY, linewidth=0.8)
            if model and optimum:
                places = np.tile(space.place_of(optimum), (_CURVE, 1))
                places[:, index] = np.linspace(0.0, 1.0, _CURVE)
                found = model.predict(places)
                x = [parameter.unrounded_at(place) for place in places[:, index]]
                low, high = (100 * (found.means + side * _WIDE * found.deviations) for side in (-1.0, 1.0))
                axes.plot(x, 100 * found.means, color=OURS, label="model, the others at its optimum")
                axes.fill_between(x, low, high, color=OURS, alpha=0.15, linewidth=0)
            axes.errorbar(
                [trial.values[index] for trial, _ in scored],
                [100 * score.value for _, score in scored],
                yerr=[
                    [100 * (score.value - score.low) for _, score in scored],
                    [100 * (score.high - score.value) for _, score in scored],
                ],
                fmt="o",
                color=OURS,
                alpha=0.6,
                capsize=2,
                markersize=4,
                label="points (95 % intervals)",
            )
            if published:
                axes.plot(
                    [point.values[index] for point in published],
                    [100 * point.score for point in published],
                    "D",
                    color=PAPERS,
                    label="paper",
                )
            if parameter.is_log:
                axes.set_xscale("log")
            axes.set(xlabel=parameter.name, ylabel="score %")
            if index == 0:
                axes.legend()
