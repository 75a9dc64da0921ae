"""The outcome of a position, estimated without playing on: how probable are a win, a draw and a loss.

A multinomial logistic regression (Holden, "Notes on an alternative approach to move choice in games such as Chess"):
with one score for each outcome, its probability is exp(score) / sum of the three exp(score). The scores are sums of

* a weight for each feature of `miai.playouts.outcome_features`, and for komi as the player to move sees it: added to
  the score of a win, subtracted from that of a loss;
* for each estimate of the area (`area_0` …) and each bound, with the margin m = own − other − komi cut off there:
  `ahead` times m / bound, added to the score of a win and subtracted from that of a loss, and `apart` times |m| / bound
  for a draw. `ahead` is not negative and the weight of komi not positive: more komi never makes a win more probable
  compared with a loss;
* the same once more, `margin_settled`, if the first and the last estimate are equal and leave no point to nobody;
* for a draw a constant, `draw`; another, `draw.odd`, where points and komi differ by an odd number, as a board whose
  points all have an owner cannot be drawn then; and `draw.settled`, see above.

A komi that is no whole number rules a draw out. Weights change along straight lines between a few numbers of stones,
`PHASES`. They are per point and were learned on 9x9 by `miai fit-outcomes`; other sizes take them as they are.
"""

import functools
from pathlib import Path

import numpy as np

from miai.engine.go.points import BLACK
from miai.engine.jit import compiled
from miai.playouts.outcome_features import AREA, FEATURES, NUM_AREAS, OTHER, features_dtype, find_outcome_features

WEIGHTS_FILE = Path(__file__).with_name("outcome_weights.txt")
"""Learned weights: lines `TERM WEIGHT …`, a weight for each phase, written by `miai fit-outcomes`."""

PHASES = (0.0, 0.2, 0.4, 0.6, 0.8)
"""Shares of the board's points that have stones; beyond the last the weights stay as they are there."""
BOUNDS = (0.5, 2.0, 8.0, 20.0)
"""Margins in points at which one is cut off."""
NUM_MARGINS = (NUM_AREAS + 1) * len(BOUNDS)

_MARGINS = tuple(f"margin_{area}_{bound:g}" for area in (*range(NUM_AREAS), "settled") for bound in BOUNDS)
TERMS = (
    *FEATURES,
    "komi",
    *(f"ahead.{name}" for name in _MARGINS),
    *(f"apart.{name}" for name in _MARGINS),
    *("draw", "draw.odd", "draw.settled"),
)
"""The names of all weights."""
_KOMI = TERMS.index("komi")
_AHEAD, _APART = _KOMI + 1, _KOMI + 1 + NUM_MARGINS
_DRAW = TERMS.index("draw")
WIN, DRAW, LOSS = 0, 1, 2
"""Places of the outcomes in arrays of probabilities."""


def phase_weights(num_empty: np.ndarray, points: int) -> np.ndarray:
    """Return how much each phase counts at these numbers of empty points: float64 [len(num_empty), len(PHASES)]."""
    filled = 1.0 - np.asarray(num_empty) / points
    return np.stack([np.interp(filled, PHASES, unit) for unit in np.eye(len(PHASES))], axis=1)


def read_weights(path: Path) -> np.ndarray:
    """Return the weights in a file of `miai fit-outcomes`, float64 [len(TERMS), len(PHASES)]; what is not in it is 0.

    Raises:
        ValueError: for a term that does not exist, or as many weights as there are no phases.
    """
    weights = np.zeros((len(TERMS), len(PHASES)))
    for line in path.read_text().splitlines():
        words = line.split()
        if words and words[0] != "#":
            if words[0] not in TERMS or len(words) != 1 + len(PHASES):
                raise ValueError(f"{path}: {line[:60]!r} is no term with {len(PHASES)} weights")
            weights[TERMS.index(words[0])] = [float(word) for word in words[1:]]
    return weights


@functools.cache
def outcome_dtype(size: int) -> np.dtype:
    """Return the record type of an estimate with its workspace.

    Raises:
        ValueError: if `size` is not from 2 to 19.
    """
    return np.dtype(
        [
            ("found", features_dtype(size)),
            ("weights", "f4", (size * size + 1, len(TERMS))),  # by number of empty points
            ("win", "f4"),  # for the player to move
            ("draw", "f4"),
            ("loss", "f4"),
        ],
        align=True,
    )


@functools.cache
def _shipped_weights() -> np.ndarray:
    return read_weights(WEIGHTS_FILE)


def new_estimate(size: int, weights: np.ndarray | None = None) -> np.ndarray:
    """Return an array of one record to pass to `estimate_outcome`, a thread's own.

    Args:
        weights: as `read_weights` returns them; by default those that come with the program.
    """
    chosen = _shipped_weights() if weights is None else weights
    estimate = np.zeros(1, dtype=outcome_dtype(size))
    estimate[0]["weights"] = phase_weights(np.arange(size * size + 1), size * size) @ chosen.T
    return estimate


@compiled
def _area_margin(estimate, area, komi):
    own, other = estimate.found.values[AREA + area], estimate.found.values[OTHER + AREA + area]
    return own - other - komi


@compiled
def _is_settled(estimate, points):
    """Tell whether the first and the last estimate of the area are equal and leave no point to nobody."""
    values = estimate.found.values
    own, other = values[AREA], values[OTHER + AREA]
    last = NUM_AREAS - 1
    return own + other == points and own == values[AREA + last] and other == values[OTHER + AREA + last]


@compiled
def _weigh_margins(estimate, row, komi, is_settled):
    """Return what the margins add to the scores of a win and of a draw; `komi` is what the player to move pays.

    `row` is that of `estimate.weights`.
    """
    win, draw = np.float32(0.0), np.float32(0.0)
    index = np.int64(0)
    for place in range(NUM_AREAS + np.int64(is_settled)):
        margin = _area_margin(estimate, min(place, NUM_AREAS - 1), komi)
        for bound in BOUNDS:
            part = max(min(margin / np.float32(bound), np.float32(1.0)), np.float32(-1.0))
            win += part * estimate.weights[row, _AHEAD + index]
            draw += abs(part) * estimate.weights[row, _APART + index]
            index += 1
    return win, draw


@compiled
def estimate_outcome(board, komi, estimate):
    """Write the probabilities of a win, a draw and a loss for the player to move to `estimate`; see `new_estimate`.

    `komi` is White's, in points. A draw has probability 0 where komi is no whole number.
    """
    find_outcome_features(board, estimate.found)
    own_komi = np.float32(komi) if board.to_play == BLACK else -np.float32(komi)
    row = np.int64(board.num_empty)
    score = own_komi * estimate.weights[row, _KOMI]
    for index in range(len(FEATURES)):
        score += estimate.found.values[index] * estimate.weights[row, index]
    points = board.empty_points.shape[0]
    is_settled = _is_settled(estimate, points)
    win, draw = _weigh_margins(estimate, row, own_komi, is_settled)
    win += score
    loss = -win
    whole = np.int64(np.floor(komi))
    can_draw = whole == komi
    draw += estimate.weights[row, _DRAW]
    if (whole + points) % 2 != 0:
        draw += estimate.weights[row, _DRAW + 1]
    if is_settled:
        draw += estimate.weights[row, _DRAW + 2]
    highest = max(win, loss)
    if can_draw:
        highest = max(highest, draw)
    win = np.exp(win - highest)
    loss = np.exp(loss - highest)
    draw = np.exp(draw - highest) if can_draw else np.float32(0.0)
    total = win + draw + loss
    estimate.win = win / total
    estimate.draw = draw / total
    estimate.loss = loss / total


@compiled
def estimate_outcomes(boards, komi, estimate, outcomes):
    """Estimate all boards of an array; fill `outcomes`, float32 [boards, 3], in the places WIN DRAW LOSS."""
    for index in range(boards.shape[0]):
        estimate_outcome(boards[index], komi, estimate)
        outcomes[index, WIN] = estimate.win
        outcomes[index, DRAW] = estimate.draw
        outcomes[index, LOSS] = estimate.loss
