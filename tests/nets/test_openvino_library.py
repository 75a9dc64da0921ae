"""OpenVINO is imported without its report over the network, for which it would keep a number of the user's."""

import os
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.parametrize("ci", [None, "false"])
def test_nothing_is_reported_and_the_environment_stays(tmp_path: Path, ci: str | None) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "CI"}
    environment |= {"HOME": str(tmp_path), "USERPROFILE": str(tmp_path), **({} if ci is None else {"CI": ci})}
    program = "import os; import miai.nets.inference.openvino_backend; print(os.environ.get('CI'))"
    found = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)
    assert found.stdout.strip() == str(ci)
    assert not (tmp_path / "intel").exists()
