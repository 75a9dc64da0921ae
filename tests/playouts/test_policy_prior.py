"""Prior knowledge by the playout policy: what each move is worth, and for how many visits."""

import numpy as np
import pytest

from miai.engine.domains.go import GoWorkspace
from miai.engine.go.diagram import game_from_diagram, read_diagram
from miai.engine.go.game import Game
from miai.engine.go.points import BLACK, PASS, WHITE, move_at
from miai.engine.search.backup.mean import mean
from miai.players.evaluators import make_domain
from miai.playouts.policy_prior import mark_distances
from miai.playouts.workspace import new_playout_workspace


def knowledge(policy: str, game: Game, prior: str = "policy", seed: int = 0) -> dict[int, tuple[float, float]]:
    """Return expected result and visits of each candidate."""
    workspace = GoWorkspace(game.size, new_playout_workspace(game.size, seed))
    workspace.load(game, game.to_play)
    domain = make_domain("playouts", policy, mean, prior)
    domain.reset(workspace.record)
    domain.list_candidates(workspace.record)
    number = int(workspace.record["num_candidates"])
    assert workspace.record["candidate_prior"][:number].sum() == pytest.approx(1.0)
    return {
        int(workspace.record["candidate_move"][index]): (
            float(workspace.record["candidate_value"][index]),
            float(workspace.record["candidate_weight"][index]),
        )
        for index in range(number)
    }


def after_last(diagram: str) -> tuple[Game, dict[str, list[int]]]:
    """Return a game in which White has just played on `l`, and the marks; Black is to play."""
    marks = read_diagram(diagram).marks
    game = game_from_diagram(diagram.replace("l", "."), WHITE)
    game.play(WHITE, marks["l"][0])
    return game, marks


def mixed(value: float, near: float, weight: float = 9.0) -> tuple[float, float]:
    """Return value and visits with the four for the distance from the last move."""
    return pytest.approx((value * weight + near * 4.0) / (weight + 4.0)), weight + 4.0


DEFENCE = """
. . . . .
. O X . .
O X a d .
. l b . .
. . . c .
"""
"""Black's stone is in atari; a saves it."""


def test_what_the_deciding_layer_proposes_is_best() -> None:
    game, marks = after_last(DEFENCE)
    found = knowledge("fuego", game)
    assert found[marks["a"][0]] == mixed(1.0, 0.6)
    assert found[PASS] == mixed(0.1, 0.1)
    assert found[move_at("E5", 5)] == mixed(0.4, 0.1)


def test_a_policy_without_the_layer_does_not_know_its_moves() -> None:
    game, marks = after_last(DEFENCE)
    with_layer, without = (knowledge(name, game)[marks["a"][0]] for name in ("only_ad", "only_cap"))
    assert with_layer == mixed(1.0, 0.6)
    assert without[0] < with_layer[0]


def test_where_only_random_decides_ataris_count_for_less() -> None:
    game = game_from_diagram(". . . . . / . X O . . / . . a . . / . . . . . / . . . . .".replace(" / ", "\n"), BLACK)
    game.set_up({move_at("B4", 5): BLACK, move_at("C4", 5): WHITE, move_at("C5", 5): BLACK}, BLACK)
    found = knowledge("random", game)
    assert found[move_at("C3", 5)] == (1.0, 3.0) and found[move_at("E1", 5)] == (0.5, 3.0)
    assert found[PASS] == (pytest.approx(0.1), 9.0)


def test_where_nothing_is_known_nothing_is_said() -> None:
    found = knowledge("random", Game(5))
    assert found[move_at("C3", 5)] == (0.5, 0.0) and found[PASS] == (pytest.approx(0.1), 9.0)


def test_a_self_atari_is_bad_unless_it_takes() -> None:
    game = Game(5)
    game.set_up({move_at("A2", 5): WHITE, move_at("B2", 5): WHITE, move_at("C1", 5): WHITE}, BLACK)
    assert knowledge("random", game)[move_at("B1", 5)] == (pytest.approx(0.1), 9.0)


def test_blocks_are_one_step_of_the_distance() -> None:
    game = Game(9)
    for vertex in ("C3", "E5", "C4", "E6", "C5", "E7"):
        game.play(game.to_play, vertex)
    game.play(BLACK, "C6")
    workspace = new_playout_workspace(9)[0]
    mark_distances(game.board, workspace)
    steps = {vertex: int(workspace["layers_at"][move_at(vertex, 9)]) - 1 for vertex in ("C3", "B3", "D5", "A3", "E5")}
    assert steps == {"C3": 0, "B3": 1, "D5": 1, "A3": 2, "E5": 2}
    assert workspace["layers_at"][move_at("F7", 9)] == 4 and workspace["layers_at"][move_at("J1", 9)] == 0
    assert np.count_nonzero(workspace["layers_at"]) < 81
