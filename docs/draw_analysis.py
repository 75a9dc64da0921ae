"""Draw a position with what a search of it found: the figure in the README.

python docs/draw_analysis.py docs/analysis.svg
"""

import sys
from pathlib import Path

import miai
from miai.library.pictures import draw_svg

MOVES = "E5 G6 E7 G4 C4 F7 E6 F8 G3 H3 F3 H4 D8 C6"
"""The position of the figure."""

if __name__ == "__main__":
    game = miai.Game(9).play(*MOVES.split())
    report = miai.Player("fuego", seed=1).search(game, simulations=20_000)
    Path(sys.argv[1]).write_text(draw_svg(game.state, report.detail, width=480))
