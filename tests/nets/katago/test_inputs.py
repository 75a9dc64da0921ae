"""KataGo's inputs: as KataGo itself gave them in recorded positions.

`inputs.json` has 63 positions of random games by `record_katago.py`, which says how to make it anew with a KataGo.
"""

import json

import numpy as np
import pytest

from miai.engine.go.game import Game
from miai.engine.go.points import BLACK, WHITE
from miai.engine.go.rules import RULES
from miai.nets.planes import PLANES, make_write_planes, num_planes
from miai.nets.recent_positions import recent_of
from tests.nets.katago.record_katago import RECORD

GAMES = json.loads(RECORD.read_text())
NAMES = PLANES["katago"]
_NUM_PLANES = 22


def planes_of_game(game: Game) -> np.ndarray:
    planes = np.full((num_planes("katago"), game.size, game.size), np.nan, dtype=np.float32)
    make_write_planes("katago")(game.board, recent_of(game)[0], game.komi, game.rules.has_superko, planes)
    return planes


def recorded_planes(inputs: dict, size: int) -> np.ndarray:
    length = _NUM_PLANES * size * size
    bits = np.array([digit == "1" for digit in f"{int(inputs['planes'], 16):0{length}b}"], dtype=np.float32)
    numbers = np.array(inputs["numbers"], dtype=np.float32)[:, np.newaxis, np.newaxis]
    return np.concatenate([bits.reshape(_NUM_PLANES, size, size), np.broadcast_to(numbers, (19, size, size))])


@pytest.mark.parametrize("record", GAMES, ids=[f"game{number}" for number in range(len(GAMES))])
def test_inputs_are_those_of_katago(record: dict) -> None:
    game = Game(record["size"], record["komi"], RULES[record["rules"]])
    if record["handicap"]:
        game.place_handicap(record["handicap"])
    for number, text in enumerate(record["moves"], 1):
        color, vertex = text.split()
        game.play(BLACK if color == "b" else WHITE, vertex)
        if str(number) in record["inputs"]:
            expected = recorded_planes(record["inputs"][str(number)], game.size)
            planes = planes_of_game(game)
            differing = [
                NAMES[index] for index in range(len(NAMES)) if np.abs(planes[index] - expected[index]).max() > 1e-5
            ]
            assert differing == [], f"after move {number}\n{game}"


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
