"""KataGo's inputs: as KataGo itself gave them in recorded positions.

`inputs.json` has 63 positions of random games by `record_katago.py`, which says how to make it anew with a KataGo.
`inputs_with_suicide.json` are positions where it matters that suicide were allowed, for networks that want to know.
"""

import json

import numpy as np
import pytest

from miai.engine.go.game import Game
from miai.nets.planes import PLANES, make_write_planes, num_planes
from miai.nets.recent_positions import recent_of
from tests.nets.katago.record_katago import RECORD, SUICIDE_RECORD, area_differs, position, replay

GAMES = json.loads(RECORD.read_text())
SUICIDE_GAMES = json.loads(SUICIDE_RECORD.read_text())
NAMES = PLANES["katago"]
_NUM_PLANES = 22


def planes_of_game(game: Game, kind: str = "katago") -> np.ndarray:
    planes = np.full((num_planes(kind), game.size, game.size), np.nan, dtype=np.float32)
    make_write_planes(kind)(game.board, recent_of(game)[0], game.komi, game.rules.has_superko, planes)
    return planes


def recorded_planes(inputs: dict, size: int) -> np.ndarray:
    length = _NUM_PLANES * size * size
    bits = np.array([digit == "1" for digit in f"{int(inputs['planes'], 16):0{length}b}"], dtype=np.float32)
    numbers = np.array(inputs["numbers"], dtype=np.float32)[:, np.newaxis, np.newaxis]
    return np.concatenate([bits.reshape(_NUM_PLANES, size, size), np.broadcast_to(numbers, (19, size, size))])


def differing_planes(planes: np.ndarray, inputs: dict, size: int) -> list[str]:
    expected = recorded_planes(inputs, size)
    return [NAMES[index] for index in range(len(NAMES)) if np.abs(planes[index] - expected[index]).max() > 1e-5]


@pytest.mark.parametrize("record", GAMES, ids=[f"game{number}" for number in range(len(GAMES))])
def test_inputs_are_those_of_katago(record: dict) -> None:
    for number, game in enumerate(replay(record)):
        if str(number) in record["inputs"]:
            differing = differing_planes(planes_of_game(game), record["inputs"][str(number)], game.size)
            assert differing == [], f"after move {number}\n{game}"


@pytest.mark.parametrize("record", SUICIDE_GAMES, ids=[f"game{number}" for number in range(len(SUICIDE_GAMES))])
def test_area_as_if_suicide_were_allowed_is_that_of_katago(record: dict) -> None:
    (number, inputs), *_ = record["inputs"].items()
    game = position(record, int(number))
    assert area_differs(game)
    assert differing_planes(planes_of_game(game, "katago-suicide"), inputs, game.size) == []
    assert set(differing_planes(planes_of_game(game), inputs, game.size)) <= {"own area", "opponent's area"}
    assert differing_planes(planes_of_game(game), inputs, game.size) != []


def test_the_record_shows_all_that_our_rules_have() -> None:
    shown = np.zeros(len(NAMES), dtype=bool)
    for record in GAMES:
        for inputs in record["inputs"].values():
            shown |= (recorded_planes(inputs, record["size"]) != 0).any(axis=(1, 2))
    absent = {NAMES[index] for index in np.flatnonzero(~shown)}
    other_rules = {name for name in NAMES if name.endswith("(territory scoring)")}
    other_rules |= {"suicide allowed", "territory scoring", "tax on seki", "tax on every group", "unequal playouts"}
    other_rules |= {"doublings of playouts, in units of 2", "button"}
    assert absent == other_rules
