"""Chances after each candidate move, by playouts and statically; and priors by urgency."""

import numpy as np
import pytest

from miai.engine.domains.go import GoWorkspace
from miai.engine.go.game import Game
from miai.engine.go.points import BLACK, PASS, WHITE, move_at
from miai.engine.search.backup.wdl import wdl_product
from miai.players.evaluators import make_domain, make_evaluator_workspace
from miai.playouts.crazystone import extra_urgency
from miai.playouts.outcome import new_estimate
from miai.playouts.playout import run_playouts
from tests.playouts.outcome import find_outcome

SIZE, KOMI = 5, 3.0


def opening(*vertices: str, passes: int = 0) -> Game:
    game = Game(SIZE, KOMI)
    for vertex in vertices:
        game.play(game.to_play, move_at(vertex, SIZE))
    for _ in range(passes):
        game.play(game.to_play, PASS)
    return game


def listed(game: Game, evaluator: str, playouts: int = 1, shared: float = 0.0) -> dict[int, tuple[float, float]]:
    """Return win and loss of each candidate move for who makes it."""
    workspace = GoWorkspace(SIZE, make_evaluator_workspace(evaluator, SIZE))
    workspace.record["evaluator"]["stream"] = [5, 7]
    workspace.load(game, game.to_play)
    record = workspace.record
    record["playouts_a_child"], record["sibling_weight"] = playouts, shared
    domain = make_domain(evaluator, "fuego", wdl_product)
    domain.reset(record)
    domain.list_candidates(record)
    domain.list_outcomes(record)
    rows = range(int(record["num_candidates"]))
    return {
        int(record["candidate_move"][row]): (float(record["candidate_win"][row]), float(record["candidate_loss"][row]))
        for row in rows
    }


def test_playouts_after_each_move_give_its_frequencies() -> None:
    game = opening("C3", "C2", "D2")
    found = listed(game, "playouts", playouts=4000)
    for move in [move_at("D3", SIZE), move_at("A5", SIZE), PASS]:
        after = game.copy()
        after.play(WHITE, move)
        slow = run_playouts(after.board, "fuego", 4000, KOMI, seed=9)
        wins = 1.0 - slow.black_wins - slow.draws
        assert found[move] == pytest.approx((wins, slow.black_wins), abs=5 * np.sqrt(0.5 / 4000))


def test_shared_playouts_draw_every_move_to_the_average() -> None:
    game = opening("C3", "C2")
    plain, shared = listed(game, "playouts", 8), listed(game, "playouts", 8, shared=24.0)
    average = np.mean(list(plain.values()), axis=0)
    for move, chances in plain.items():
        assert shared[move] == pytest.approx((np.array(chances) * 8 + average * 24) / 32, abs=1e-6)


@pytest.mark.parametrize("evaluator", ["playouts", "static"])
@pytest.mark.parametrize(("stones", "komi", "expected"), [(1, 3.0, (1, 0)), (1, 25.0, (0, 0)), (0, 3.0, (0, 1))])
def test_a_pass_that_ends_the_game_is_certain(
    evaluator: str, stones: int, komi: float, expected: tuple[float, float]
) -> None:
    game = opening(*(["C3"] * stones), passes=2 - stones if stones else 1)
    game.komi = komi
    color = game.to_play
    win, loss = listed(game, evaluator, playouts=3, shared=6.0)[PASS]
    assert (win, loss) == (expected if color == BLACK else expected[::-1])


def test_static_chances_are_those_of_the_regression_for_the_other_player() -> None:
    game = opening("C3", "C2", "D2", "B3")
    estimate = new_estimate(SIZE)
    for move, (win, loss) in listed(game, "static").items():
        after = game.copy()
        after.play(BLACK, move)
        outcome = find_outcome(after.board, KOMI, estimate)
        assert (win, loss) == pytest.approx((outcome.loss, outcome.win), abs=1e-6)


def test_a_static_evaluation_is_the_expected_result() -> None:
    game = opening("C3", "C2", "D2")
    workspace = GoWorkspace(SIZE, make_evaluator_workspace("static", SIZE))
    workspace.load(game, WHITE)
    domain = make_domain("static", "fuego", wdl_product)
    domain.reset(workspace.record)
    outcome = find_outcome(game.board, KOMI, new_estimate(SIZE))
    assert domain.evaluate(workspace.record) == pytest.approx(outcome.win + outcome.draw / 2, abs=1e-6)


def test_priors_of_crazy_stones_playouts_are_their_urgencies() -> None:
    game = opening("C3", "C2", "B2", "A5", "D2")  # White's stone in the middle is in atari
    workspace = GoWorkspace(SIZE, make_evaluator_workspace("playouts", SIZE))
    workspace.load(game, WHITE)
    domain = make_domain("playouts", "crazystone", wdl_product)
    domain.reset(workspace.record)
    domain.list_candidates(workspace.record)
    rows = range(int(workspace.record["num_candidates"]))
    moves = [int(workspace.record["candidate_move"][row]) for row in rows]
    priors = workspace.record["candidate_prior"][: len(rows)]
    urgencies = np.array([1e-3 if move == PASS else 1.0 + extra_urgency(game.board, move, WHITE) for move in moves])
    assert urgencies.max() >= 1000
    np.testing.assert_allclose(priors, urgencies / urgencies.sum(), rtol=1e-5)
