"""The page's colours: small text stands out from what is behind it, at 4.5 to 1 at least, in light and dark."""

import re
from pathlib import Path

import pytest

STATIC = Path(__file__).parents[2] / "web" / "static"
STYLE = (STATIC / "style.css").read_text(encoding="utf-8")
BOARD = (STATIC / "board.js").read_text(encoding="utf-8")
LEAST = 4.5
Color = tuple[float, ...]


def read_color(text: str) -> Color:
    digits = "".join(2 * one for one in text) if len(text) == 3 else text
    return tuple(int(digits[place : place + 2], 16) / 255 for place in (0, 2, 4))


def read_themes() -> list[dict[str, Color]]:
    """Return the colours of each block of variables: light, the system's dark, the chosen dark."""
    blocks = re.findall(r":root[^{]*\{([^}]*)\}", STYLE)
    return [
        {name: read_color(digits) for name, digits in re.findall(r"--([\w-]+): #(\w+);", block)} for block in blocks
    ]


def mix(front: Color, back: Color, share: float) -> Color:
    return tuple(share * one + (1 - share) * other for one, other in zip(front, back, strict=True))


def luminance(color: Color) -> float:
    parts = [one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in color]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


def contrast(first: Color, second: Color) -> float:
    low, high = sorted((luminance(first), luminance(second)))
    return (high + 0.05) / (low + 0.05)


THEMES = read_themes()
WOOD = [read_color(digits) for digits in re.findall(r'stop\("[\d.]+", "#(\w+)"\)', BOARD)[:3]]


def fill_of(selector: str) -> Color:
    found = re.search(re.escape(selector) + r" \{[^}]*fill: #(\w+)", STYLE)
    assert found is not None, selector
    return read_color(found[1])


def test_both_dark_themes_are_the_same() -> None:
    assert len(THEMES) == 3 and THEMES[1] == THEMES[2] and THEMES[0].keys() == THEMES[1].keys()


@pytest.mark.parametrize("theme", THEMES[:2])
def test_text_stands_out_from_pages_and_cards(theme: dict[str, Color]) -> None:
    marked = mix(theme["wrong"], theme["card"], 0.13)  # rows of moves on which two searches differ
    for ink in ("ink", "quiet", "best", "wrong"):
        for ground in (theme["page"], theme["card"]):
            assert contrast(theme[ink], ground) >= LEAST, ink
    for ink in ("ink", "best"):
        assert contrast(theme[ink], marked) >= LEAST, ink
    assert contrast(theme["accent-ink"], theme["accent"]) >= LEAST
    assert contrast(theme["wrong-ink"], theme["wrong"]) >= LEAST


@pytest.mark.parametrize("kind", ["best", "other"])
def test_labels_on_the_board_can_be_read_on_the_faintest_disc(kind: str) -> None:
    found = re.search(r"FAINTEST = ([\d.]+)", BOARD)
    assert found is not None
    for wood in WOOD:
        disc = mix(fill_of(f".board .{kind} circle"), wood, float(found[1]))
        assert contrast((1.0, 1.0, 1.0), disc) >= LEAST


def test_the_names_of_lines_can_be_read_on_the_wood() -> None:
    shade = (20 / 255, 14 / 255, 4 / 255)
    found = re.search(r"\.board \.lines text \{[^}]*fill: #(\w+)", STYLE)
    assert found is not None
    for wood in WOOD:
        for ground in (wood, mix(shade, wood, 0.2)):
            assert contrast(read_color(found[1]), ground) >= LEAST
