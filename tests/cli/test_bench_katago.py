"""`miai bench katago`: what it measures, and what it says of another file."""

import json
import stat
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

pytest.importorskip("openvino")

from miai.cli.main import main
from tests.nets.katago.model_writer import ModelWriter, spec_named


def test_inputs_and_backends_are_measured_beside_katagos_own(tmp_path: Path) -> None:
    net = ModelWriter(spec_named("v15-learned")).write(tmp_path)
    katago = tmp_path / "katago"
    katago.write_text(f"#!{sys.executable}\nprint('nnEvals/s = 20.00')\n")
    katago.chmod(katago.stat().st_mode | stat.S_IXUSR)
    arguments = ["bench", "katago", str(net), "--threads", "1", "--seconds", "0.1", "--katago", str(katago), "--json"]
    ended = CliRunner().invoke(main, arguments)
    assert ended.exit_code == 0, ended.output
    figures = {name: figure["value"] for name, figure in json.loads(ended.stdout).items()}
    rates = [
        f"katago.{name}.batch{batch}" for name in ("openvino-float32", "openvino", "openvino-int8") for batch in (8, 32)
    ]
    assert set(figures) == {"katago.inputs", "katago.peer", *rates, *(f"{rate}.ratio" for rate in rates)}
    assert figures["katago.inputs"] > 0 and figures["katago.peer"] == 20
    assert all(figures[f"{rate}.ratio"] == pytest.approx(figures[rate] / 20) for rate in rates)


def test_a_file_that_is_no_network_is_refused(tmp_path: Path) -> None:
    (tmp_path / "no.bin.gz").write_bytes(b"nothing")
    ended = CliRunner().invoke(main, ["bench", "katago", str(tmp_path / "no.bin.gz")])
    assert ended.exit_code == 1 and "no.bin.gz" in ended.output and "Traceback" not in ended.output
