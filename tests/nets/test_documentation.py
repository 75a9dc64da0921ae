"""What docs/reference/network.md shows runs, and its table of planes names as many as there are."""

import re
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")

from miai.nets.config import NetConfig  # noqa: E402
from miai.nets.net_files import save_weights  # noqa: E402
from miai.nets.planes import num_planes  # noqa: E402
from tests.nets.networks import small_net  # noqa: E402

_TEXT = (Path(__file__).resolve().parents[2] / "docs" / "reference" / "network.md").read_text()


def test_the_examples_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture) -> None:
    net = small_net("miai")
    save_weights(tmp_path / "net.safetensors", net.module, net.config, {})
    monkeypatch.chdir(tmp_path)
    examples = re.findall(r"```python\n(.*?)```", _TEXT, flags=re.DOTALL)
    assert len(examples) == 2
    found: dict = {}
    for example in examples:
        exec(example, found)
    assert isinstance(found["larger"], NetConfig) and found["larger"].filters == 96
    assert found["outputs"].wdl.sum() == pytest.approx(1, abs=1e-4)
    assert capsys.readouterr().out.startswith("[")


def test_the_table_of_planes_ends_with_the_last_plane() -> None:
    rows = re.findall(r"^\| ([\d, …]+) \|", _TEXT, flags=re.MULTILINE)
    assert re.findall(r"\d+", rows[-1])[-1] == str(num_planes("tactics") - 1)
