"""Go as a domain: which moves are searched, how a game is counted, and what a simulation leaves behind."""

import numpy as np
import pytest

from miai.engine.domains.go import GoWorkspace, go_functions, mean_ownership
from miai.engine.go.benson import pointless_points
from miai.engine.go.diagram import game_from_diagram, read_diagram
from miai.engine.go.game import Game
from miai.engine.go.history import num_keys
from miai.engine.go.points import BLACK, PASS, WHITE, move_at
from miai.engine.go.rules import RULES
from miai.engine.jit import compiled
from miai.engine.search.backup.mean import mean
from miai.engine.search.search import Budget, Parts, Search
from miai.engine.search.selection.rave import rave
from miai.engine.search.tree import Tree
from miai.playouts.evaluator import make_evaluator
from miai.playouts.workspace import new_playout_workspace


@compiled
def set_even_priors(workspace):
    """Know nothing of any move."""
    for index in range(workspace.num_candidates):
        workspace.candidate_prior[index] = 1.0 / workspace.num_candidates
        workspace.candidate_value[index] = 0.5
        workspace.candidate_weight[index] = 1.0


DOMAIN = go_functions(set_even_priors, make_evaluator("fuego"))
SIZE = 7


def loaded(game: Game, color: int, avoided: np.ndarray | None = None) -> GoWorkspace:
    workspace = GoWorkspace(game.size, new_playout_workspace(game.size, 1))
    workspace.load(game, color, avoided)
    DOMAIN.reset(workspace.record)
    return workspace


def candidates(workspace: GoWorkspace) -> list[int]:
    DOMAIN.list_candidates(workspace.record)
    return workspace.record["candidate_move"][: workspace.record["num_candidates"]].tolist()


def play_in_tree(workspace: GoWorkspace, *moves: int) -> None:
    tree = Tree(2)
    for move in moves:
        tree["move"][1] = move
        DOMAIN.play(workspace.record, tree.record, 1)


EYES_AND_SUICIDE = """
    . X a X b O .
    X X X X O O O
    . . X X O . .
    . X c X O . O
    . . X X O O .
    O X . . . . .
    d O . . . . .
"""


def test_own_eyes_are_left_out_and_so_is_suicide() -> None:
    marks = read_diagram(EYES_AND_SUICIDE).marks
    game = game_from_diagram(EYES_AND_SUICIDE, BLACK)
    black, white = set(candidates(loaded(game, BLACK))), set(candidates(loaded(game, WHITE)))
    for eye in marks["a"] + marks["c"]:  # Black's; suicide for White
        assert eye not in black | white
    assert marks["b"][0] in black & white  # nobody's eye
    assert marks["d"][0] not in black and marks["d"][0] in white  # suicide; White's, but a false eye
    assert PASS in black & white


def test_every_other_legal_move_is_a_candidate_in_random_games() -> None:
    rng = np.random.default_rng(1)
    for rules in ("tromp-taylor", "chinese"):
        game = Game(SIZE, 7.0, RULES[rules])
        for _ in range(120):
            color = game.to_play
            found = candidates(loaded(game, color))
            legal = game.legal_points(color)
            assert found[-1] == PASS and len(set(found)) == len(found)
            assert set(found[:-1]) <= set(legal)
            for point in set(legal) - set(found):  # nothing is left out but own eyes
                for offset in (-1, 1, -SIZE - 1, SIZE + 1):
                    assert game.board["color"][point + offset] in (color, 3)
            game.play(color, int(rng.choice(found[:-1])) if len(found) > 1 else PASS)


KO = """
    . . . . . . .
    . . . . . . .
    . . X O . . .
    . X O a O . .
    . . X O . . .
    . . . . . . .
    . . . . . . .
"""


@pytest.mark.parametrize("rules", ["tromp-taylor", "chinese"])
def test_a_ko_may_not_be_retaken_at_once_nor_in_the_tree(rules: str) -> None:
    game = game_from_diagram(KO, BLACK, rules=RULES[rules])
    taking = read_diagram(KO).marked()
    taken = move_at("C4", SIZE)
    workspace = loaded(game, BLACK)
    assert taking in candidates(workspace)
    play_in_tree(workspace, taking)
    assert taken not in candidates(workspace)
    play_in_tree(workspace, move_at("A1", SIZE), move_at("G1", SIZE))
    assert taken in candidates(workspace)  # after a threat
    game.play(BLACK, taking)
    assert taken not in candidates(loaded(game, WHITE))
    assert taken != PASS and game.why_illegal(WHITE, taken) == "ko"


def test_a_ko_that_the_opponent_leaves_open_may_be_filled_if_the_other_color_is_asked() -> None:
    game = game_from_diagram(KO, BLACK)
    game.play(BLACK, read_diagram(KO).marked())
    # out of turn the ko is no hindrance
    assert move_at("C4", SIZE) in candidates(loaded(game, BLACK))


SENDING_TWO_RETURNING_ONE = """
    a X c X . . .
    O O X . . . .
    . . . . . . .
    . . . . . . .
    . . . . . . .
    . . . . . . .
    . . . . . . .
"""
"""Black makes two stones with A7, White takes both with C7, and B7 would take that back and repeat the position."""
A7, B7, C7 = (move_at(vertex, SIZE) for vertex in ("A7", "B7", "C7"))


@pytest.mark.parametrize(("rules", "is_allowed"), [("tromp-taylor", False), ("chinese", True)])
def test_superko_looks_at_positions_of_the_game_and_of_the_path(rules: str, is_allowed: bool) -> None:
    game = game_from_diagram(SENDING_TWO_RETURNING_ONE, BLACK, rules=RULES[rules])
    workspace = loaded(game, BLACK)
    play_in_tree(workspace, A7, C7)
    assert (B7 in candidates(workspace)) == is_allowed  # the position at the root comes again
    game.play(BLACK, A7)
    game.play(WHITE, C7)
    assert (B7 in candidates(loaded(game, BLACK))) == is_allowed == game.is_legal(BLACK, B7)


@pytest.mark.parametrize(("rules", "is_allowed"), [("tromp-taylor", False), ("chinese", True)])
def test_superko_looks_at_positions_of_the_path_alone(rules: str, is_allowed: bool) -> None:
    before = SENDING_TWO_RETURNING_ONE.replace("a X c", "a . c")
    workspace = loaded(game_from_diagram(before, BLACK, rules=RULES[rules]), BLACK)
    play_in_tree(workspace, B7, move_at("G1", SIZE))  # the position that would come again
    play_in_tree(workspace, A7, C7)
    assert (B7 in candidates(workspace)) == is_allowed


def test_a_position_that_never_was_is_no_superko() -> None:
    after = SENDING_TWO_RETURNING_ONE.replace("a X c", ". . O")
    assert B7 in candidates(loaded(game_from_diagram(after, BLACK), BLACK))
    workspace = loaded(game_from_diagram(SENDING_TWO_RETURNING_ONE, BLACK), BLACK)
    play_in_tree(workspace, move_at("G1", SIZE), PASS, A7, C7)  # the same with another stone, which comes again
    assert B7 not in candidates(workspace)
    DOMAIN.undo(workspace.record)
    DOMAIN.reset(workspace.record)
    play_in_tree(workspace, A7, C7, move_at("G1", SIZE), PASS)
    assert B7 in candidates(workspace)  # that stone was not there then


def test_a_finished_simulation_leaves_the_games_positions_and_no_others() -> None:
    game = game_from_diagram(SENDING_TWO_RETURNING_ONE, BLACK)
    for move in (A7, C7, move_at("D4", SIZE), PASS):
        game.play(game.to_play, move)
    workspace = loaded(game, BLACK)
    table = workspace._histories[0][0].copy()
    search = Search(Parts(DOMAIN, rave, mean), [workspace], 1 << 20)
    for simulations in (1, 2, 300):
        search.run(Budget(simulations), early_stop=False)
        assert num_keys(workspace._histories[0]) == num_keys(game.history) == 5
        np.testing.assert_array_equal(workspace._histories[0][0], table)
    assert workspace.record["root"]["key"] == game.board["key"] != workspace.record["board"]["key"]


SETTLED = """
    . X . X X O O
    X X X X X O .
    X X X X X O O
    X X X X X O O
    X X X X X O O
    X X X X X O .
    . X X X X O O
"""


def test_settled_points_are_no_candidates() -> None:
    text = """
        . . X O . . .
        . . X O . . .
        X X X O O O O
        O O O . . . .
        . . . . . . .
        . . . . . . .
        . . . . . . .
    """.replace(". . X O . . .", ". X X O . . .", 1)
    game = game_from_diagram(text.replace(". . X O", "X . X O"), BLACK)
    avoided = pointless_points(game.board)
    eyes = {move_at(vertex, SIZE) for vertex in ("A7", "B6")}
    assert {int(point) for point in np.flatnonzero(avoided)} == eyes
    everything = set(candidates(loaded(game, WHITE))) | set(candidates(loaded(game, BLACK)))
    chosen = np.zeros_like(avoided)
    chosen[[move_at("D4", SIZE), move_at("G1", SIZE)]] = 1
    left = {move_at("D4", SIZE), move_at("G1", SIZE)}
    assert left <= everything
    for color in (BLACK, WHITE):
        assert set(candidates(loaded(game, color, chosen))) == set(candidates(loaded(game, color))) - left
        assert set(candidates(loaded(game, color, avoided))).isdisjoint(eyes)
        workspace = loaded(game, color, chosen)
        play_in_tree(workspace, move_at("D4", SIZE))
        assert move_at("G1", SIZE) in candidates(workspace), "a stone thrown in may have to be taken"


def test_a_settled_board_leaves_only_the_pass() -> None:
    game = game_from_diagram(SETTLED, BLACK)
    for color in (BLACK, WHITE):
        assert candidates(loaded(game, color, pointless_points(game.board))) == [PASS]


BLACK_BY_SEVEN = """
    . X X X O O .
    X X X X O O O
    X X X X O O O
    X X X X O O O
    X X X X O O O
    X X X X O O O
    . X X X O O .
"""


@pytest.mark.parametrize(("komi", "black_gets"), [(6.5, 1.0), (7.0, 0.5), (7.5, 0.0), (-3.0, 1.0), (20.0, 0.0)])
@pytest.mark.parametrize("color", [BLACK, WHITE])
def test_results_are_the_players_and_a_draw_is_worth_half(komi: float, black_gets: float, color: int) -> None:
    workspace = loaded(game_from_diagram(BLACK_BY_SEVEN, color, komi), color)
    expected = black_gets if color == BLACK else 1.0 - black_gets
    margin = 7.0 - komi if color == BLACK else komi - 7.0
    for value_of in (DOMAIN.result, DOMAIN.evaluate):
        workspace.record["score"] = 99.0
        assert value_of(workspace.record) == expected
        assert workspace.record["score"] == margin
    owners = game_from_diagram(BLACK_BY_SEVEN).area()
    np.testing.assert_array_equal(mean_ownership([workspace]), owners)


def test_an_odd_number_of_moves_in_the_tree_turns_the_result() -> None:
    workspace = loaded(game_from_diagram(BLACK_BY_SEVEN, BLACK, 6.5), BLACK)
    play_in_tree(workspace, PASS)
    assert not DOMAIN.is_over(workspace.record)
    assert DOMAIN.evaluate(workspace.record) == 0.0 and workspace.record["score"] == -0.5
    DOMAIN.reset(workspace.record)
    play_in_tree(workspace, PASS, PASS)
    assert DOMAIN.is_over(workspace.record) and DOMAIN.result(workspace.record) == 1.0


def test_no_stone_is_taken_for_dead() -> None:
    text = BLACK_BY_SEVEN.replace("X X X X O O O", "X . . . O O O").replace("X X X X O O O", "X . . . O O O")
    game = game_from_diagram(text, BLACK, 0.0)
    game.play(WHITE, move_at("B4", SIZE))  # hopeless
    workspace = loaded(game, BLACK)
    assert DOMAIN.result(workspace.record) == float(game.score() > 0)
    assert workspace.record["score"] == game.score()


def test_a_playouts_moves_follow_the_tree_in_the_trace() -> None:
    workspace = loaded(Game(SIZE), BLACK)
    record = workspace.record
    record["trace"][0] = move_at("D4", SIZE)
    play_in_tree(workspace, move_at("D4", SIZE))
    record["trace_length"] = 1
    DOMAIN.evaluate(record)
    length = int(record["trace_length"])
    game = Game(SIZE)
    for move in record["trace"][:length].tolist():
        game.play(game.to_play, move)
    assert length > 30 and game.is_over
    assert game.score() == pytest.approx(-float(record["score"]))  # White is to move after one move in the tree


def test_the_root_may_be_anybodys_turn_and_comes_after_two_passes_too() -> None:
    game = Game(SIZE)
    for color in (BLACK, WHITE):
        assert loaded(game, color).record["board"]["to_play"] == color
    game.play(BLACK, PASS)
    assert loaded(game, WHITE).record["board"]["num_passes"] == 1
    game.play(WHITE, PASS)
    workspace = loaded(game, BLACK)
    assert game.is_over and not DOMAIN.is_over(workspace.record)  # somebody asks for a move all the same
    assert len(candidates(workspace)) == SIZE * SIZE + 1


def test_a_new_root_forgets_what_was_owned() -> None:
    workspace = loaded(Game(SIZE), BLACK)
    for _ in range(5):
        DOMAIN.reset(workspace.record)
        DOMAIN.evaluate(workspace.record)
    assert workspace.record["num_evaluations"] == 5 and workspace.record["ownership"].any()
    workspace.load(Game(SIZE), WHITE)
    assert workspace.record["num_evaluations"] == 0 and not mean_ownership([workspace]).any()
