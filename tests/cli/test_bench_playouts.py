"""`miai bench playouts`."""

import json

import pytest
from click.testing import CliRunner

from miai.benchmarks import playouts
from miai.cli.main import main
from miai.playouts.layer_order import POLICIES


@pytest.mark.parametrize("arguments", [(), ("--all-policies",)])
def test_every_policy_is_measured_after_the_standard_cases_if_asked_for(
    arguments: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(playouts, "measure_policy", lambda name, size, seconds, rounds: 1000.0 * seconds)
    outcome = CliRunner().invoke(main, ["bench", "playouts", "--seconds", "0.5", "--json", *arguments])
    assert outcome.exit_code == 0, outcome.output
    figures = json.loads(outcome.output)
    standard = [f"playouts.{name}.{size}x{size}" for name, size in playouts.STANDARD]
    assert list(figures)[: len(standard)] == standard
    every = {f"playouts.{name}.9x9" for name in POLICIES} | set(standard)
    assert set(figures) == (every if arguments else set(standard))
    assert figures["playouts.random.9x9"] == {"value": 500.0, "unit": "/s"}
