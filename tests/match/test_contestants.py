"""What the words for a side mean."""

import sys
from pathlib import Path

import pytest

from miai.match.contestants import agree_on_game, complete_description, read_contestant
from miai.players.option_kinds import OptionError
from miai.players.options import GameOptions, resolve_options


def test_a_preset() -> None:
    contestant = read_contestant("fuego")
    assert contestant.options is not None
    assert (contestant.options.select, contestant.options.policy) == ("rave", "fuego")


def test_a_preset_with_other_options() -> None:
    options = read_contestant("fuego:simulations=1000,select=uct,resign-below=0.1,rave.equivalence=500").options
    assert options is not None
    assert (options.simulations, options.select, options.resign_below) == (1000, "uct", 0.1)
    assert options.parameters == {"rave.equivalence": 500}


def test_a_config_file(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text("simulations = 7\nthreads = 2\n[parameters]\nrave.equivalence = 3\n")
    contestant = read_contestant(f"{file}:simulations=8")
    assert contestant.options is not None
    assert (contestant.options.simulations, contestant.threads) == (8, 2)
    assert contestant.options.parameters == {"rave.equivalence": 3}


def test_miai_is_started_with_a_config_file_that_says_all(tmp_path: Path) -> None:
    contestant = read_contestant("uct:simulations=9,threads=2,rave.equivalence=500")
    command = contestant.prepare(tmp_path / "A.toml", GameOptions(7, 5.5, "chinese"))
    assert command[0] == sys.executable
    assert command[-3:] == ("gtp", "--config", str(tmp_path / "A.toml"))
    assert resolve_options(config=tmp_path / "A.toml") == (contestant.options, GameOptions(7, 5.5, "chinese"))


def test_a_program(tmp_path: Path) -> None:
    contestant = read_contestant(f"{sys.executable} -m something --level 'a b'")
    assert contestant.program == (sys.executable, "-m", "something", "--level", "a b")
    assert contestant.threads == 1
    assert contestant.prepare(tmp_path / "A.toml", GameOptions()) == contestant.program
    assert not (tmp_path / "A.toml").exists()


def test_the_game_is_what_anybody_says_and_the_rest_by_default(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text("simulations = 7\nkomi = 5\nrules = 'chinese'\n")
    silent, of_file, of_text = (read_contestant(text) for text in ("fuego", str(file), "uct:size=7,komi=5"))
    assert agree_on_game({}, [silent]) == GameOptions()
    assert agree_on_game({}, [silent, of_file]) == GameOptions(9, 5.0, "chinese")
    assert agree_on_game({"komi": 5}, [of_file, of_text]) == GameOptions(7, 5.0, "chinese")
    assert agree_on_game({}, [read_contestant(f"{file}:komi=6.5")]).komi == 6.5


def test_who_says_different_things_of_the_game_is_named() -> None:
    one, other = read_contestant("fuego:komi=5.5"), read_contestant("uct:komi=6")
    with pytest.raises(OptionError, match=r"^komi: 'fuego:komi=5.5' says 5.5, 'uct:komi=6' says 6 \(allowed: the same"):
        agree_on_game({"size": 7}, [one, other])
    with pytest.raises(OptionError, match=r"^komi: the command line says 7, 'fuego:komi=5.5' says 5.5"):
        agree_on_game({"komi": 7.0}, [one])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("fuegi", r"'fuegi' is neither a preset \(net, .*fuego.* nor a program .* did you mean 'fuego'"),
        ("no-such-program --level 3", "there is no program 'no-such-program'"),
        ("fuego:simulation=3", "no player option 'simulation' – did you mean 'simulations'"),
        ("fuego:select=dice", "select: 'dice' is not allowed .*uct"),
        ("fuego:komi=high", "komi: 'high' is not allowed"),
        ("fuego:size=20", "size: '20' is not allowed"),
        ("fuego:", "^'fuego:': '' is not allowed .allowed: NAME=VALUE"),
        (
            "fuego:threads=2,simulations",
            "^'fuego:threads=2,simulations': 'simulations' is not allowed .allowed: NAME",
        ),
        ("nowhere.toml", "cannot read nowhere.toml"),
        ("gnugo 'unclosed", "cannot be read as a command line"),
        ("", "is neither a preset"),
    ],
)
def test_wrong_words_are_named_with_the_right_ones(text: str, words: str) -> None:
    with pytest.raises(OptionError, match=words):
        read_contestant(text)


def test_a_match_from_before_options_were_renamed_is_the_same_match() -> None:
    now = read_contestant("crazystone:min_visit_ratio=0.1,final=policy,crazystone.max_effective_visits=9")
    described = now.describe()
    parameters = {"mix.internal_at": 0, "crazystone.most": 9}
    old = {name: value for name, value in described["miai"].items() if name != "min_visit_ratio"}
    old |= {"least_share": 0.1, "final": "r", "parameters": parameters}
    assert complete_description({"miai": old}) == described
