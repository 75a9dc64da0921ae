"""Record what KataGo feeds its networks in positions of random games: `python -m tests.nets.katago.record_katago`.

It needs a KataGo that also prints its inputs. In `GTPEngine::rawNN` of `cpp/command/gtp.cpp`, where the network has
answered, have it fill arrays of 22·size·size and 19 floats by `NNInputs::fillRowV7(board, hist, nextPla, nnInputParams,
size, size, false, …)` and print two lines:

    inputPlanes 0101…         (22·size·size characters: plane by plane, rows from the top)
    inputGlobals 0.000000 …   (19 numbers)

Then `KATAGO="katago gtp -model … -config …" python -m tests.nets.katago.record_katago` writes `inputs.json` beside this
file, for `test_inputs.py`. A config with `debugSkipNeuralNet = true` saves the evaluations.
"""

import json
import os
import random
import shlex
import subprocess
from pathlib import Path
from typing import Any

from miai.engine.go.eyes import is_own_eye
from miai.engine.go.game import Game
from miai.engine.go.points import BLACK, PASS, opponent, vertex_of
from miai.engine.go.rules import RULES

RECORD = Path(__file__).with_name("inputs.json")
_NUM_GAMES = 21
_POSITIONS_A_GAME = 3
_KOMIS = (7.0, 7.5, 6.5, 0.0, -3.0, 40.0, 150.0)
_SIZES = (9, 9, 9, 5, 7, 13, 19)


class Katago:
    """A KataGo that prints its inputs, as a GTP engine."""

    def __init__(self, command: str) -> None:
        self._process = subprocess.Popen(
            shlex.split(command),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )

    def ask(self, command: str) -> list[str]:
        """Return the lines of an answer."""
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(command + "\n")
        self._process.stdin.flush()
        lines = [self._process.stdout.readline()]
        while lines[-1].strip():
            lines.append(self._process.stdout.readline())
        if not lines[0].startswith("="):
            raise RuntimeError(f"{command}: {''.join(lines)}")
        return [line.removeprefix("=").strip() for line in lines]

    def start(self, game: Game, rules: str) -> None:
        """Set up a game: its size, rules, komi and handicap."""
        katago_rules = {
            "ko": "POSITIONAL" if RULES[rules].has_superko else "SIMPLE",
            "scoring": "AREA",
            "tax": "NONE",
            "suicide": False,
            "hasButton": False,
            "whiteHandicapBonus": "0",
            "friendlyPassOk": RULES[rules].removes_dead,
        }
        self.ask(f"boardsize {game.size}")
        self.ask("clear_board")
        self.ask(f"kata-set-rules {json.dumps(katago_rules)}")
        self.ask(f"komi {game.komi:g}")
        if game.setup_stones:
            self.ask("set_free_handicap " + " ".join(vertex_of(point, game.size) for point in game.setup_stones))

    def inputs(self) -> dict[str, Any]:
        """Return the planes of the position, in hexadecimal digits of four points each, and the numbers."""
        found = dict(line.split(" ", 1) for line in self.ask("kata-raw-nn 0") if line.startswith("input"))
        bits = found["inputPlanes"]
        return {
            "planes": f"{int(bits, 2):0{-(-len(bits) // 4)}x}",
            "numbers": [float(number) for number in found["inputGlobals"].split()],
        }


def _choose(game: Game, rng: random.Random) -> tuple[int, int]:
    """Return a move that likes captures; now and then a pass, or one of the player who moved last."""
    color = opponent(game.to_play) if rng.random() < 0.02 else game.to_play
    if rng.random() < 0.07:
        return color, PASS
    moves = [point for point in game.legal_points(color) if not is_own_eye(game.board, point, color)]
    captures = []
    for move in moves:
        after = game.copy()
        after.play(color, move)
        if after.num_captured != game.num_captured:
            captures.append(move)
    if captures and rng.random() < 0.6:
        moves = captures
    return color, rng.choice(moves) if moves else PASS


def _record_game(katago: Katago, number: int) -> dict[str, Any]:
    rng = random.Random(number)
    rules = list(RULES)[number % len(RULES)]
    game = Game(_SIZES[number % len(_SIZES)], _KOMIS[number // 3 % len(_KOMIS)], RULES[rules])
    if number % 4 == 3:
        game.place_handicap(rng.sample(game.legal_points(BLACK), 3))
    katago.start(game, rules)
    asked: dict[int, dict[str, Any]] = {}
    num_moves = int(1.2 * game.size**2)
    while len(game.moves) < num_moves:
        color, move = _choose(game, rng)
        game.play(color, move)
        katago.ask(f"play {'b' if color == BLACK else 'w'} {vertex_of(move, game.size)}")
        chance = 1.0 if move == PASS or game.board["ko_point"] != PASS else 0.2
        if len(game.moves) > num_moves // 3 and rng.random() < chance:
            asked[len(game.moves)] = katago.inputs()
    return {
        "size": game.size,
        "komi": game.komi,
        "rules": rules,
        "handicap": [vertex_of(point, game.size) for point in game.setup_stones],
        "moves": [("b " if color == BLACK else "w ") + vertex_of(move, game.size) for color, move in game.moves],
        "inputs": {number: asked[number] for number in sorted(rng.sample(sorted(asked), _POSITIONS_A_GAME))},
    }


if __name__ == "__main__":
    engine = Katago(os.environ["KATAGO"])
    games = [_record_game(engine, number) for number in range(_NUM_GAMES)]
    RECORD.write_text("[\n" + ",\n".join(json.dumps(game) for game in games) + "\n]\n")
