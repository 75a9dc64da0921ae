"""The board as text and as a picture of wood and stones, drawn with NumPy alone."""

import functools

import numpy as np

from miai.engine.go.batch import GameBatch
from miai.engine.go.board_picture import describe_state, draw_board, star_points
from miai.engine.go.points import BLACK, EMPTY, PASS, all_points, color_name
from miai.players.option_kinds import NameChoice, OptionError

RENDER_MODES = ("ansi", "rgb_array")
"""As text, or as an image."""

_IMAGE_SIDE = 480
"""Pixels on a side, about: every cell has the same whole number of them."""
_WOOD = np.array([222.0, 178.0, 103.0])
_GRID = np.array([66.0, 45.0, 22.0])
_MARKS = {BLACK: np.array([236.0, 236.0, 232.0]), 2: np.array([30.0, 30.0, 34.0])}


def check_render_mode(mode: str | None) -> str | None:
    """Return a render mode that exists, or None.

    Raises:
        OptionError: for any other; says which there are.
    """
    try:
        return None if mode is None else NameChoice(RENDER_MODES).read(mode)
    except OptionError as error:
        raise OptionError(f"render_mode: {error}") from None


def draw_text(batch: GameBatch, index: int) -> str:
    """Return a position with coordinates, captures, whose turn it is, and the last move in parentheses."""
    game = batch.to_game(index)
    return f"{draw_board(game)}\n{describe_state(game, {color: color_name(color) for color in (1, 2)})}\n"


def draw_image(batch: GameBatch, index: int) -> np.ndarray:
    """Return a picture of a position, uint8 [height, width, 3]; a ring marks the last move."""
    board = batch.games[index]["board"]
    size = int(board["width_marker"].shape[0]) - 1
    cell = cell_side(size)
    image = _empty_board(size).copy()
    for order, point in enumerate(all_points(size)):
        color = int(board["color"][point])
        if color == EMPTY:
            continue
        row, column = divmod(order, size)
        top, left = _corner(row, column, cell)
        window = image[top : top + 2 * cell, left : left + 2 * cell]
        shadow, cover, shade = _stone(cell, color)
        window *= 1.0 - shadow[..., None]
        window += cover[..., None] * (shade - window)
        if point == board["last_move"] != PASS:
            window += _ring(cell)[..., None] * (_MARKS[color] - window)
    return np.clip(image[cell // 2 : -cell // 2, cell // 2 : -cell // 2] + 0.5, 0, 255).astype(np.uint8)


def cell_side(size: int) -> int:
    """Return the pixels from one line of the board to the next, an even number."""
    return 2 * max(8, round(_IMAGE_SIDE / (size + 0.6) / 2))


def _corner(row: int, column: int, cell: int) -> tuple[int, int]:
    """Return the top left pixel of the window of two by two cells around a point, on the image with its margin."""
    return cell // 2 + row * cell, cell // 2 + column * cell


def _distances(cell: int, dy: float = 0.0, dx: float = 0.0) -> np.ndarray:
    """Return the distance in pixels from a window's centre, moved by `dy` and `dx`, for each of its pixels."""
    offsets = np.arange(2 * cell) + 0.5 - cell
    return np.hypot(offsets[:, None] - dy, offsets[None, :] - dx)


def _covered(distance: np.ndarray) -> np.ndarray:
    """Return how much of each pixel lies inside a line, given its signed distance to the line."""
    return np.clip(0.5 - distance, 0.0, 1.0)


@functools.cache
def _empty_board(size: int) -> np.ndarray:
    """Return wood and lines, float64, with a margin of half a cell on each side that the picture leaves out."""
    cell = cell_side(size)
    side = (size + 2) * cell
    image = _WOOD * _grain(side)[..., None]
    lines = (np.arange(size) + 1.5) * cell
    thickness = max(1.0, cell / 36)
    pixels = np.arange(side) + 0.5
    across = _covered(np.abs(pixels[:, None] - lines[None, :]) - thickness / 2).max(axis=1)
    along = _covered(np.maximum(lines[0] - pixels, pixels - lines[-1]) - thickness / 2)
    cover = np.maximum(across[:, None] * along[None, :], along[:, None] * across[None, :])
    for row, column in star_points(size):
        top, left = _corner(row, column, cell)
        window = cover[top : top + 2 * cell, left : left + 2 * cell]
        np.maximum(window, _covered(_distances(cell) - max(2.0, cell / 12)), out=window)
    return image + 0.85 * cover[..., None] * (_GRID - image)


def _grain(side: int) -> np.ndarray:
    """Return the brightness of a wooden board: wavy rings, and fibres along them."""
    rng = np.random.default_rng(9)
    y, x = np.mgrid[0:side, 0:side] / side
    bend = 0.05 * np.sin(2.1 * y * np.pi + 0.6) + 0.02 * np.sin(5.3 * y * np.pi)
    rings = np.sin(2 * np.pi * (7.0 * (x + bend) + 0.35 * np.sin(3.0 * (x + bend) * np.pi)))
    fibres = np.cumsum(rng.normal(size=(side, side)), axis=0)
    fibres -= (np.arange(side)[:, None] / side) * fibres[-1]
    fibres = np.repeat(rng.normal(size=(1, side)), side, axis=0) + 0.25 * fibres / max(1.0, np.abs(fibres).max())
    return 1.0 + 0.028 * rings + 0.012 * fibres


@functools.cache
def _stone(cell: int, color: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return a stone's shadow, how much of each pixel it covers, and its colour, in a window of two by two cells."""
    radius = 0.475 * cell
    shadow = 0.45 * np.clip(1.15 - _distances(cell, 0.07 * cell, 0.05 * cell) / (1.12 * radius), 0.0, 0.3) / 0.3
    cover = _covered(_distances(cell) - radius)
    light = np.clip(1.0 - _distances(cell, -0.3 * radius, -0.3 * radius) / (1.5 * radius), 0.0, 1.0)
    rim = np.clip(_distances(cell) / radius, 0.0, 1.0) ** 6
    if color == BLACK:
        brightness = 26.0 + 120.0 * light**2.2 - 8.0 * rim
        tint = np.array([1.0, 1.0, 1.06])
    else:
        brightness = 226.0 + 27.0 * light**0.7 - 42.0 * rim
        tint = np.array([1.0, 0.995, 0.975])
    return shadow, cover, brightness[..., None] * tint


@functools.cache
def _ring(cell: int) -> np.ndarray:
    """Return how much the mark of the last move covers of each pixel of a window of two by two cells."""
    return 0.9 * _covered(np.abs(_distances(cell) - 0.23 * cell) - max(1.0, cell / 32))
