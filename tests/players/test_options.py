"""What options may be, where they come from, and what a wrong one is told."""

import dataclasses
import pickle
import re
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from miai.cli.player_flags import find_given_options, take_options
from miai.players.option_kinds import OptionError
from miai.players.options import (
    DEFAULT_NET_SIMULATIONS,
    DEFAULT_SIMULATIONS,
    OPTIONS,
    GameOptions,
    PlayerOptions,
    resolve_options,
    to_toml,
    with_strength,
)
from miai.players.presets import PRESETS, STRENGTHS


@click.command()
@take_options
def show(player_options: PlayerOptions, game_options: GameOptions) -> None:
    """Print the options."""
    click.echo(to_toml(player_options, game_options))


def run_show(*arguments: str) -> str:
    """Return what the command printed; fail if it failed."""
    outcome = CliRunner().invoke(show, arguments)
    assert outcome.exit_code == 0, outcome.output
    return outcome.output


def error_of(*arguments: str) -> str:
    """Return the error that the command ended with, without its traceback, which there must not be."""
    outcome = CliRunner().invoke(show, arguments)
    assert outcome.exit_code == 2
    assert isinstance(outcome.exception, SystemExit)
    return outcome.output.split("Error: ", 1)[1]


def config_file(folder: Path, text: str) -> Path:
    path = folder / "options.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_nothing_given_means_the_network_and_a_default_budget():
    player, game = resolve_options()
    assert (player.select, player.backup, player.evaluator, player.net) == ("puct", "mean", "mixed", "miai")
    assert player == resolve_options("net")[0]
    assert player.simulation_limit == DEFAULT_NET_SIMULATIONS
    assert resolve_options("fuego")[0].simulation_limit == DEFAULT_SIMULATIONS
    assert (game.size, game.komi, game.rules) == (9, 7.0, "tromp-taylor")


@pytest.mark.parametrize(
    ("name", "value"), [("select", "uct"), ("backup", "max"), ("evaluator", "static"), ("policy", "random")]
)
def test_a_part_without_a_preset_goes_together_with_rave_and_fuegos_playouts(name, value, tmp_path):
    expected = dataclasses.replace(resolve_options("fuego")[0], **{name: value})
    assert resolve_options(given={name: value})[0] == expected
    assert resolve_options(config=config_file(tmp_path, f'{name} = "{value}"'))[0] == expected
    assert f'{name} = "{value}"' in run_show(f"--{name}", value)
    of_net = dataclasses.replace(resolve_options("net")[0], **{name: value})
    for part, prefix in (("select", "puct."), ("evaluator", "net.")):
        if name == part:
            kept = {key: number for key, number in of_net.parameters.items() if not key.startswith(prefix)}
            assert 0 < len(kept) < len(of_net.parameters)
            of_net = dataclasses.replace(of_net, parameters=kept)
    assert resolve_options(preset="net", given={name: value})[0] == of_net
    assert resolve_options(config=config_file(tmp_path, f'preset = "net"\n{name} = "{value}"'))[0] == of_net


@pytest.mark.parametrize(("preset", "part"), [("net", "select"), ("crazystone", "backup"), ("holden", "backup")])
def test_a_rule_that_is_replaced_takes_its_parameters_with_it(preset, part, tmp_path):
    of_preset = resolve_options(preset)[0]
    replaced = getattr(of_preset, part)
    kept = {name: value for name, value in of_preset.parameters.items() if not name.startswith(f"{replaced}.")}
    assert len(kept) < len(of_preset.parameters)
    path = config_file(tmp_path, f'{part} = "maxmcts"\n') if part == "backup" else None
    given = {} if path else {part: "esprit"}
    assert resolve_options(preset, path, given | {"parameters": {"x.y": 1}})[0].parameters == kept | {"x.y": 1}
    assert resolve_options(preset, given={part: replaced})[0] == of_preset


@pytest.mark.parametrize("evaluator", ["net", "mixed"])
def test_an_evaluator_that_is_replaced_takes_its_parameters_with_it(evaluator):
    assert "search.expand_at" in resolve_options("holden")[0].parameters
    of_holden = resolve_options("holden", given={"evaluator": evaluator})[0]
    assert of_holden.parameters == {"wdl-product.kappa": 0.3}
    given = {"evaluator": evaluator, "parameters": {"search.expand_at": 3}}
    assert "search.expand_at" in resolve_options("holden", given=given)[0].parameters  # to be told that it does nothing


def test_a_parameter_of_rave_names_a_part_too(tmp_path):
    expected = PlayerOptions(parameters={"rave.exploration": 0.1})
    assert resolve_options(given={"parameters": {"rave.exploration": 0.1}})[0] == expected
    for text in ("[parameters]\nrave.exploration = 0.1", '[parameters]\n"rave.exploration" = 0.1'):
        assert resolve_options(config=config_file(tmp_path, text))[0] == expected


def test_a_time_limit_alone_leaves_simulations_unlimited():
    assert PlayerOptions(time=1.0).simulation_limit is None
    assert PlayerOptions(time=1.0, simulations=50).simulation_limit == 50


def test_the_command_line_overrides_the_config_file_and_that_the_preset(tmp_path):
    path = config_file(tmp_path, 'preset = "strong"\nthreads = 3\nkomi = 6.5\nseed = 5\n')
    player, game = resolve_options(config=path, given={"seed": "6"})
    assert player.time == PRESETS["strong"].values["time"]
    assert (player.threads, game.komi, player.seed) == (3, 6.5, 6)


def test_a_preset_on_the_command_line_takes_the_place_of_the_config_files(tmp_path):
    path = config_file(tmp_path, 'preset = "strong"\nthreads = 3\n')
    player, _ = resolve_options(preset="fast", config=path)
    assert (player.time, player.simulations, player.threads) == (None, 400, 3)


def test_search_parameters_of_all_sources_are_united(tmp_path):
    path = config_file(tmp_path, "[parameters]\nrave.equivalence = 500.0\nuct.constant = 0.4\n")
    player, _ = resolve_options(config=path, given={"parameters": {"uct.constant": 0.7}})
    assert player.parameters == {"rave.equivalence": 500.0, "uct.constant": 0.7}


def test_a_strength_goes_before_the_options_and_behind_the_preset(tmp_path):
    plain, _ = resolve_options(preset="strong")
    weak, _ = resolve_options(preset="strong", given={"strength": "3"})
    assert weak == dataclasses.replace(plain, **STRENGTHS[3]) != plain
    path = config_file(tmp_path, "strength = 3\nsimulations = 7\n")
    assert resolve_options(preset="strong", config=path)[0] == dataclasses.replace(weak, simulations=7)
    full, _ = resolve_options(config=path, given={"strength": 10})
    assert full == dataclasses.replace(resolve_options()[0], simulations=7)


def test_a_level_asked_for_later_is_that_of_the_start():
    for strength in STRENGTHS:
        started = resolve_options(preset="net", given={"strength": strength, "seed": 1})[0]
        assert with_strength(resolve_options(preset="net", given={"seed": 1})[0], strength) == started


@pytest.mark.parametrize("strength", [strength for strength, values in STRENGTHS.items() if "select" in values])
@pytest.mark.parametrize("preset", PRESETS)
def test_a_level_with_a_player_of_its_own_is_the_same_whatever_the_preset(preset, strength):
    limits = {"time": None, "threads": 1, "seed": 1}
    options = resolve_options(preset=preset, given=limits | {"strength": strength})[0]
    assert options == resolve_options(preset="net", given=limits | {"strength": strength})[0]
    assert with_strength(resolve_options(preset=preset, given=limits)[0], strength) == options
    tuned = resolve_options(preset="uct", given=limits | {"parameters": {"uct.constant": 0.5}})[0]
    assert with_strength(tuned, strength) == options


@pytest.mark.parametrize("strength", STRENGTHS)
def test_every_strength_is_made_of_allowed_options(strength):
    player, _ = resolve_options(given={"strength": strength})
    for key, value in STRENGTHS[strength].items():
        assert getattr(player, key) == value


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_is_made_of_allowed_options(name):
    player, game = resolve_options(name)
    for key, value in PRESETS[name].values.items():
        assert getattr(player, key, getattr(game, key, None)) == value


def test_options_survive_toml_and_pickle(tmp_path):
    player = PlayerOptions(
        policy="no_ac", simulations=12, seed=2**63 - 1, parameters={"a.b": 1e-9, "c": True, "d": 'a "b" \\ \n é'}
    )
    game = GameOptions(size=13, komi=-0.25, rules="chinese")
    path = config_file(tmp_path, to_toml(player, game))
    assert resolve_options(config=path) == (player, game)
    assert pickle.loads(pickle.dumps((player, game))) == (player, game)


def test_options_on_the_command_line_reach_the_command():
    printed = run_show(
        *("--select", "uct", "--policy", "random", "--simulations", "77", "--threads", "2", "--memory", "64"),
        *("--resign-below", "0", "--size", "7", "--komi", "8.5", "--rules", "cgos", "--set", "rave.equivalence=1000"),
    )
    for line in ('select = "uct"', "simulations = 77", "resign_below = 0.0", "size = 7", '"rave.equivalence" = 1000'):
        assert line in printed


def test_none_lifts_a_limit_that_a_preset_set():
    assert "simulations" not in run_show("--preset", "fast", "--simulations", "none", "--time", "0.5")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--policy", "fuegoo"), ["policy", "'fuegoo'", "did you mean 'fuego'", "crazystone", "no_ac"]),
        (("--select", "alphabeta"), ["select", "'alphabeta'", "uct, rave, rave-fuego, puct"]),
        (("--rules", "japanese"), ["rules", "tromp-taylor, cgos, chinese"]),
        (("--preset", "fasst"), ["preset: 'fasst'", "did you mean 'fast'", "strong"]),
        (("--simulations", "0"), ["simulations", "'0'", "from 1 to 1000000000"]),
        (("--simulations", "many"), ["'many'", "whole number"]),
        (("--simulations", "9" * 5000), ["whole number"]),
        (("--time", "-1"), ["time", "'-1'", "0.001"]),
        (("--time", "nan"), ["time", "'nan'"]),
        (("--komi", "inf"), ["komi", "'inf'", "a number"]),
        (("--komi", "1e308"), ["komi", "'1e308'", "a number from -1000 to 1000"]),
        (("--threads", "1.5"), ["threads", "'1.5'"]),
        (("--size", "20"), ["size", "from 2 to 19"]),
        (("--resign-below", "2"), ["resign-below", "from 0 to 0.5"]),
        (("--strength", "11"), ["strength", "'11'", "from 1 to 10"]),
        (("--temperature", "-1"), ["temperature", "'-1'"]),
        (("--set", "rave.equivalence"), ["set", "NAME=VALUE"]),
        (("--polcy", "fuego"), ["--polcy", "--policy"]),
    ],
)
def test_a_wrong_option_names_itself_and_the_right_ones(arguments, words):
    error = error_of(*arguments)
    for word in words:
        assert word in error
    assert len(error.strip().splitlines()) == 1


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('polcy = "fuego"', ["'polcy'", "did you mean 'policy'", "simulations"]),
        ('policy = "fuegoo"', ["policy", "did you mean 'fuego'"]),
        ('simulations = "x"', ["simulations", "'x'"]),
        ("simulations = 10.5", ["simulations", "'10.5'"]),
        ("threads = true", ["threads", "'True'"]),
        ("select = 3", ["select", "'3'", "rave"]),
        ("preset = 3", ["preset: '3'"]),
        ('preset = "nothing"', ["preset: 'nothing'", "fuego"]),
        ("parameters = 3", ["parameters"]),
        ("[parameters]\na = [1]", ["parameters", "a is neither a number, a string"]),
        ("[policy]\na = 1", ["policy"]),
        ("policy = = 3", ["not valid TOML", "line 1"]),
        (f"komi = {'[' * 5000}{']' * 5000}", ["nested too deep", "20 levels"]),
        (f"komi = {'[' * 21}{']' * 21}", ["nested too deep", "20 levels"]),
        (f"parameters.{'.'.join('a' * 900)} = 1", ["nested too deep", "20 levels"]),
        (f"seed = {'9' * 5000}", ["a number has too many digits"]),
        (f"seed = 0x{'f' * 9000}", ["a number has too many digits"]),
        (f"parameters.{'.'.join('a' * 20000)} = 1", ["is too large", "16384 bytes"]),
    ],
    ids=lambda value: value[:20] if isinstance(value, str) else None,
)
def test_a_wrong_config_file_is_told_what_is_wrong(tmp_path, text, words):
    path = config_file(tmp_path, text)
    error = error_of("--config", str(path))
    assert len(error.strip().splitlines()) == 1
    for word in words:
        assert word in error


def test_a_config_file_that_cannot_be_read_is_one_clear_error(tmp_path):
    assert "No such file" in error_of("--config", str(tmp_path / "missing.toml"))
    assert "directory" in error_of("--config", str(tmp_path)).lower()
    (tmp_path / "latin.toml").write_bytes(b'policy = "\xe9"')
    assert "UTF-8" in error_of("--config", str(tmp_path / "latin.toml"))


def test_options_made_in_code_are_checked_too():
    with pytest.raises(OptionError, match="policy"):
        PlayerOptions(policy="nonsense")
    with pytest.raises(OptionError, match="size"):
        GameOptions(size=1)


def options_in(help_text: str) -> list[str]:
    return re.findall(r"^  (?:-h, )?--([a-z-]+)", help_text, re.MULTILINE)


def test_the_help_shows_what_most_people_want_and_help_all_everything():
    short, full = (options_in(run_show(flag)) for flag in ("--help", "--help-all"))
    assert short == [
        *("preset", "config", "strength", "simulations", "time", "threads", "ponder", "size", "komi", "rules"),
        *("help-all", "help"),
    ]
    assert {name.replace("_", "-") for name in OPTIONS if name != "parameters"} <= set(full)
    assert set(short) | {"set"} <= set(full)
    assert options_in(run_show("--help")) == short  # `--help-all` leaves no traces


def test_the_short_help_names_the_presets_and_the_full_one_explains_them():
    short, full = (" ".join(run_show(flag, "--help").split()) for flag in ("--help", "--help-all"))
    assert f"[{', '.join(PRESETS)}; default net]" in short.replace("uct- ", "uct-").replace("rave- ", "rave-")
    summary = PRESETS["holden"].summary
    assert summary in full and summary not in short


def test_a_command_knows_which_options_it_was_given(tmp_path):
    @click.command()
    @take_options
    def list_given(player_options: PlayerOptions, game_options: GameOptions) -> None:
        click.echo(" ".join(sorted(find_given_options())))

    path = config_file(tmp_path, "komi = 5.5\n")
    arguments = ["--config", str(path), "--threads", "2", "--set", "puct.c0=1"]
    assert CliRunner().invoke(list_given, arguments).output.split() == ["config", "komi", "parameters", "threads"]
    assert CliRunner().invoke(list_given, []).output.split() == []
