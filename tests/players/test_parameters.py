"""Search parameters on the command line are checked before anything else happens."""

import pytest
from click import Command
from click.testing import CliRunner

from miai.cli import gtp as serve
from miai.cli import play as terminal
from miai.cli import warmup


@pytest.mark.parametrize("command", [serve.command, terminal.command, warmup.command])
@pytest.mark.parametrize("assignment", ["rave.nonsense=1", "rave.equivalence=-1"])
def test_a_wrong_parameter_is_refused_with_what_is_allowed(command: Command, assignment: str) -> None:
    result = CliRunner().invoke(command, ["--set", assignment])
    assert result.exit_code == 2
    assert assignment.split("=")[0] in result.output
    assert "allowed" in result.output
