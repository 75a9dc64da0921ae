"""The knots of Li & Lim: what is tuned is what `miai experiment backups-go` plays, however values are read."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from miai.experiments.li_lim.published import MONOTONE, RANGES, SOFTMAX, backup_of, selection_parameters
from miai.match.contestants import read_contestant
from miai.tuning.li_lim import (
    HIGH,
    LOW,
    draw_weights,
    knot_space,
    published_points,
    standard_player,
    tuned_player,
    weights_of,
)
from miai.tuning.search_space import name_with

KNOTS = {"softmax": SOFTMAX, "monotone": MONOTONE}


def parameters_of(player: str) -> dict[str, object]:
    options = read_contestant(player).options
    assert options is not None
    return dict(options.parameters)


@pytest.mark.parametrize("values", RANGES)
@pytest.mark.parametrize("rule", KNOTS)
def test_the_papers_points_are_the_sides_of_its_matches(rule: str, values: str) -> None:
    space = knot_space(rule, 50, values)
    assert parameters_of(standard_player(50, values)) == selection_parameters(values)
    for number, point in enumerate(published_points(rule, values), 1):
        assert space.contains(point.values)
        player = name_with(tuned_player(rule, 50, values), space.settings(point.values))
        backup = backup_of(f"{rule}-{number}", 50, values, "erwa")
        assert parameters_of(player) == selection_parameters(values) | dict(backup.parameters)


def test_one_reading_shifts_softmax_and_no_other_rule() -> None:
    ends = {(rule, values): knot_space(rule, 5000, values).parameters[0].high for rule in KNOTS for values in RANGES}
    assert ends["softmax", "unit"] == pytest.approx(HIGH - 0.6931, abs=1e-4)
    assert ends["softmax", "signed"] == ends["monotone", "unit"] == ends["monotone", "signed"] == HIGH
    assert knot_space("softmax", 5000, "signed").parameters[0].low == LOW


def test_the_last_weight_can_be_as_great_with_fewer_simulations() -> None:
    def greatest(simulations: int) -> float:
        (knot, *_) = knot_space("monotone", simulations, "unit").parameters
        assert knot.low == LOW
        return float(weights_of("monotone", (knot.high,) * 6, np.array([float(simulations)]), simulations)[0])

    assert greatest(100) == pytest.approx(greatest(5000)) and greatest(10_000) == pytest.approx(
        2 * greatest(5000), rel=0.02
    )


def test_kept_tunings_are_read_without_the_extra() -> None:
    program = "import sys, miai.tuning.li_lim_account\nassert not {'torch', 'botorch'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", program], check=True)


def test_weights_are_drawn_by_the_papers_knots(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("matplotlib")
    drawn = []

    def note(rule: str, knots: tuple[float, ...], *rest: object) -> object:
        drawn.append(knots)
        return weights(rule, knots, *rest)  # type: ignore[arg-type]

    from miai.tuning import li_lim

    weights = li_lim.weights_of
    monkeypatch.setattr(li_lim, "weights_of", note)
    first = published_points("softmax", "unit")[0].values
    draw_weights("softmax", first, 50, "unit", tmp_path / "weights.svg")
    assert [pytest.approx(knots) for knots in drawn] == [SOFTMAX[0], *SOFTMAX]
