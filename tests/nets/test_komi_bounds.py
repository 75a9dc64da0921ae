"""Networks and komi that they never saw."""

import dataclasses

import numpy as np
import pytest

pytest.importorskip("torch")

from miai.engine.go.game import Game
from miai.nets.inference import make_backend
from miai.nets.inference.backend import Outputs
from miai.nets.loading import load_net
from miai.nets.net_files import komi_of, net_file
from miai.nets.planes import make_write_planes, num_planes
from miai.nets.recent_positions import recent_of
from tests.nets.tiny import TINY_LI_LIM, tiny_net

LIMITED = dataclasses.replace(tiny_net(), summary={"komi": [3.0, 11.0]})


def _planes(komi: float, *vertices: str) -> np.ndarray:
    game = Game(9, komi)
    for vertex in vertices:
        game.play(game.to_play, vertex)
    planes = np.zeros((1, num_planes("miai"), 9, 9), dtype=np.float32)
    make_write_planes("miai")(game.board, recent_of(game)[0], game.komi, True, planes[0])
    return planes


def _evaluate(planes: np.ndarray, net=LIMITED) -> Outputs:
    return make_backend(net, "torch", "cpu").evaluate(planes)


@pytest.mark.parametrize("komi", [-11.0, -3.0, 0.0, 7.0, 11.0])
def test_within_the_komi_that_it_knows_nothing_changes(komi: float) -> None:
    for output, known in zip(_evaluate(_planes(komi, "E5")), _evaluate(_planes(komi, "E5"), tiny_net()), strict=True):
        assert np.array_equal(output, known)


@pytest.mark.parametrize(("vertices", "sign"), [((), -1), (("E5",), 1)])
@pytest.mark.parametrize(("komi", "nearest"), [(21.0, 11.0), (-15.0, -11.0), (1000.0, 11.0)])
def test_beyond_it_the_score_moves_point_by_point_and_the_odds_with_it(
    komi: float, nearest: float, vertices: tuple[str, ...], sign: int
) -> None:
    output, known = _evaluate(_planes(komi, *vertices)), _evaluate(_planes(nearest, *vertices), tiny_net())
    points = sign * (komi - nearest)
    assert np.array_equal(output.policy, known.policy) and np.array_equal(output.ownership, known.ownership)
    assert output.score[0] == pytest.approx(known.score[0] + points, abs=1e-3)
    assert output.wdl.sum() == pytest.approx(1.0, abs=1e-5) and (output.wdl >= 0.0).all()
    if abs(points) < 100:
        odds = np.log(output.wdl[0, 0] / output.wdl[0, 2]) - np.log(known.wdl[0, 0] / known.wdl[0, 2])
        assert odds == pytest.approx(0.5 * points, abs=1e-3)
    else:
        assert output.wdl[0, 0 if points > 0 else 2] == pytest.approx(1.0)


def test_each_position_of_a_batch_is_bounded_for_itself() -> None:
    alone = [_evaluate(_planes(komi)) for komi in (7.0, 30.0)]
    together = _evaluate(np.concatenate([_planes(7.0), _planes(30.0)]))
    for row, output in enumerate(alone):
        assert np.allclose(together.wdl[row], output.wdl[0], atol=1e-6)
        assert together.score[row] == pytest.approx(output.score[0], abs=1e-4)


@pytest.mark.parametrize("name", ["miai", "miai-zero"])
def test_the_more_komi_a_shipped_network_is_against_the_less_it_expects(name: str) -> None:
    backend = make_backend(load_net(net_file(name)))
    kind = load_net(net_file(name)).config.planes
    wins, scores = [], []
    for komi in (0.0, 7.0, 14.0, 20.0, 40.0, 80.0):
        game = Game(9, komi)
        planes = np.zeros((1, num_planes(kind), 9, 9), dtype=np.float32)
        make_write_planes(kind)(game.board, recent_of(game)[0], game.komi, True, planes[0])
        outputs = backend.evaluate(planes)
        wins.append(outputs.wdl[0, 0])
        scores.append(outputs.score[0])
    assert wins == sorted(wins, reverse=True) and scores == sorted(scores, reverse=True)
    assert wins[-1] < 0.001 and scores[-1] < -60.0


@pytest.mark.parametrize("komi", [None, 7.0, [3.0], [3.0, "11"], [0.0, float("inf")], {"low": 3.0}])
def test_a_summary_without_a_range_of_komi_sets_no_bound(komi) -> None:
    assert komi_of({"komi": komi}) is None
    assert dataclasses.replace(tiny_net(), summary={"komi": komi}).highest_komi is None


def test_a_network_that_does_not_see_the_komi_has_no_bound() -> None:
    assert dataclasses.replace(tiny_net(TINY_LI_LIM), summary={"komi": [6.0, 8.0]}).highest_komi is None
    assert LIMITED.highest_komi == 11.0
    assert dataclasses.replace(LIMITED, summary={"komi": [-20.0, 8.0]}).highest_komi == 20.0
