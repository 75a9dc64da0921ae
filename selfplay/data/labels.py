"""Labels: what a teacher says of positions, rounded for files.

Probabilities are kept in units of 1/65535, ownership in units of 1/127, so that a probability is off by less than
1/130,000, and that of owning a point by less than 1/500.
"""

from typing import NamedTuple

import numpy as np

from miai.selfplay.data.format import GameFile

PROBABILITY_UNITS = 65535
"""What a label's probability of 1 is kept as."""
OWNERSHIP_UNITS = 127
"""What the ownership of a point that is surely one's own is kept as."""


class Opinions(NamedTuple):
    """What a teacher says of positions, for the player to move; float32."""

    policy: np.ndarray
    """Probabilities of all moves [positions, size·size + 1], pass last; 0 for those that are not legal."""
    wdl: np.ndarray
    """Probabilities of win, draw and loss [positions, 3]."""
    score: np.ndarray
    """Expected points, komi included [positions]."""
    ownership: np.ndarray
    """Expected owner at the end [positions, size·size]: 1 own, -1 the opponent's."""


class Labels(NamedTuple):
    """Opinions as files hold them; see `GameFile`."""

    policy: np.ndarray
    wdl: np.ndarray
    score: np.ndarray
    ownership: np.ndarray


def round_opinions(opinions: Opinions) -> Labels:
    """Return opinions as files hold them."""
    return Labels(
        policy=np.round(opinions.policy * PROBABILITY_UNITS).clip(0, PROBABILITY_UNITS).astype(np.uint16),
        wdl=np.round(opinions.wdl * PROBABILITY_UNITS).clip(0, PROBABILITY_UNITS).astype(np.uint16),
        score=opinions.score.astype(np.float32),
        ownership=np.round(opinions.ownership.clip(-1.0, 1.0) * OWNERSHIP_UNITS).astype(np.int8),
    )


def read_labels(file: GameFile, rows: np.ndarray) -> Opinions:
    """Return what the teacher says of rows that have labels.

    Args:
        file: with labels.
        rows: int64 [positions]
    """
    places = file.label[rows]
    policy = file.label_policy[places].astype(np.float32)
    wdl = file.label_wdl[places].astype(np.float32)
    return Opinions(
        policy=policy / policy.sum(axis=1, keepdims=True),
        wdl=wdl / wdl.sum(axis=1, keepdims=True),
        score=file.label_score[places],
        ownership=file.label_ownership[places].astype(np.float32) / OWNERSHIP_UNITS,
    )


def with_labels(file: GameFile, rows: np.ndarray, labels: Labels) -> GameFile:
    """Return a file of the same games in which these rows, and no others, have labels.

    Args:
        rows: int64 [labels], in the order of the labels.
    """
    label = np.full(file.num_rows, -1, dtype=np.int32)
    label[rows] = np.arange(len(rows))
    return file._replace(
        label=label,
        label_policy=labels.policy,
        label_wdl=labels.wdl,
        label_score=labels.score,
        label_ownership=labels.ownership,
    )


def games_of_file(file: GameFile, first: int, last: int) -> GameFile:
    """Return the games from `first` to before `last` of a file, at least one, as a file without labels."""
    games = file.games[first:last].copy()
    begin, end = int(games["first"][0]), int(games["first"][-1] + games["num_moves"][-1])
    rows, entries = slice(begin, end), slice(file.target_first[begin], file.target_first[end])
    games["first"] -= begin
    return GameFile(
        games=games,
        setup=file.setup[first:last],
        ownership=file.ownership[first:last],
        move=file.move[rows],
        color=file.color[rows],
        root_value=file.root_value[rows],
        root_score=file.root_score[rows],
        is_target=file.is_target[rows],
        target_first=file.target_first[begin : end + 1] - file.target_first[begin],
        target_move=file.target_move[entries],
        target_share=file.target_share[entries],
        label=np.full(end - begin, -1, dtype=np.int32),
        label_policy=file.label_policy[:0],
        label_wdl=file.label_wdl[:0],
        label_score=file.label_score[:0],
        label_ownership=file.label_ownership[:0],
    )
