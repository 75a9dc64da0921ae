"""Draw the rooms of the house and who imports whom, from the real imports.

    python docs/draw_rooms.py docs/rooms.svg

A row is a layer of the import contract in pyproject.toml: arrows point down. An arrow that follows from two others is
left out.
"""

import ast
import sys
import tomllib
from pathlib import Path

import grimp

ROOT = Path(__file__).resolve().parent.parent
WIDTH, MARGIN, GAP, BOX_HEIGHT, ROW_HEIGHT = 1000, 20, 24, 64, 124
STYLE = """
    text { font: 15px sans-serif; fill: #1f2328 } .name { font-weight: 600 } .purpose { font-size: 12px }
    rect { fill: #eef2f7; stroke: #57606a } path { stroke: #57606a; fill: none } marker path { fill: #57606a }
    @media (prefers-color-scheme: dark) {
      text { fill: #e6edf3 } rect { fill: #21262d; stroke: #9da7b3 }
      path { stroke: #9da7b3 } marker path { fill: #9da7b3 }
    }"""


def layers() -> list[list[str]]:
    """Return the rooms from top to bottom, as the import contract orders them."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    (contract,) = (one for one in contracts if one["type"] == "layers")
    return [[room.strip() for room in layer.replace("|", ":").split(":")] for layer in contract["layers"]]


def imports_between(rooms: list[str]) -> dict[str, set[str]]:
    """Return for each room those that it imports directly."""
    graph = grimp.build_graph("miai")
    found: dict[str, set[str]] = {room: set() for room in rooms}
    for module in graph.modules:
        for other in graph.find_modules_directly_imported_by(module):
            first, second = (name.split(".")[1] if "." in name else "" for name in (module, other))
            if first in found and second in found and first != second:
                found[first].add(second)
    return found


def without_shortcuts(imports: dict[str, set[str]]) -> dict[str, set[str]]:
    """Leave out imports of rooms that another imported room leads to."""

    def reach(room: str) -> set[str]:
        return {further for other in imports[room] for further in {other} | reach(other)}

    return {
        room: {other for other in others if not any(other in reach(one) for one in others)}
        for room, others in imports.items()
    }


def purpose_of(room: str) -> list[str]:
    """Return the first sentence of a room's docstring in lines of at most 34 letters."""
    text = ast.get_docstring(ast.parse((ROOT / room / "__init__.py").read_text())) or ""
    lines = [""]
    for word in text.split("\n\n")[0].replace("`", "").split():
        if len(lines[-1]) + len(word) > 34:
            lines.append("")
        lines[-1] += f"{word} "
    return lines


def draw(rows: list[list[str]], imports: dict[str, set[str]]) -> str:
    """Return the picture as SVG text."""
    widest = max(len(row) for row in rows)
    box = (WIDTH - 2 * MARGIN - GAP * (widest - 1)) / widest
    places: dict[str, tuple[float, float]] = {}
    for number, row in enumerate(rows):
        left = (WIDTH - len(row) * box - (len(row) - 1) * GAP) / 2
        places |= {room: (left + index * (box + GAP), MARGIN + number * ROW_HEIGHT) for index, room in enumerate(row)}
    height = 2 * MARGIN + (len(rows) - 1) * ROW_HEIGHT + BOX_HEIGHT + 20
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img">',
        "<title>The rooms of miai and who imports whom</title>",
        f"<style>{STYLE}</style>",
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto">'
        '<path d="M0 0L8 4L0 8z"/></marker></defs>',
    ]
    for room, others in imports.items():
        for other in sorted(others):
            (x, y), (to_x, to_y) = places[room], places[other]
            parts.append(
                f'<path d="M{x + box / 2:.0f} {y + BOX_HEIGHT + 20}L{to_x + box / 2:.0f} {to_y}" '
                'marker-end="url(#tip)"/>'
            )
    for room, (x, y) in places.items():
        parts.append(f'<rect x="{x:.0f}" y="{y}" width="{box:.0f}" height="{BOX_HEIGHT + 20}" rx="8"/>')
        parts.append(f'<text class="name" x="{x + 12:.0f}" y="{y + 21}">{room}/</text>')
        for index, line in enumerate(purpose_of(room)[:4]):
            parts.append(f'<text class="purpose" x="{x + 12:.0f}" y="{y + 38 + 15 * index}">{line.strip()}</text>')
    return "\n".join([*parts, "</svg>"]) + "\n"


def main() -> None:
    """Write the picture to the file that the first argument names."""
    rows = layers()
    imports = without_shortcuts(imports_between([room for row in rows for room in row]))
    Path(sys.argv[1]).write_text(draw(rows, imports))


if __name__ == "__main__":
    main()
