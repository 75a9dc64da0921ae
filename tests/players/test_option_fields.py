"""Options are declared once: each says what it may be and what it means, and everything else follows."""

import dataclasses
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import pytest
from click.testing import CliRunner

from miai.cli.main import main
from miai.players.option_fields import OptionField, check_fields, fields_of, read_option_file
from miai.players.option_kinds import Integer, OptionError, PairOf, Real
from miai.players.options import OPTIONS, GameOptions, PlayerOptions, resolve_options
from miai.selfplay.generation.selfplay_recipe import SelfPlayRecipe
from miai.selfplay.training.training_recipe import TrainingRecipe

DECLARED = (PlayerOptions, GameOptions, SelfPlayRecipe, TrainingRecipe)
FIELDS = [*OPTIONS.values(), *(field for declared in DECLARED for field in fields_of(declared).values())]


@dataclass(frozen=True)
class Sample:
    """Options of this test."""

    width: Annotated[int, Integer(1, 5), "How wide."] = 2
    bounds: Annotated[tuple[float, float], PairOf(Real(0, 1), "LOW HIGH"), "From where to where."] = (0.0, 0.5)

    def __post_init__(self) -> None:
        check_fields(self)


@pytest.mark.parametrize("field", FIELDS, ids=lambda field: field.name)
def test_every_option_means_something_and_may_be_its_default(field: OptionField) -> None:
    assert field.meaning[0].isupper() and field.meaning.endswith(".") and field.meaning.count(". ") == 0
    assert field.kind.allowed and field.kind.metavar
    assert field.read(field.default) == field.default


@pytest.mark.parametrize("declared", DECLARED)
def test_every_field_is_declared(declared: type) -> None:
    assert [field.name for field in dataclasses.fields(declared)] == [*fields_of(declared)]


def test_values_are_read_as_their_kinds_say() -> None:
    assert Sample(width="3", bounds="0 1") == Sample(3, (0.0, 1.0))  # type: ignore[arg-type]
    with pytest.raises(OptionError, match=r"width: '9' is not allowed \(allowed: a whole number from 1 to 5\)"):
        Sample(width=9)
    with pytest.raises(OptionError, match=r"bounds: '2' is not allowed \(allowed: a number from 0 to 1\)"):
        Sample(bounds=(0, 2))
    for wrong in ("0", "0 1 1", 0.5, None):
        with pytest.raises(OptionError, match=rf"bounds: '{wrong}' is not allowed"):
            Sample(bounds=wrong)  # type: ignore[arg-type]


def test_a_file_is_checked_by_name_and_value(tmp_path: Path) -> None:
    path = tmp_path / "sample.toml"
    path.write_text("width = 4\nbounds = [0, 0.25]\n")
    assert Sample(**read_option_file(path, fields_of(Sample), "option")) == Sample(4, (0.0, 0.25))
    path.write_text("widht = 4\n")
    with pytest.raises(OptionError, match=r"sample\.toml: there is no option 'widht' – did you mean 'width'"):
        read_option_file(path, fields_of(Sample), "option")


def help_of(*command: str) -> str:
    """Return a command's help as one line, without the spaces that wrapping brings."""
    outcome = CliRunner().invoke(main, command)
    assert outcome.exit_code == 0
    return "".join(outcome.output.split())


@pytest.mark.parametrize(
    ("command", "fields"),
    [
        (("play", "--help-all"), OPTIONS),
        (("train", "--help"), fields_of(TrainingRecipe)),
        (("match", "--help"), fields_of(GameOptions)),
        (("round-robin", "--help"), fields_of(GameOptions)),
        (("loop", "--help"), {name: fields_of(SelfPlayRecipe)[name] for name in ("komi_range", "resign_fraction")}),
    ],
    ids=lambda value: value[0] if isinstance(value, tuple) else "",
)
def test_help_says_what_is_declared(command: tuple[str, ...], fields: dict[str, OptionField]) -> None:
    shown = help_of(*command)
    for field in fields.values():
        assert "".join(field.meaning.replace("`", "").split()) in shown
        if field.name not in ("preset", "parameters"):
            assert "".join(f"{field.flag} {field.kind.metavar}".split()) in shown
            assert f"[{''.join(field.kind.allowed.split())}" in shown


def test_help_shows_the_defaults_of_the_commands_preset() -> None:
    play, selfplay = help_of("play", "--help-all"), help_of("selfplay", "--help-all")
    assert resolve_options()[0].select == "puct"
    assert "FILE.py:NAME;defaultpuct]" in play
    assert "FILE.py:NAME;defaultrave]" in selfplay
    assert "[net,fast," in help_of("play", "--help")


def test_flags_of_the_game_are_refused_with_what_is_allowed() -> None:
    outcome = CliRunner().invoke(main, ["match", "fuego", "uct", "--size", "99"])
    assert outcome.exit_code == 2
    assert "Error: size: '99' is not allowed (allowed: a whole number from 2 to 19)" in outcome.output
