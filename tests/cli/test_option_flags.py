"""Options of commands that take a declared option's values: wrong ones are usage errors that say what is allowed."""

import importlib

import pytest
from click.testing import CliRunner


@pytest.mark.parametrize("number", ["nan", "1e9", "seven"])
@pytest.mark.parametrize("name", ["label", "regret", "import_games"])
def test_a_komi_that_there_is_not(name: str, number: str) -> None:
    command = importlib.import_module(f"miai.cli.{name}").command
    ended = CliRunner().invoke(command, [".", "--komi", number])
    assert ended.exit_code == 2
    assert (
        f"Invalid value for '--komi': '{number}' is not allowed (allowed: a number from -1000 to 1000)" in ended.stderr
    )


@pytest.mark.parametrize("name", ["branch_games", "fit_outcomes"])
def test_a_seed_that_there_is_not(name: str) -> None:
    command = importlib.import_module(f"miai.cli.{name}").command
    ended = CliRunner().invoke(command, [".", ".", "--seed", "-1"])
    assert ended.exit_code == 2
    assert "Invalid value for '--seed': '-1' is not allowed (allowed: a whole number from 0 to" in ended.stderr


@pytest.mark.parametrize("name", ["fit_moves", "fit_patterns"])
def test_a_test_set_of_all_games(name: str) -> None:
    command = importlib.import_module(f"miai.cli.{name}").command
    ended = CliRunner().invoke(command, [".", "--held-out", "1"])
    assert ended.exit_code == 2 and "Invalid value for '--held-out': 1 is not in the range" in ended.stderr
