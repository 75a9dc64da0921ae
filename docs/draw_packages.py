"""Draw the packages of miai and who imports whom, from the real imports.

    python docs/draw_packages.py docs/packages.svg

Arrows point the way that imports go, and by the contract in pyproject.toml never up. An arrow that follows from others
is left out.
"""

import ast
import sys
import textwrap
from pathlib import Path

import grimp

ROOT = Path(__file__).resolve().parent.parent
PLACES = {
    "cli": (1.0, 0),
    "web": (0.4, 1),
    "tuning": (1.575, 1),
    "fitting": (2.75, 1),
    "benchmarks": (3.85, 1),
    "library": (0.0, 2),
    "selfplay": (1.0, 2),
    "experiments": (2.0, 2),
    "environment": (3.0, 2),
    "cgos": (4.0, 2),
    "match": (3.4, 3),
    "gtp": (3.4, 4),
    "analysis": (0.0, 4),
    "players": (1.0, 5),
    "nets": (0.4, 6),
    "playouts": (1.6, 6),
    "engine": (1.0, 7),
}
"""Column and row of each package."""
COLUMN, ROW, WIDTH, HEIGHT, MARGIN = 230, 128, 224, 88, 16
STYLE = """
    text { font: 15px sans-serif; fill: #1f2328 } .name { font-weight: 600 } .purpose { font-size: 12px }
    rect { fill: #eef2f7; stroke: #57606a } path { stroke: #57606a; fill: none } marker path { fill: #57606a }
    @media (prefers-color-scheme: dark) {
      text { fill: #e6edf3 } rect { fill: #21262d; stroke: #9da7b3 }
      path { stroke: #9da7b3 } marker path { fill: #9da7b3 }
    }"""


def imports_between(packages: list[str]) -> dict[str, set[str]]:
    """Return for each package those that it imports directly."""
    graph = grimp.build_graph("miai")
    found: dict[str, set[str]] = {package: set() for package in packages}
    for module in graph.modules:
        for other in graph.find_modules_directly_imported_by(module):
            first, second = (name.split(".")[1] if "." in name else "" for name in (module, other))
            if first in found and second in found and first != second:
                found[first].add(second)
    return found


def without_shortcuts(imports: dict[str, set[str]]) -> dict[str, set[str]]:
    """Leave out imports of packages that another imported package leads to."""

    def reach(package: str) -> set[str]:
        return {further for other in imports[package] for further in {other} | reach(other)}

    return {
        package: {other for other in others if not any(other in reach(one) for one in others)}
        for package, others in imports.items()
    }


def purpose_of(package: str) -> list[str]:
    """Return the first sentence of a package's docstring in lines that fit its box."""
    text = ast.get_docstring(ast.parse((ROOT / package / "__init__.py").read_text())) or ""
    return textwrap.wrap(text.split("\n\n")[0].replace("`", ""), 31)


def draw(imports: dict[str, set[str]]) -> str:
    """Return the picture as SVG text."""
    corners = {package: (MARGIN + column * COLUMN, MARGIN + row * ROW) for package, (column, row) in PLACES.items()}
    width = max(x for x, _ in corners.values()) + WIDTH + MARGIN
    height = max(y for _, y in corners.values()) + HEIGHT + MARGIN
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" role="img">',
        "<title>The packages of miai and who imports whom</title>",
        f"<style>{STYLE}</style>",
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto">'
        '<path d="M0 0L8 4L0 8z"/></marker></defs>',
    ]
    for package, others in imports.items():
        for other in sorted(others):
            (x, y), (to_x, to_y) = corners[package], corners[other]
            start, end = (x + WIDTH / 2, y + HEIGHT), (to_x + WIDTH / 2, to_y)
            line = " ".join(f"{number:.0f}" for number in (*start, *end))
            parts.append(f'<path d="M{line}" marker-end="url(#tip)"/>')
    for package, (x, y) in corners.items():
        parts.append(f'<rect x="{x:.0f}" y="{y}" width="{WIDTH}" height="{HEIGHT}" rx="8"/>')
        parts.append(f'<text class="name" x="{x + 12:.0f}" y="{y + 21}">{package}/</text>')
        for index, line in enumerate(purpose_of(package)):
            parts.append(f'<text class="purpose" x="{x + 12:.0f}" y="{y + 38 + 15 * index}">{line}</text>')
    return "\n".join([*parts, "</svg>"]) + "\n"


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(draw(without_shortcuts(imports_between(list(PLACES)))))
