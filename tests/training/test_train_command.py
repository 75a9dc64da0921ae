"""`miai train` as a user sees it."""

import math
import re
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

pytest.importorskip("torch")
pytest.importorskip("safetensors")

from miai.cli.main import main
from miai.nets.net_files import load_weights
from miai.selfplay.data.format import write_games
from miai.selfplay.training.training_recipe import FIELDS
from tests.training.made_games import records, write_files

SMALL = ["--blocks", "1", "--filters", "8", "--batch-size", "16", "--held-out", "5", "--device", "cpu"]


def test_help_names_every_value_of_the_recipe() -> None:
    outcome = CliRunner().invoke(main, ["train", "--help"])
    assert outcome.exit_code == 0
    for name in FIELDS:
        assert f"--{name.replace('_', '-')} " in outcome.output


@pytest.mark.parametrize("config", ["li-lim", "miai"])
def test_it_trains_goes_on_and_then_has_nothing_to_do(tmp_path: Path, config: str) -> None:
    write_files(tmp_path / "games")
    arguments = ["train", str(tmp_path / "games"), "--output", str(tmp_path / "out"), "--network", config, *SMALL]
    first = CliRunner().invoke(main, [*arguments, "--steps", "3"])
    assert first.exit_code == 0, first.output
    assert "10 games in 2 files, 80 more held out" in first.output and "3 steps" in first.output
    assert "positions/s on cpu" in first.output and "held out  policy_accuracy" in first.output
    second = CliRunner().invoke(main, [*arguments, "--steps", "5"])
    assert "3 of 5 steps done" in second.output
    third = CliRunner().invoke(main, [*arguments, "--steps", "5"])
    assert "5 of 5 steps done" in third.output and "no step was needed" in third.output
    nets = sorted((tmp_path / "out" / "nets").iterdir())
    assert [path.name for path in nets] == ["net-000001.safetensors", "net-000002.safetensors"]
    assert str(nets[1]) in second.output and str(nets[1]) in third.output
    loaded = load_weights(nets[1])
    assert loaded.config.name == f"{config}-1x8"
    assert loaded.summary["step"] == 5
    assert loaded.summary["recipe"]["batch_size"] == 16
    assert "policy" in loaded.summary["losses"] and "policy" in loaded.summary["validation"]


def test_the_number_of_steps_follows_from_reuse(tmp_path: Path) -> None:
    write_files(tmp_path / "games", 1)
    arguments = ["train", str(tmp_path / "games"), "--output", str(tmp_path / "out"), *SMALL, "--reuse", "0.25"]
    outcome = CliRunner().invoke(main, arguments)
    assert outcome.exit_code == 0, outcome.output
    learned = int(outcome.output.split(" positions of")[0])
    assert f"{-(-learned // 64)} steps" in outcome.output


def test_a_start_gives_its_form(tmp_path: Path) -> None:
    write_files(tmp_path / "games", 1)
    few = ["--batch-size", "16", "--device", "cpu", "--steps", "1"]
    arguments = ["train", str(tmp_path / "games"), "--output", str(tmp_path / "first"), *few]
    assert CliRunner().invoke(main, [*arguments, *SMALL, "--blocks", "3"]).exit_code == 0
    start = tmp_path / "first" / "nets" / "net-000001.safetensors"
    arguments[3] = str(tmp_path / "next")
    outcome = CliRunner().invoke(main, [*arguments, "--start-from", str(start)])
    assert outcome.exit_code == 0, outcome.output
    learned = load_weights(tmp_path / "next" / "nets" / "net-000001.safetensors")
    assert learned.config == load_weights(start).config
    arguments[3] = str(tmp_path / "deeper")
    outcome = CliRunner().invoke(main, [*arguments, "--start-from", str(start), "--blocks", "6"])
    assert outcome.exit_code == 0, outcome.output
    deeper = load_weights(tmp_path / "deeper" / "nets" / "net-000001.safetensors").config
    assert (deeper.name, deeper.filters) == ("miai-6x8", 8), "what is not said is that of the start"
    outcome = CliRunner().invoke(main, [*arguments, "--start-from", str(tmp_path / "games" / "games-00000001.npz")])
    assert outcome.exit_code == 2 and "games-00000001.npz: " in outcome.output


@pytest.mark.parametrize(
    ("extra", "status", "message"),
    [
        (["--batch-size", "1"], 2, "batch-size: '1' is not allowed"),
        (["--filters", "2"], 2, "filters 2"),
        (["--device", "tpu9"], 1, "device 'tpu9' cannot be used"),
    ],
)
def test_wrong_options_end_with_a_line(tmp_path: Path, extra: list[str], status: int, message: str) -> None:
    write_files(tmp_path / "games", 1)
    arguments = ["train", str(tmp_path / "games"), "--output", str(tmp_path / "out"), *extra]
    outcome = CliRunner().invoke(main, arguments)
    assert outcome.exit_code == status, outcome.output
    assert message in outcome.output and "Traceback" not in outcome.output
    assert not (tmp_path / "out").exists()


def test_a_folder_without_games_is_refused(tmp_path: Path) -> None:
    output = tmp_path / "out"
    for has_torn_file, message in ((False, f"there is no file games-*.npz in {tmp_path}"), (True, "no whole file")):
        if has_torn_file:
            (tmp_path / "games-00000001.npz").write_bytes(b"torn")
        outcome = CliRunner().invoke(main, ["train", str(tmp_path), "--output", str(output), *SMALL])
        assert outcome.exit_code == 1 and message in outcome.output.splitlines()[-1]
        assert not output.exists()


def test_what_was_not_measured_is_shown_as_such(tmp_path: Path) -> None:
    unscored = [replace(record, is_scored=False, score=math.nan) for record in records(12)]
    write_games(tmp_path / "games", unscored)
    arguments = ["train", str(tmp_path / "games"), "--output", str(tmp_path / "out"), *SMALL, "--steps", "2"]
    outcome = CliRunner().invoke(main, arguments)
    assert outcome.exit_code == 0, outcome.output
    shown = dict(re.findall(r"held out  (\w+) +(\S+)", outcome.output))
    unknown = {"score", "ownership", "score_error", "ownership_accuracy"}
    assert {name for name, value in shown.items() if value == "–"} == unknown
    assert float(shown["policy"]) > 0 and float(shown["value_error"]) > 0
    summary = load_weights(tmp_path / "out" / "nets" / "net-000001.safetensors").summary
    assert not unknown & {*summary["losses"], *summary["validation"]}
    assert summary["validation"].keys() == shown.keys() - unknown


def test_event_files_hold_the_losses(tmp_path: Path) -> None:
    accumulator = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")
    write_files(tmp_path / "games", 1)
    arguments = ["train", str(tmp_path / "games"), "--output", str(tmp_path / "out"), *SMALL, "--steps", "2"]
    assert CliRunner().invoke(main, arguments).exit_code == 0
    events = accumulator.EventAccumulator(str(tmp_path / "out" / "tensorboard"))
    events.Reload()
    assert {"training/policy", "validation/policy_accuracy"} <= set(events.Tags()["scalars"])
    assert [event.step for event in events.Scalars("training/loss")] == [2]
