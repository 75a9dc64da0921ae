"""`miai bench net`."""

from click.testing import CliRunner

from miai.cli.main import main


def test_a_backend_that_there_is_not_is_named_before_anything_is_measured() -> None:
    outcome = CliRunner().invoke(main, ["bench", "net", "--backend", "tensorrt"])
    assert outcome.exit_code == 1
    assert "unknown backend 'tensorrt': allowed are torch, torch-bfloat16, openvino" in outcome.output
    assert "net.planes" not in outcome.output
