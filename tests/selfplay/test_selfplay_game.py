"""A game as a state machine, on searches that a test makes up."""

import dataclasses
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from miai.engine.go.actions import action_of_move
from miai.engine.go.diagram import game_from_diagram
from miai.engine.go.game import Game
from miai.engine.go.points import BLACK, PASS, WHITE, move_at, vertex_of
from miai.engine.search.root import RootStatistics
from miai.selfplay.data.format import DataError, write_games
from miai.selfplay.data.game_record import GameRecord
from miai.selfplay.data.settled_area import settled_area
from miai.selfplay.data.sgf import game_of_record
from miai.selfplay.generation.game import SelfPlayGame, game_seed
from miai.selfplay.generation.selfplay_recipe import SelfPlayRecipe
from tests.selfplay.games_for_tests import random_game, record_of

PLAIN = SelfPlayRecipe(
    size=5, opening_moves=0.0, komi=7.0, komi_range=(7.0, 7.0), full_search_fraction=1.0, simulations=20
)


def found(game: Game, policy: dict[str, float], value: float = 0.5, score: float = 0.0) -> RootStatistics:
    """Return what a search would have found that spread its visits so; all legal moves have the same prior."""
    moves = [*game.legal_points(game.to_play), PASS]
    by_move = {move_at(vertex, game.size): probability for vertex, probability in policy.items()}
    return RootStatistics(
        np.array(moves, dtype=np.int16),
        np.array([by_move.get(move, 0.0) for move in moves]),
        np.full(len(moves), 1 / len(moves)),
        value,
        score,
        20,
    )


def play_out(recipe: SelfPlayRecipe, number: int, search: Callable[[SelfPlayGame], RootStatistics]) -> SelfPlayGame:
    playing = SelfPlayGame(recipe, number)
    while playing.request is not None:
        playing.take(search(playing))
    return playing


def first_legal(playing: SelfPlayGame) -> RootStatistics:
    """Search that plays the first legal point for six moves, then passes."""
    points = playing.game.legal_points(playing.game.to_play)
    move = vertex_of(points[0], 5) if len(playing.game.moves) < 6 else "pass"
    return found(playing.game, {move: 1.0}, value=0.75, score=3.0)


def test_a_game_remembers_what_was_found() -> None:
    record = play_out(PLAIN, 0, first_legal).record()
    assert record.moves == [0, 1, 2, 3, 4, 5, 25, 25]
    assert record.colors == [BLACK, WHITE] * 4
    assert record.root_values == [0.75] * 8 and record.root_scores == [3.0] * 8
    assert all(target is not None and target.probabilities.tolist() == [1.0] for target in record.targets)
    assert record.is_scored and record.komi == 7.0 and record.has_superko
    assert record.score == -9.0 and record.result == 0.0
    assert record.ownership is not None and record.ownership.sum() == -2  # White took the stone in the corner


def test_targets_are_the_shares_before_the_temperature() -> None:
    recipe = SelfPlayRecipe(**vars(PLAIN) | {"temperatures": (0.01, 0.01)})
    playing = SelfPlayGame(recipe, 0)
    playing.take(found(playing.game, {"C3": 0.5, "B2": 0.3, "pass": 0.2}))
    target = playing.record().targets[0]
    assert target is not None
    assert dict(zip(target.moves.tolist(), target.probabilities.tolist(), strict=True)) == pytest.approx(
        {16: 0.3, 12: 0.5, 25: 0.2}
    )
    assert playing.game.moves == [(BLACK, move_at("C3", 5))]


def test_moves_are_drawn_by_the_temperature_which_falls() -> None:
    assert [round(PLAIN.temperature(number), 3) for number in (0, 5, 10, 500)] == [1.0, 0.625, 0.438, 0.25]
    counts = {"B2": 0, "C3": 0}
    for number in range(400):
        playing = SelfPlayGame(PLAIN, number)
        playing.take(found(playing.game, {"C3": 0.6, "B2": 0.3, "pass": 0.1}))
        counts[vertex_of(playing.game.moves[0][1], 5)] += 1
    assert 230 <= counts["C3"] <= 305  # two thirds of 400: a pass is not drawn unless it is best


def test_only_full_searches_make_targets_and_their_share_is_right() -> None:
    recipe = SelfPlayRecipe(**vars(PLAIN) | {"full_search_fraction": 0.25, "fast_simulations": 4})
    num_full = num_moves = 0
    for number in range(50):
        requests = []

        def search(playing: SelfPlayGame, requests: list = requests) -> RootStatistics:
            requests.append(playing.request)
            return first_legal(playing)

        record = play_out(recipe, number, search).record()
        assert [target is not None for target in record.targets] == [request.is_full for request in requests]
        assert {request.simulations for request in requests} <= {20, 4}
        num_full += sum(request.is_full for request in requests)
        num_moves += len(requests)
    assert 0.18 < num_full / num_moves < 0.32


def test_a_player_resigns_when_it_was_hopeless_twice_and_only_where_it_may() -> None:
    def search(playing: SelfPlayGame) -> RootStatistics:
        to_play = playing.game.to_play
        hopeless = to_play == WHITE and len(playing.game.moves) >= 3
        return first_legal(playing)._replace(value=0.01 if hopeless else 0.5)

    may = SelfPlayRecipe(**vars(PLAIN) | {"resign_fraction": 1.0})
    record = play_out(may, 0, search).record()
    assert len(record.moves) == 5 and record.result == 1.0
    assert not record.is_scored and np.isnan(record.score) and record.ownership is None
    may_not = SelfPlayRecipe(**vars(PLAIN) | {"resign_fraction": 0.0})
    assert play_out(may_not, 0, search).record().is_scored


def test_the_opening_is_drawn_from_the_priors_without_a_search() -> None:
    recipe = SelfPlayRecipe(**vars(PLAIN) | {"opening_moves": 4.0})
    lengths = []
    for number in range(200):
        playing = SelfPlayGame(recipe, number)
        while playing.request is not None and playing.request.simulations == 0:
            playing.take(found(playing.game, {"pass": 1.0}))
        record = playing.record()
        lengths.append(len(record.moves))
        assert 25 not in record.moves
        assert all(target is None for target in record.targets) and np.isnan(record.root_values).all()
    assert 2.5 < np.mean(lengths) < 4.5 and min(lengths) == 0


def test_komis_lie_near_the_given_one_with_a_tail_in_steps_of_half_a_point() -> None:
    komis = np.array([SelfPlayGame(SelfPlayRecipe(), number).game.komi for number in range(600)])
    assert np.all(komis * 2 == np.round(komis * 2))
    assert komis.min() >= 0.0 and komis.max() <= 14.0 and np.ptp(komis) > 12.0
    assert 0.6 < np.mean(np.abs(komis - 7.0) <= 1.5) < 0.9


def test_a_game_ends_when_every_point_is_settled() -> None:
    playing = SelfPlayGame(PLAIN, 0)
    position = game_from_diagram(
        """
        . X X X .
        X X . X X
        . X X X X
        X X X X X
        X X X X .
        """
    )
    playing.game.set_up(dict.fromkeys(position.stones(), BLACK), WHITE)
    playing.take(found(playing.game, {"pass": 1.0}))
    record = playing.record()
    assert playing.request is None and record.is_scored and record.score == 18.0


def test_dead_stones_in_settled_territory_are_its_owners() -> None:
    game = game_from_diagram(
        """
        . X . X .
        X X X X X
        X . O . X
        X X X X X
        . . . . .
        """
    )
    assert game.area().sum() == 21
    assert settled_area(game).tolist() == [1] * 25


def test_who_passes_before_taking_dead_stones_has_lost_and_no_score_is_kept() -> None:
    playing = SelfPlayGame(SelfPlayRecipe(**vars(PLAIN) | {"komi": 23.0, "komi_range": (23.0, 23.0)}), 0)
    stones = game_from_diagram(
        """
        . X . X .
        X X X X X
        X . O . X
        X X X X X
        . . . . .
        """
    ).stones()
    playing.game.set_up(stones, WHITE)
    playing._is_decided = lambda: False  # type: ignore[method-assign]
    for _ in range(2):
        playing.take(found(playing.game, {"pass": 1.0}))
    record = playing.record()
    assert record.result == 0.0 and not record.is_scored
    assert np.isnan(record.score) and record.ownership is None


def test_a_seed_and_a_number_make_a_game() -> None:
    assert game_seed(1, 2) == game_seed(1, 2) < 1 << 63
    seeds = {game_seed(seed, number) for seed in range(20) for number in range(100)}
    assert len(seeds) == 2000
    assert action_of_move(PASS, 5) == 25


def one_favourite(playing: SelfPlayGame) -> RootStatistics:
    """Search that knows nothing but priors: nearly all on the first legal point, a little on all others."""
    statistics = found(playing.game, {"pass": 1.0})
    priors = np.full(len(statistics.moves), 1e-4)
    priors[0] = 1.0
    return statistics._replace(priors=priors / priors.sum(), policy=priors / priors.sum())


def first_moves(recipe: SelfPlayRecipe, number: int) -> set[int]:
    """Return the first moves of so many games."""
    moves = set()
    for game in range(number):
        playing = SelfPlayGame(recipe, game)
        playing.take(one_favourite(playing))
        moves.add(playing.game.moves[0][1])
    return moves


def test_a_hot_opening_draws_any_move() -> None:
    opening = vars(PLAIN) | {"opening_moves": 50.0}
    assert len(first_moves(SelfPlayRecipe(**opening), 60)) <= 3
    wild = first_moves(SelfPlayRecipe(**opening | {"opening_temperature": 1000.0}), 60)
    assert len(wild) > 15 and PASS not in wild


def test_worse_moves_are_not_the_best_and_no_passes() -> None:
    recipe = SelfPlayRecipe(**vars(PLAIN) | {"worse_moves": 1.0})
    moves = first_moves(recipe, 60)
    assert len(moves) > 10 and PASS not in moves and move_at("A5", 5) not in moves


def test_a_fraction_of_the_moves_is_worse_and_is_no_target() -> None:
    recipe = SelfPlayRecipe(**vars(PLAIN) | {"worse_moves": 0.25})
    worse = total = 0
    for number in range(30):
        playing = SelfPlayGame(recipe, number)
        while playing.request is not None and len(playing.game.moves) < 10:
            assert (playing.request.simulations == 0) == (not playing.request.is_full)
            playing.take(one_favourite(playing))
        targets = playing.record().targets[:10]
        worse += sum(target is None for target in targets)
        total += len(targets)
    assert 0.17 < worse / total < 0.33


def board_after(record: GameRecord, length: int) -> dict[int, int]:
    game = game_of_record(dataclasses.replace(record, moves=record.moves[:length], colors=record.colors[:length]))
    return game.stones()


def test_a_value_rounded_above_one_is_kept_as_one() -> None:
    playing = SelfPlayGame(PLAIN, 1)
    found = one_favourite(playing)
    playing.take(found._replace(value=1.004))
    assert playing.record().root_values == [1.0]


def test_games_branch_off_from_recorded_ones_with_a_worse_move(tmp_path: Path) -> None:
    sources = [record_of(random_game(seed, 5, 20), seed) for seed in range(4)]
    write_games(tmp_path, sources)
    recipe = SelfPlayRecipe(**vars(PLAIN) | {"branch_off": str(tmp_path)})
    lengths = set()
    for number in range(30):
        playing = SelfPlayGame(recipe, number)
        length = len(playing.game.moves)
        lengths.add(length)
        assert playing.request is not None and playing.request.simulations == 0
        best = int(one_favourite(playing).moves[0])
        playing.take(one_favourite(playing))
        assert playing.game.moves[length][1] != best
        assert playing.request is None or playing.request.simulations == PLAIN.simulations
        record = playing.record()
        assert record.komi == 7.5 and len(record.moves) == 1 and record.targets == [None]
        begun_alike = [
            source
            for source in sources
            if board_after(source, length) == board_after(record, 0) and source.colors[length] == record.colors[0]
        ]
        assert begun_alike, "it begins where it leaves: the moves before led to another result"
    assert len(lengths) > 5


def test_a_folder_without_games_of_the_size_is_named(tmp_path: Path) -> None:
    write_games(tmp_path, [record_of(random_game(1, 9, 20), 1)])
    with pytest.raises(DataError, match="there are no games of size 5 to branch off from"):
        SelfPlayGame(SelfPlayRecipe(**vars(PLAIN) | {"branch_off": str(tmp_path)}), 0)
