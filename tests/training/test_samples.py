"""What the network is shown and told: positions against games played move by move, targets, symmetries, bad games."""

import numpy as np
import pytest

from miai.engine.go.actions import move_of_action
from miai.engine.go.board import new_board
from miai.engine.go.points import BLACK
from miai.nets.planes import make_write_planes, num_planes
from miai.nets.recent_positions import clear_recent, push_recent, recent_dtype
from miai.selfplay.data.format import GameFile, join_games
from miai.selfplay.data.replay import begin_game, play_row
from miai.selfplay.training.samples import TrainingBatch, find_fault, write_batch, write_wdl
from tests.nets.symmetric_planes import transform, transform_planes
from tests.training.made_games import game_of_row, games_file, records

KINDS = ("li-lim", "miai")


def _batch(
    file: GameFile, rows: np.ndarray, symmetry: int = 0, kind: str = "miai", share: float = 0.6
) -> TrainingBatch:
    turned = np.full(len(rows), symmetry, dtype=np.int64)
    return write_batch(file, game_of_row(file), np.asarray(rows, dtype=np.int64), turned, kind, share)


@pytest.mark.parametrize("kind", KINDS)
def test_planes_are_those_of_the_game_played_from_its_first_move(kind: str) -> None:
    file = games_file()
    batch = _batch(file, np.arange(file.num_rows), kind=kind)
    boards = np.repeat(new_board(9), 2)
    recents = np.zeros(1, dtype=recent_dtype(9))
    planes = np.empty((num_planes(kind), 9, 9), dtype=np.float32)
    for game, head in enumerate(file.games):
        begin_game(boards[0], boards[1], file.setup[game])
        clear_recent(recents[0], boards[0])
        for row in range(head["first"], head["first"] + head["num_moves"]):
            boards[0]["to_play"] = file.color[row]
            make_write_planes(kind)(boards[0], recents[0], head["komi"], head["has_superko"], planes)
            assert (batch.planes[row] == planes).all(), row
            assert play_row(boards[0], int(file.move[row]), int(file.color[row]))
            push_recent(recents[0], boards[0])


def test_own_stones_are_the_stones_of_the_game() -> None:
    file = games_file(2)
    batch = _batch(file, np.arange(file.num_rows))
    record = records(2)[1]
    assert record.setup is not None and record.setup.any()
    first = int(file.games["first"][1])
    for color, plane in ((record.colors[0], 0), (3 - record.colors[0], 1)):
        assert (batch.planes[first, plane].ravel() == (record.setup == color)).all()
    index = record.moves[0]
    assert move_of_action(index, 9) > 0
    assert batch.planes[first + 1, 1].ravel()[index] == 1


@pytest.mark.parametrize("symmetry", range(8))
def test_a_turned_sample_has_everything_turned_alike(symmetry: int) -> None:
    file = games_file()
    rows = np.arange(file.num_rows)
    straight, turned = _batch(file, rows), _batch(file, rows, symmetry)
    assert (turned.planes == transform_planes(straight.planes, symmetry)).all()
    for name in ("policy", "ownership", "reply"):
        assert (getattr(turned, name) == transform(getattr(straight, name), symmetry, 9)).all(), name
        assert symmetry == 0 or (getattr(turned, name) != getattr(straight, name)).any(), name
    for name in ("wdl", "result", "score", "policy_weight", "value_weight", "reply_weight", "ownership_weight"):
        assert (getattr(turned, name) == getattr(straight, name)).all(), name


def test_policy_targets_are_those_of_full_searches_and_replies_those_one_move_later() -> None:
    file = games_file()
    batch = _batch(file, np.arange(file.num_rows))
    num_replies = 0
    for game, head in enumerate(file.games):
        record = records()[game]
        first, number = int(head["first"]), int(head["num_moves"])
        dense = np.zeros((number + 1, 82), dtype=np.float32)
        known = np.zeros(number + 1, dtype=np.float32)
        for place, target in enumerate(record.targets):
            if target is not None:
                dense[place, target.moves] = target.probabilities
                known[place] = 1
        part = slice(first, first + number)
        assert (batch.policy[part] == dense[:-1]).all()
        assert (batch.policy_weight[part] == known[:-1]).all()
        assert (batch.reply[part] == dense[1:]).all()
        assert (batch.reply_weight[part] == known[1:]).all()
        assert batch.reply_weight[first + number - 1] == 0
        num_replies += int(batch.reply_weight[part].sum())
    assert 0 < num_replies < file.num_rows


def test_no_reply_is_told_where_the_same_player_moves_twice() -> None:
    record = records(1)[0]
    twice = join_games([record])
    twice.color[20:] = 3 - twice.color[20:]
    batch = _batch(twice, np.arange(18, 22))
    assert twice.is_target[20]
    assert batch.reply_weight[1] == 0
    assert not batch.reply[1].any()


def test_results_scores_and_owners_are_the_movers() -> None:
    file = games_file()
    batch = _batch(file, np.arange(file.num_rows), share=1.0)
    games = game_of_row(file)
    is_black = file.color == BLACK
    sign = np.where(is_black, 1, -1)
    score = sign * file.games["score"][games]
    assert (batch.score == score).all()
    assert (batch.wdl[:, 0] == (score > 0)).all()
    assert (batch.wdl[:, 2] == (score < 0)).all()
    assert (batch.ownership == sign[:, None] * file.ownership[games]).all()
    assert {0.0, 1.0} == set(batch.result.tolist())


def test_games_without_a_count_teach_neither_score_nor_owners() -> None:
    file = games_file(2)
    file.games["is_scored"][0] = 0
    file.games["result"][1] = np.nan
    file.root_value[file.games["first"][1]] = np.nan
    batch = _batch(file, file.games["first"])
    assert batch.score_weight.tolist() == batch.ownership_weight.tolist() == [0, 1]
    assert batch.score[0] == 0 and not batch.ownership[0].any()
    assert batch.value_weight.tolist() == [1, 0]
    assert not batch.wdl[1].any()
    assert np.isnan(batch.result[1])


@pytest.mark.parametrize(
    ("result", "root_value", "expected"),
    [
        (1.0, 0.5, (0.8, 0.0, 0.2)),
        (0.0, 1.0, (0.4, 0.0, 0.6)),
        (0.5, 0.5, (0.0, 1.0, 0.0)),
        (0.5, 1.0, (0.4, 0.6, 0.0)),
        (0.5, 0.0, (0.0, 0.6, 0.4)),
        (1.0, np.nan, (1.0, 0.0, 0.0)),
        (1.0, 1.0009, (1.0, 0.0, 0.0)),
        (0.5, np.nan, (0.0, 1.0, 0.0)),
        (np.nan, 0.7, (0.7, 0.0, 0.3)),
    ],
)
def test_the_value_target_mixes_outcome_and_search(result: float, root_value: float, expected: tuple) -> None:
    wdl = np.empty(3, dtype=np.float32)
    assert write_wdl(result, root_value, 0.6, wdl)
    assert wdl.tolist() == pytest.approx(expected, abs=1e-6)


def test_games_that_would_harm_are_found() -> None:
    assert find_fault(games_file()) is None
    rounded = games_file()
    rounded.root_value[1] = 1.0005
    assert find_fault(rounded) is None
    faults = {"move": "move of row 1 ", "target_share": "target of row 1 ", "root_value": "root value"}
    for name, message in faults.items():
        file = games_file(1)
        array = getattr(file, name)
        array[1] = array[0] if name == "move" else 2.0
        assert message in str(find_fault(file)), name
    for field, value in (("komi", np.nan), ("score", np.inf), ("result", 0.3)):
        file = games_file(1)
        file.games[field] = value
        assert find_fault(file) is not None, field
