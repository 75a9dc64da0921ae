"""Input planes: against a plain transcription, in turned games, and one by one in diagrams."""

import numpy as np
import pytest

from miai.engine.go.actions import move_of_action
from miai.engine.go.board import board_size, play
from miai.engine.go.diagram import game_from_diagram
from miai.engine.go.game import Game
from miai.engine.go.points import BLACK, EMPTY, NO_MOVE, PASS, WHITE, all_points, move_at, opponent
from miai.engine.go.rules import RULES
from miai.nets.planes import PLANES, num_planes
from miai.nets.recent_positions import NUM_RECENT, clear_recent, push_recent, recent_dtype, recent_of
from tests.board_diagram import boards_from_diagram
from tests.nets.positions import Position, planes_of, positions, random_moves
from tests.nets.symmetric_planes import transform_planes
from tests.playouts.transform import SYMMETRIES, turned


def plane(name: str, position: Position, komi: float = 7.0, has_superko: bool = True) -> np.ndarray:
    return planes_of("miai", position, komi, has_superko)[PLANES["miai"].index(name)]


def points_of(values: np.ndarray) -> list[int]:
    size = len(values)
    return [move_of_action(index, size) for index in np.flatnonzero(values)]


def after(text: str, *vertices: str, to_play: int = BLACK) -> Position:
    """Return the position of a diagram after some moves."""
    boards = boards_from_diagram(text, to_play)
    size = board_size(boards[0])
    recents = np.zeros(1, dtype=recent_dtype(size))
    clear_recent(recents[0], boards[0])
    for vertex in vertices:
        play(boards[0], move_at(vertex, size))
        push_recent(recents[0], boards[0])
    return Position(boards[0], recents[0])


def transcription(kind: str, game: Game) -> np.ndarray:
    """Return the planes of a game by its Python interface."""
    size, own = game.size, game.to_play
    past = [game.copy()]
    while past[-1].moves and len(past) < NUM_RECENT:
        past.append(past[-1].copy())
        past[-1].undo()

    def mark(points: list[int]) -> np.ndarray:
        return np.array([point in points for point in all_points(size)], dtype=np.float32).reshape(size, size)

    def stones(step: Game, color: int) -> np.ndarray:
        return mark([point for point, held in step.stones().items() if held == color])

    planes = []
    if kind == "li-lim":
        for step in past:
            planes += [stones(step, own), stones(step, opponent(own))]
        return np.stack([*planes, *[mark([])] * (2 * (NUM_RECENT - len(past)))])
    liberties = {point: int(game.board["num_liberties"][game.board["head"][point]]) for point in game.stones()}
    planes = [stones(game, own), stones(game, opponent(own))]
    planes += [mark([point for point in liberties if min(3, liberties[point]) == number]) for number in (1, 2, 3)]
    empty = [point for point in all_points(size) if game.color_at(point) == EMPTY]
    planes.append(mark(sorted(set(empty) - set(game.legal_points(own)))))
    last = [move for _, move in reversed(game.moves)][:NUM_RECENT]
    planes += [mark([move] if move != PASS else []) for move in last]
    planes += [mark([])] * (NUM_RECENT - len(last))
    nothing = mark([])
    planes.append(nothing + (last[:1] == [PASS]))
    planes.append(nothing + (game.komi if own == WHITE else -game.komi) / np.float32(15))
    return np.stack([*planes, nothing + 1])


@pytest.mark.parametrize("kind", ["li-lim", "miai"])
@pytest.mark.parametrize("size", [7, 9, 13])
def test_planes_equal_a_plain_transcription(kind: str, size: int) -> None:
    moves = random_moves(size, 3)
    half = len(moves) // 2
    moves[half:half] = [PASS, PASS]  # two, so that the colours of the rest stay
    game = Game(size, komi=5.5, rules=RULES["chinese"])
    for number, position in enumerate(positions(size, moves)):
        planes = planes_of(kind, position, game.komi, has_superko=False)
        assert planes.shape == (num_planes(kind), size, size)
        assert (planes == transcription(kind, game)).all()
        if number < len(moves):
            game.play(game.to_play, moves[number])


@pytest.mark.parametrize("size", [7, 9])
def test_tactics_adds_ladders_and_area_as_katago_sees_them(size: int) -> None:
    added = PLANES["tactics"][num_planes("miai") :]
    seen = np.zeros(len(added))
    for number in range(20):
        for position in positions(size, random_moves(size, number)):
            planes, others = planes_of("tactics", position), planes_of("katago", position)
            assert (planes[: num_planes("miai")] == planes_of("miai", position)).all()
            for index, name in enumerate(added):
                shown = planes[PLANES["tactics"].index(name)]
                assert (shown == others[PLANES["katago"].index(name)]).all()
                seen[index] += shown.sum()
    assert (seen > 0).all()


@pytest.mark.parametrize("kind", PLANES)
@pytest.mark.parametrize("symmetry", SYMMETRIES)
def test_planes_of_a_turned_game_are_turned_planes(kind: str, symmetry: int) -> None:
    moves = random_moves(9, 4)
    turned_moves = [turned(move, symmetry, 9) if move != PASS else PASS for move in moves]
    for position, other in zip(positions(9, moves), positions(9, turned_moves), strict=True):
        assert (transform_planes(planes_of(kind, position), symmetry) == planes_of(kind, other)).all()


_KO = """
    . O X . . . .
    O . O X . . .
    . O X . . . .
    . . . . . . .
    . . . . . . .
    . . . . . . .
    . . . . . . .
"""


def test_komi_counts_for_white() -> None:
    black, white = after(_KO), after(_KO, to_play=WHITE)
    assert (plane("komi for the player to move, in units of 15 points", black, 7.5) == -0.5).all()
    assert (plane("komi for the player to move, in units of 15 points", white, 7.5) == 0.5).all()


def test_a_ko_may_not_be_retaken_and_suicide_is_forbidden() -> None:
    position = after(_KO)
    assert points_of(plane("empty points where the player may not play", position)) == [move_at("A7", 7)]
    position = after(_KO, "B6")
    assert points_of(plane("empty points where the player may not play", position)) == [move_at("C6", 7)]


_SEND_TWO = """
    . X . X . . .
    O O X . . . .
    . . . . . . .
    . . . . . . .
    . . . . . . .
    . . . . . . .
    . . . . . . .
"""


def test_a_repeated_position_is_forbidden_under_superko_only() -> None:
    game = game_from_diagram(_SEND_TWO, BLACK)
    position = after(_SEND_TWO, "A7", "C7")
    game.play(BLACK, move_at("A7", 7))
    game.play(WHITE, move_at("C7", 7))
    assert game.why_illegal(BLACK, move_at("B7", 7)) == "superko"
    forbidden = points_of(plane("empty points where the player may not play", position))
    assert move_at("B7", 7) in forbidden
    forbidden = points_of(plane("empty points where the player may not play", position, has_superko=False))
    assert move_at("B7", 7) not in forbidden


def test_the_recent_positions_of_a_game_are_those_pushed_move_by_move() -> None:
    game = Game(9)
    moves = random_moves(9, 5)[:40]
    for position, move in zip(positions(9, moves), [*moves, NO_MOVE], strict=True):
        recent = recent_of(game)[0]
        for name in ("colors", "moves", "movers", "ko_points", "num_moves", "num_positions"):
            assert (recent[name] == position.recent[name]).all()
        number = int(recent["num_positions"])
        assert (recent["keys"][:number] == position.recent["keys"][:number]).all()
        if move != NO_MOVE:
            game.play(game.to_play, move)
