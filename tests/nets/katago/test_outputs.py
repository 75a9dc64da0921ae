"""Forward passes of KataGo's networks: as KataGo itself computed them for random networks of every kind.

`outputs.json` is by `record_katago.py`, which says how to make it anew with a KataGo.
"""

import json
from pathlib import Path

import numpy as np
import pytest

from miai.engine.go.game import Game
from miai.engine.go.points import BLACK
from miai.nets.inference import available_backends, make_backend
from miai.nets.inference.backend import Outputs
from miai.nets.loading import load_net, read_net_config
from tests.nets.katago.model_writer import NETWORKS, ModelWriter, spec_named
from tests.nets.katago.record_katago import (
    NOT_ALLOWED,
    OUTPUT_RECORD,
    RECORD,
    SCALE,
    position,
)
from tests.nets.katago.test_inputs import planes_of_game

GAMES = json.loads(RECORD.read_text())
RECORDS = {record["network"]: record for record in json.loads(OUTPUT_RECORD.read_text())}
TOLERANCE = 0.002


def as_katago_says(game: Game, outputs: Outputs, allowed: np.ndarray) -> dict[str, np.ndarray | float]:
    """Return the outputs of one position as KataGo's `kata-raw-nn` has them: White's view, allowed moves only."""
    assert outputs.details is not None
    sign = -1.0 if game.to_play == BLACK else 1.0
    win, nothing, loss = (float(chance) for chance in outputs.wdl[0])
    mean, deviation, time, value_error, score_error = (float(value) for value in outputs.details[0])
    has_result = 1.0 - nothing
    logits = np.where(allowed, outputs.policy[0].astype(np.float64), -np.inf)
    policy = np.exp(logits - logits.max())
    return {
        "whiteWin": loss if game.to_play == BLACK else win,
        "whiteLoss": win if game.to_play == BLACK else loss,
        "noResult": nothing,
        "whiteLead": sign * float(outputs.score[0]),
        "whiteScoreSelfplay": sign * mean,
        "whiteScoreSelfplaySq": mean**2 / has_result + deviation**2 * has_result,
        "varTimeLeft": time,
        "shorttermWinlossError": value_error,
        "shorttermScoreError": score_error,
        "policy": policy / policy.sum(),
        "whiteOwnership": sign * outputs.ownership[0],
    }


@pytest.mark.parametrize("backend_name", ["openvino-float32", "torch"])
@pytest.mark.parametrize("name", [spec.name for spec in NETWORKS])
def test_a_network_says_what_katago_says(name: str, backend_name: str, tmp_path: Path) -> None:
    if backend_name not in available_backends():
        pytest.skip(f"{backend_name} is not installed")
    record, writer = RECORDS[name], ModelWriter(spec_named(name))
    assert writer.checksum() == record["checksum"], "not the network that was recorded: does NumPy draw otherwise?"
    net = load_net(writer.write(tmp_path))
    backend = make_backend(net, backend_name)
    rules = set()
    for recorded in record["positions"]:
        game = position(GAMES[recorded["game"]], recorded["moves"])
        rules.add(game.rules.has_superko)
        recorded_policy = np.array(recorded["policy"])
        allowed = recorded_policy != NOT_ALLOWED
        found = as_katago_says(game, backend.evaluate(planes_of_game(game, net.config.planes)[np.newaxis]), allowed)
        recorded_policy = np.where(allowed, recorded_policy, 0) / SCALE
        np.testing.assert_allclose(found.pop("policy"), recorded_policy, atol=TOLERANCE)
        np.testing.assert_allclose(
            found.pop("whiteOwnership"), np.array(recorded["whiteOwnership"]) / SCALE, atol=TOLERANCE
        )
        for what, value in found.items():
            assert value == pytest.approx(recorded[what], rel=1e-5, abs=TOLERANCE), what
    assert rules == {True, False}


@pytest.mark.parametrize("name", ["v13-nested", "v15-learned", "v16"])
def test_in_bfloat16_torch_rounds_a_little(name: str, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    net = load_net(ModelWriter(spec_named(name)).write(tmp_path))
    exact, rounded = (make_backend(net, backend, "cpu") for backend in ("torch", "torch-bfloat16"))
    for recorded in RECORDS[name]["positions"]:
        game = position(GAMES[recorded["game"]], recorded["moves"])
        planes = planes_of_game(game, net.config.planes)[np.newaxis]
        right, found = exact.evaluate(planes), rounded.evaluate(planes)
        assert 0 < np.abs(found.wdl - right.wdl).max() < 0.02
        assert 0 < np.abs(found.policy - right.policy).max() < 0.2
        assert np.abs(found.ownership - right.ownership).max() < 0.05


def test_the_record_tells_networks_and_positions_apart() -> None:
    wins = [recorded["whiteWin"] for record in RECORDS.values() for recorded in record["positions"]]
    assert len(wins) == 3 * len(NETWORKS)
    assert np.std(wins) > 0.1
    for record in RECORDS.values():
        first, second, _ = record["positions"]
        assert abs(first["whiteWin"] - second["whiteWin"]) + abs(first["whiteLead"] - second["whiteLead"]) > 0.1


def test_a_configuration_is_read_without_the_weights(tmp_path: Path) -> None:
    for name, planes in (("v15-learned", "katago"), ("v15-suicide", "katago-suicide")):
        writer = ModelWriter(spec_named(name))
        path = writer.write(tmp_path)
        path.write_bytes(path.read_bytes()[: len(path.read_bytes()) // 2])
        config = read_net_config(path)
        assert (config.name, config.planes, config.kind) == (name, planes, "katago")
