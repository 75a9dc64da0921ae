"""A policy's exact distribution, and the moves it draws, on positions of many games."""

import numpy as np
import pytest

from miai.engine.go.board import new_board, play
from miai.engine.jit import Compiled, compiled
from miai.playouts.distribution import distribution, propose
from miai.playouts.layer_order import POLICIES
from miai.playouts.policy import make_policy
from miai.playouts.workspace import new_playout_workspace

_SIZE = 9
_DRAWS = 1500


def _sampler(choose: Compiled) -> Compiled:
    @compiled
    def sample(source, workspace, playout_workspace, counts, number):
        for _ in range(number):
            workspace[0] = source
            counts[choose(workspace[0], playout_workspace)] += 1

    return sample


def _positions(name: str) -> list[np.ndarray]:
    """Return every fifth position of four games that the policy plays with itself."""
    choose = make_policy(name).choose
    playout_workspace = new_playout_workspace(_SIZE, 17)
    found = []
    for _ in range(4):
        board = new_board(_SIZE)
        for number in range(3 * _SIZE * _SIZE):
            if board[0]["num_passes"] == 2:
                break
            if number % 5 == 0:
                found.append(board.copy())
            play(board[0], choose(board[0], playout_workspace[0]))
    return found


@pytest.mark.parametrize("name", POLICIES)
def test_moves_are_drawn_with_the_probabilities_of_the_distribution(name: str) -> None:
    policy = make_policy(name)
    sample = _sampler(policy.choose)
    playout_workspace = new_playout_workspace(_SIZE, 99)
    total, freedom, num_layers = 0.0, 0, set()
    for board in _positions(name):
        before = board.tobytes()
        expected = distribution(policy, board[0])
        assert board.tobytes() == before
        assert expected.sum() == pytest.approx(1.0)
        num_layers.add(propose(policy, board[0]).layer)
        counts = np.zeros(len(expected), dtype=np.int64)
        sample(board[0], board.copy(), playout_workspace[0], counts, _DRAWS)
        assert (counts[expected == 0] == 0).all(), "a move was drawn that the distribution excludes"
        likely = expected * _DRAWS >= 5
        rest, rest_expected = counts[~likely].sum(), expected[~likely].sum() * _DRAWS
        total += float(((counts[likely] - expected[likely] * _DRAWS) ** 2 / (expected[likely] * _DRAWS)).sum())
        freedom += int(likely.sum()) - 1
        if rest_expected >= 5:
            total += float((rest - rest_expected) ** 2 / rest_expected)
            freedom += 1
    # chi-square with many degrees of freedom is nearly normal: mean `freedom`, variance twice that
    assert abs(total - freedom) < 4.5 * np.sqrt(2 * max(freedom, 1)), (total, freedom)
    assert num_layers >= set(policy.layers[-1:])
