"""Record what KataGo feeds its networks and what they say: `KATAGO="katago gtp -config …" python -m
tests.nets.katago.record_katago inputs`, or `outputs`, or `text`.

The networks are the random ones of `model_writer.py`. `inputs` needs a KataGo that also prints them. In
`GTPEngine::rawNN` of `cpp/command/gtp.cpp`, where the network has answered, have it fill arrays of 22·size·size and 19
floats by `NNInputs::fillRowV7(board, hist, nextPla, nnInputParams, size, size, false, …)` and print two lines:

    inputPlanes 0101…         (22·size·size characters: plane by plane, rows from the top)
    inputGlobals 0.000000 …   (19 numbers)

Everything is written beside this file, as JSON.
"""

import json
import os
import random
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from miai.engine.go.benson import area_without_dead
from miai.engine.go.eyes import is_own_eye
from miai.engine.go.game import Game
from miai.engine.go.points import BLACK, PASS, WHITE, opponent, vertex_of
from miai.engine.go.rules import RULES
from tests.nets.katago.model_writer import NETWORKS, ModelWriter, Spec, spec_named

RECORD = Path(__file__).with_name("inputs.json")
SUICIDE_RECORD = Path(__file__).with_name("inputs_with_suicide.json")
OUTPUT_RECORD = Path(__file__).with_name("outputs.json")
TEXT_RECORD = Path(__file__).with_name("raw_nn.json")
SCALE = 10_000
"""Of recorded probabilities and ownership, which are whole numbers; a move that is not allowed has NOT_ALLOWED."""
NOT_ALLOWED = -1
_NUM_GAMES = 21
_POSITIONS_A_GAME = 3
_NUM_SUICIDE_GAMES = 30
_KOMIS = (7.0, 7.5, 6.5, 0.0, -3.0, 40.0, 150.0)
_SIZES = (9, 9, 9, 5, 7, 13, 19)


class Katago:
    """A KataGo as a GTP engine."""

    def __init__(self, command: str, spec: Spec) -> None:
        self._folder = tempfile.TemporaryDirectory()
        network = ModelWriter(spec).write(Path(self._folder.name))
        self._process = subprocess.Popen(
            [*shlex.split(command), "-model", str(network)],
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

    def close(self) -> None:
        """End it."""
        self._process.communicate("quit\n")
        self._folder.cleanup()

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

    def play(self, color: int, move: int, size: int) -> None:
        """Make a move."""
        self.ask(f"play {'b' if color == BLACK else 'w'} {vertex_of(move, size)}")

    def outputs(self) -> dict[str, Any]:
        """Return what the network says of the position as it lies."""
        numbers: dict[str, float] = {}
        rows: dict[str, list[int]] = {"policy": [], "whiteOwnership": []}
        current = ""
        for line in self.ask("kata-raw-nn 0 0"):
            words = line.split()
            if line in rows:
                current = line
            elif words and words[0][0].isalpha() and words[0] != "NAN":
                numbers[words[0]] = float(words[1])
            else:
                rows[current] += [NOT_ALLOWED if word == "NAN" else round(SCALE * float(word)) for word in words]
        rows["policy"].append(round(SCALE * numbers.pop("policyPass")))
        return {**numbers, **rows}

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
        katago.play(color, move, game.size)
        chance = 1.0 if move == PASS or game.board["ko_point"] != PASS else 0.2
        if len(game.moves) > num_moves // 3 and rng.random() < chance:
            asked[len(game.moves)] = katago.inputs()
    picked = sorted(rng.sample(sorted(asked), _POSITIONS_A_GAME))
    return _describe(game, rules) | {"inputs": {number: asked[number] for number in picked}}


def _describe(game: Game, rules: str) -> dict[str, Any]:
    return {
        "size": game.size,
        "komi": game.komi,
        "rules": rules,
        "handicap": [vertex_of(point, game.size) for point in game.setup_stones],
        "moves": [("b " if color == BLACK else "w ") + vertex_of(move, game.size) for color, move in game.moves],
    }


def replay(record: dict[str, Any]) -> Iterator[Game]:
    """Yield a recorded game before its first move and after each."""
    game = Game(record["size"], record["komi"], RULES[record["rules"]])
    if record["handicap"]:
        game.place_handicap(record["handicap"])
    yield game
    for text in record["moves"]:
        color, vertex = text.split()
        game.play(BLACK if color == "b" else WHITE, vertex)
        yield game


def position(record: dict[str, Any], num_moves: int) -> Game:
    """Return a recorded game after so many moves."""
    return next(game for number, game in enumerate(replay(record)) if number == num_moves)


def area_differs(game: Game) -> bool:
    """Tell whether suicide would change whose points are whose."""
    with_suicide, without = (np.zeros(game.size**2, dtype=np.int8) for _ in range(2))
    area_without_dead(game.board, with_suicide, True)
    area_without_dead(game.board, without, False)
    return bool((with_suicide != without).any())


def _record_suicide_game(katago: Katago, number: int) -> dict[str, Any] | None:
    """Return a game that ends where suicide would change whose points are whose, if it comes to that."""
    rng = random.Random(number)
    rules = list(RULES)[number % len(RULES)]
    game = Game(_SIZES[number % len(_SIZES)], _KOMIS[number % len(_KOMIS)], RULES[rules])
    while len(game.moves) < 2 * game.size**2 and not area_differs(game):
        game.play(*_choose(game, rng))
    if not area_differs(game):
        return None
    katago.start(game, rules)
    for color, move in game.moves:
        katago.play(color, move, game.size)
    return _describe(game, rules) | {"inputs": {len(game.moves): katago.inputs()}}


def _record_outputs(command: str, number: int, games: list[dict[str, Any]]) -> dict[str, Any]:
    """Return what a network says of positions on boards of two sizes, by rules with superko or without."""
    spec = NETWORKS[number]
    katago = Katago(command, spec)
    found = []
    for size, has_superko in ((9, True), (9, False), ((5, 13, 19)[number % 3], number % 2 == 0)):
        fitting = [
            index
            for index, record in enumerate(games)
            if record["size"] == size and RULES[record["rules"]].has_superko == has_superko
        ]
        index = fitting[number % len(fitting)]
        num_moves = int(list(games[index]["inputs"])[number % _POSITIONS_A_GAME])
        game = position(games[index], num_moves)
        katago.start(game, games[index]["rules"])
        for color, move in game.moves:
            katago.play(color, move, game.size)
        found.append({"game": index, "moves": num_moves, **katago.outputs()})
    katago.close()
    return {"network": spec.name, "checksum": ModelWriter(spec).checksum(), "positions": found}


def _record_text(command: str, name: str, number: int, games: list[dict[str, Any]]) -> dict[str, Any]:
    """Return KataGo's answers to several forms of `kata-raw-nn`."""
    record = games[number]
    num_moves = int(next(iter(record["inputs"])))
    game = position(record, num_moves)
    katago = Katago(command, spec_named(name))
    katago.start(game, record["rules"])
    for color, move in game.moves:
        katago.play(color, move, game.size)
    other = "w" if game.to_play == BLACK else "b"
    asked = [*(f"kata-raw-nn {symmetry} 0" for symmetry in range(8)), "kata-raw-nn 0 1", "kata-raw-nn 3 0.25"]
    asked += [f"kata-raw-nn {other} 0 0", f"kata-raw-nn {other} 5 0.5"]
    answers = {
        command: [line for line in katago.ask(command)[:-1] if not line.startswith("input")] for command in asked
    }
    katago.close()
    return {"network": name, "game": number, "moves": num_moves, "answers": answers}


def _write(path: Path, records: list[dict[str, Any]]) -> None:
    path.write_text("[\n" + ",\n".join(json.dumps(record) for record in records) + "\n]\n")


def _main(what: str) -> None:
    command = os.environ["KATAGO"]
    if what == "inputs":
        katago = Katago(command, spec_named("v8"))
        _write(RECORD, [_record_game(katago, number) for number in range(_NUM_GAMES)])
        katago.close()
        katago = Katago(command, spec_named("v15-suicide"))
        found = (_record_suicide_game(katago, number) for number in range(_NUM_SUICIDE_GAMES))
        _write(SUICIDE_RECORD, [record for record in found if record is not None])
        katago.close()
        return
    games = json.loads(RECORD.read_text())
    if what == "outputs":
        _write(OUTPUT_RECORD, [_record_outputs(command, number, games) for number in range(len(NETWORKS))])
    elif what == "text":
        texts = [("v15-learned", 0), ("v12-silu", 1), ("v8", 3)]
        _write(TEXT_RECORD, [_record_text(command, name, number, games) for name, number in texts])
    else:
        raise SystemExit(f"what? {what!r} is none of: inputs, outputs, text")


if __name__ == "__main__":
    _main(sys.argv[1])
