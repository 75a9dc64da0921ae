"""Figures of reports: readable on white and on black, and by the colour-blind."""

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from miai.engine.files import save_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

GREY = "#7d8590"
"""Lines and letters."""
OURS, PAPERS = "#0072b2", "#d55e00"
"""Our points and the paper's, wherever a figure has both."""
COLORS = (OURS, PAPERS, "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7d8590")
"""Okabe and Ito's, without the black and the yellow that vanish on one background."""
MARKERS = "osD^vP*X"
"""Beside colours: what tells lines apart where those do not."""


@contextlib.contextmanager
def drawing(path: Path, width: float = 7.0, height: float = 5.0) -> "Iterator[Figure]":
    """Yield an empty figure of this size in inches, and write it to a file after the block; `.svg` and `.png` do."""
    import matplotlib
    from cycler import cycler
    from matplotlib.figure import Figure

    grey: dict[Any, Any] = dict.fromkeys(
        ("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color"), GREY
    )
    settings: dict[Any, Any] = {
        **grey,
        "axes.facecolor": "none",
        "axes.grid": True,
        "axes.prop_cycle": cycler(color=COLORS),
        "grid.alpha": 0.3,
        "grid.color": GREY,
        "legend.framealpha": 0.0,
        "legend.fontsize": "small",
        "svg.fonttype": "none",
        "svg.hashsalt": path.name,
    }
    with matplotlib.rc_context(settings):
        figure = Figure(figsize=(width, height), layout="constrained", facecolor="none")
        yield figure
        metadata: dict[str, Any] | None = {"Date": None} if path.suffix == ".svg" else None
        save_figure(figure, path, dpi=120, facecolor="none", metadata=metadata)


def tick_at_1_2_and_5(axis: "Axis") -> None:
    """Let a logarithmic axis to base 10, or one that is linear around 0, have ticks like 20, 50 and 100, as numbers."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator, SymmetricalLogLocator

    subs = (1.0, 2.0, 5.0)
    linear = getattr(axis.get_transform(), "linthresh", None)
    locator = LogLocator(subs=subs) if linear is None else SymmetricalLogLocator(base=10, linthresh=linear, subs=subs)
    axis.set_major_locator(locator)
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.10g}".replace("-", "−")))
    axis.set_minor_locator(NullLocator())


def label_points(axes: "Axes", names: list[str], x: list[float], y: list[float]) -> None:
    """Write names beside points."""
    for name, left, low in zip(names, x, y, strict=True):
        axes.annotate(name, (left, low), xytext=(4, 3), textcoords="offset points", fontsize=7)
