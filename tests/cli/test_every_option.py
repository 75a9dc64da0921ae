"""What holds for the options of all commands: numbers are numbers, and each is explained."""

import math
from pathlib import Path

import click
import pytest

from miai.cli.main import main
from tests.cli.test_main import EVERY_COMMAND


def options_of(name: str) -> list[click.Option]:
    """Return the options of a command that take a value."""
    command: click.Command | None = main
    for word in name.split():
        assert isinstance(command, click.Group)
        command = command.get_command(click.Context(command), word)
    assert command is not None
    return [one for one in command.params if isinstance(one, click.Option) and not one.is_flag]


def read(option: click.Option, text: str) -> list[float]:
    """Return the numbers with a point that an option, or a part of it, takes a text for."""
    found = []
    for kind in option.type.types if isinstance(option.type, click.Tuple) else [option.type]:
        try:
            found.append(kind.convert(text, option, None))
        except click.UsageError:
            continue
    return [value for value in found if isinstance(value, float)]


@pytest.mark.parametrize("name", EVERY_COMMAND)
def test_no_option_takes_what_is_no_number_or_has_no_end(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # an output is tried where it is
    for option in options_of(name):
        taken = [value for text in ("nan", "inf", "-inf") for value in read(option, text)]
        assert all(map(math.isfinite, taken)), (option.opts, taken)


def test_options_that_take_numbers_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    found = {f"{name} {one.opts[0]}" for name in EVERY_COMMAND for one in options_of(name) if read(one, "0.4")}
    assert {"match --opening-window", "match --sprt", "loop --hours", "web --idle", "fit-moves --tolerance"} <= found
    assert len(found) > 30


@pytest.mark.parametrize("name", EVERY_COMMAND)
def test_every_option_is_explained_in_a_sentence(name: str) -> None:
    for option in options_of(name):
        if not option.hidden:
            text = option.help or ""
            assert text[:1].isupper() and not text.startswith("Of "), option.opts
            assert "." in text or text.endswith("]"), (option.opts, text)
