"""Options of players that a command has not, as they would change nothing there."""

import functools
import importlib
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from miai.cli.player_flags import take_options
from miai.players.options import GameOptions, PlayerOptions

LEFT_OUT = {
    "selfplay": ("strength", "time", "ponder", "early-stop", "temperature", "min-visit-ratio"),
    "loop": ("time", "ponder"),
    "analysis": ("ponder", "size", "komi", "rules"),
    "review": ("ponder", "size", "rules"),
    "warmup": ("ponder",),
    "web": ("ponder",),
}


def run(name: str, *arguments: object) -> Result:
    command = importlib.import_module(f"miai.cli.{name}").command
    return CliRunner().invoke(command, [str(argument) for argument in arguments])


@click.command()
@functools.partial(take_options, without=("ponder",), texts={"simulations": "Simulations of a test."})
def show(player_options: PlayerOptions, game_options: GameOptions) -> None:
    click.echo(f"ponder {player_options.ponder}, simulations {player_options.simulations}")


@pytest.mark.parametrize(("name", "option"), [(name, option) for name, found in LEFT_OUT.items() for option in found])
def test_an_option_that_would_change_nothing_is_none(name: str, option: str) -> None:
    ended = run(name, f"--{option}", "1")
    assert ended.exit_code == 2 and f"No such option '--{option}'" in ended.stderr


@pytest.mark.parametrize("name", ["gtp", "play"])
def test_where_pondering_acts_it_is_an_option(name: str) -> None:
    ended = run(name, "--ponder", "perhaps")
    assert ended.exit_code == 2 and "ponder: 'perhaps' is not allowed (allowed: on, off)" in ended.stderr


def test_a_config_file_may_set_what_the_command_has_not(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text("ponder = true\nsimulations = 7\n")
    ended = CliRunner().invoke(show, ["--config", str(tmp_path / "mine.toml")])
    assert ended.output == "ponder True, simulations 7\n"


def test_a_help_of_the_command_takes_the_place_of_the_options_own() -> None:
    told = CliRunner().invoke(show, ["--help"]).output
    assert "Simulations of a test." in told and "Maximum simulations per move" not in told and "--ponder" not in told


@pytest.mark.parametrize(("name", "number"), [("selfplay", 400), ("loop", 32)])
def test_the_simulations_of_self_play_have_their_own_default(name: str, number: int) -> None:
    told = " ".join(run(name, "--help").output.split())
    assert f"--simulations N Simulations of a full search. [default: {number}]" in told
    assert "5000" not in told


@pytest.mark.parametrize("name", ["selfplay", "loop"])
def test_self_play_refuses_a_config_file_with_a_limit_of_time(name: str, tmp_path: Path) -> None:
    if name == "loop":
        pytest.importorskip("torch")
    (tmp_path / "mine.toml").write_text("time = 2.5\n")
    ended = run(name, "--output", tmp_path / "out", "--config", tmp_path / "mine.toml")
    assert ended.exit_code == 2
    assert "self-play counts simulations: the preset or config file says time = 2.5 (allowed: none)" in ended.stderr
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(("flag", "instead"), [("--net", "--start-from"), ("--evaluator", "--net-evaluator")])
def test_a_loop_refuses_the_network_of_a_player_and_names_its_own_option(
    flag: str, instead: str, tmp_path: Path
) -> None:
    ended = run("loop", "--output", tmp_path / "out", flag, "net")
    assert ended.exit_code == 2
    assert f"{flag} is not allowed: a loop makes its networks (allowed: {instead})" in ended.stderr
    assert not (tmp_path / "out").exists()
