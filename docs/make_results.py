"""Write the tables and plots of README.md, docs/results and docs/notebook from results/*.csv and results/papers.

    python docs/make_results.py

A page marks the place of a table by two comments, `<!-- results:NAME -->` and `<!-- end -->`; what lies between them is
replaced. A plot is an SVG file beside the pages; one whose data did not change is not drawn again: delete it to have a
new one. `docs/make_papers.py` makes those of the papers' experiments. Needs tabulate, and matplotlib for the plots: the
extra `experiments`.
"""

import hashlib
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).parent))

import make_papers
from result_tables import (
    MATCH,
    RESULTS,
    ROOT,
    Cell,
    Row,
    both,
    code,
    elo_of,
    make_grid,
    make_table,
    number,
    read_results,
    results_of,
    score_of,
    with_error,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PLOTS_FOLDER = ROOT / "docs" / "results"
GREY = "#7d8590"
"""Lines and letters of plots: readable on white and on black."""


def _opponents() -> str:
    return make_table(
        [row for row in read_results("opponents") if not row["label"].startswith("network ")],
        {
            "player": "label",
            "opponent": "opponent",
            "wins, draws, losses": results_of,
            "score (95 %)": score_of,
            "simulations a move": both("first_simulations", "second_simulations"),
        },
    )


def _strength_in_short() -> str:
    columns = {"opponent": "opponent", "wins, draws, losses": results_of, "score (95 %)": score_of}
    return make_table(read_results("opponents", label="`net`, one second"), columns)


def _presets() -> str:
    rows = read_results("presets")
    return make_grid(rows, code("preset"), lambda row: f"Elo, {row['budget']} a move", elo_of, "preset")


def _net_settings(base: str) -> str:
    return make_table(
        read_results("net-settings", base=base),
        {
            "changed": "label",
            "a move": lambda row: row["seconds"] + (" s" if row["seconds"][0] == "0" else ""),
            **MATCH,
        },
    )


def _playout_settings(*, has_priors: bool) -> str:
    old = "prior knowledge of before"
    rows = [row for row in read_results("playout-settings") if row["note"].startswith(old) != has_priors]
    return make_table(rows, {"first against second": "label", "simulations": number("simulations"), **MATCH})


def _clock() -> str:
    return make_table(
        read_results("clock"),
        {
            "`time_settings`": code("settings"),
            "players": lambda row: f"`{row['first']}`, `{row['second']}`, {row['player']}",
            "games": "games",
            "time used": lambda row: f"{row['first_used']} %, {row['second_used']} %",
            "least left": number("least_left", " s"),
            "longest move": number("longest", " s"),
        },
    )


def _networks() -> str:
    return make_table(
        [row for row in read_results("networks") if row["elo"] or row["network"] in ("1", "54")],
        {
            "network": "network",
            "games": number("games"),
            "positions": number("positions"),
            "minutes playing, training": both("playing_minutes", "training_minutes"),
            "policy loss": "policy_loss",
            "policy accuracy": number("policy_accuracy", " %"),
            "Elo": elo_of,
        },
    )


def _training_changes() -> str:
    return make_table(
        read_results("training-changes"),
        {
            "changed": "label",
            "policy loss": "policy_loss",
            "value error": "value_error",
            "score against the base (95 %)": score_of,
        },
    )


def _trees_of_the_paper() -> str:
    return make_table(
        [row for row in read_results("trees") if row["trees"] == "2000" or row["playouts"] == "1048576"],
        {
            "test": "test",
            "playouts": number("playouts"),
            "trees": number("trees"),
            "rule": code("rule"),
            "mean regret ×1000": with_error,
            "paper": "paper",
            "best move found": number("best_move", " %"),
        },
    )


def _trees(trees: str, index: Cell, first: str, keep: Callable[[Row], bool]) -> str:
    rows = [row for row in read_results("trees", trees=trees) if row["playouts"] != "1048576" and keep(row)]
    return make_grid(rows, index, lambda row: f"{number('playouts')(row)} playouts", with_error, first)


def _tactics(which: str) -> str:
    def cell(row: Row) -> str:
        return f"{row['found']}, {number('needed')(row)}" if which == "hard" else both("needed", "most")(row)

    return make_grid(read_results("tactics", set=which), code("rule"), code("backup"), cell, "")


def _speed(series: str) -> str:
    def name(row: Row) -> str:
        return row["name"] if " " in row["name"] else f"`{row['name']}`"

    return make_table(read_results("speed", series=series), {"": name, "value": number("value"), "unit": "unit"})


def _network_speed() -> str:
    def network_and_backend(row: Row) -> str:
        return "`{1}`, `{2}`".format(*row["name"].split("."))

    def batch(row: Row) -> str:
        return row["name"].split(".")[3].replace("batch", "batch ")

    return make_grid(
        read_results("speed", series="networks"), network_and_backend, batch, number("value"), "positions/s"
    )


TABLES: Mapping[str, Callable[[], str]] = {
    "opponents": _opponents,
    "strength-in-short": _strength_in_short,
    "board-sizes": lambda: make_table(
        read_results("board-sizes"), {"board": lambda r: f"{r['size']}x{r['size']}", **MATCH}
    ),
    "presets": _presets,
    "net-settings": lambda: _net_settings("`net`"),
    "net-settings-without-playouts": lambda: _net_settings("without playouts"),
    "playout-settings": partial(_playout_settings, has_priors=True),
    "playout-settings-before-priors": partial(_playout_settings, has_priors=False),
    "levels": lambda: make_table(
        read_results("levels"),
        {
            "level": "level",
            "what it is": "label",
            "score against the one below (95 %)": score_of,
            "games": "games",
        },
    ),
    "clock": _clock,
    "soak": lambda: make_table(
        read_results("soak"), {"run": "run", "how much": "size", "found": "found", "command": code("command")}
    ),
    "networks": _networks,
    "training-changes": _training_changes,
    "eight-bits": lambda: make_table(read_results("eight-bits"), {"first against second": "label", **MATCH}),
    "trees-paper": _trees_of_the_paper,
    "trees-selection": lambda: _trees(
        "400", code("rule"), "selection", lambda r: r["backup"] in ("mean", "wdl-product")
    ),
    "trees-backup": lambda: _trees(
        "400", lambda r: f"`{r['rule']}/{r['backup']}`", "", lambda r: r["rule"] in ("esprit", "puct")
    ),
    "trees-batches": lambda: _trees("200", lambda r: f"`{r['rule']}`, {r['batching']}", "", lambda r: True),
    "papers-overview": make_papers.overview_block,
    "papers-runs": make_papers.runs_block,
    **{
        f"fair-komi-{question}": partial(make_papers.answer_block, "fair-komi", question)
        for question in ("phases", "searches", "oracles")
    },
    "tactics-hard": lambda: _tactics("hard"),
    "tactics-clear": lambda: _tactics("clear"),
    "network-speed": _network_speed,
    **{
        f"speed-{series}": partial(_speed, series)
        for series in {row["series"] for row in read_results("speed")} - {"networks", "rules", "environment-quiet"}
    },
    "speed-rules": lambda: make_grid(
        [row for row in read_results("speed", series="rules") if row["name"].count(".") < 4],  # backups have one more
        lambda row: f"`{row['name'].split('.')[1]}`",
        lambda row: "simulated trees" if "trees" in row["name"] else "Go",
        number("value"),
        "simulations/s",
    ),
}
"""What makes the table of each marked block."""


def _plot_presets(axes: "Axes") -> None:
    rows = read_results("presets")
    names = list(dict.fromkeys(row["preset"] for row in rows))[::-1]
    for shift, (budget, color) in zip(
        (0.15, -0.15), (("200 simulations", "#3fa34d"), ("0.01 s", "#3b82c4")), strict=True
    ):
        chosen = [row for row in rows if row["budget"] == budget]
        elo = [float(row["elo"]) for row in chosen]
        errors = [
            [e - float(row["low"] or e) for e, row in zip(elo, chosen, strict=True)],
            [float(row["high"] or e) - e for e, row in zip(elo, chosen, strict=True)],
        ]
        places = [names.index(row["preset"]) + shift for row in chosen]
        axes.errorbar(elo, places, xerr=errors, fmt="o", markersize=4, color=color, label=f"{budget} a move")
    axes.set_yticks(range(len(names)), names)
    axes.set_xlabel("Elo")
    axes.legend(frameon=False)


def _plot_networks(axes: "Axes") -> None:
    rows = read_results("networks")
    positions = [int(row["positions"]) / 1e6 for row in rows]
    axes.plot(positions, [float(row["policy_accuracy"]) for row in rows], "o-", color="#3fa34d")
    axes.set_xlabel("million positions played")
    axes.set_ylabel("policy accuracy, %")


PLOTS: Mapping[str, tuple[Callable[["Axes"], None], tuple[str, ...]]] = {
    "presets": (_plot_presets, ("presets",)),
    "networks": (_plot_networks, ("networks",)),
}
"""What draws each plot, and the files that it is drawn from."""


def digest_of(names: Sequence[str]) -> str:
    """Return what a plot says of the files that it was drawn from."""
    return hashlib.sha256(b"".join((RESULTS / f"{name}.csv").read_bytes() for name in names)).hexdigest()


def draw_plot(name: str) -> None:
    """Write the plot NAME beside the pages, with a clear background and grey letters."""
    import matplotlib
    from matplotlib.figure import Figure

    draw, sources = PLOTS[name]
    grey: dict = dict.fromkeys(("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color"), GREY)
    with matplotlib.rc_context({**grey, "svg.fonttype": "none", "svg.hashsalt": name, "font.family": "sans-serif"}):
        figure = Figure(figsize=(7, 4.2), layout="constrained")
        axes = figure.add_subplot(facecolor="none")
        draw(axes)
        axes.grid(alpha=0.3)
        metadata = {"Date": None, "Description": digest_of(sources)}
        figure.savefig(PLOTS_FOLDER / f"{name}.svg", transparent=True, metadata=metadata)


BLOCK = re.compile(r"(<!-- results:([\w-]+) -->\n).*?(<!-- end -->)", re.DOTALL)


def fill_blocks(text: str) -> str:
    """Return a page's text with its marked tables made anew.

    Raises:
        KeyError: if a block names no table.
    """
    return BLOCK.sub(lambda found: f"{found[1]}{TABLES[found[2]]()}\n{found[3]}", text)


def pages() -> list[Path]:
    """Return the pages that may have tables."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def main() -> None:
    """Write all tables and plots."""
    for page in pages():
        if (made := fill_blocks(text := page.read_text(encoding="utf-8"))) != text:
            page.write_text(made, encoding="utf-8")
            print(page.relative_to(ROOT))
    for name, (_, sources) in PLOTS.items():
        path = PLOTS_FOLDER / f"{name}.svg"
        if not path.exists() or digest_of(sources) not in path.read_text(encoding="utf-8"):
            draw_plot(name)
            print(path.relative_to(ROOT))
    for path in make_papers.draw_figures():
        print(path.relative_to(ROOT))


if __name__ == "__main__":
    main()
