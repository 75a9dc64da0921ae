"""Write the tables of options and commands in docs/reference from their declarations.

    python docs/make_reference.py

Two comments mark the place of a table, `<!-- options:NAME -->` and `<!-- end -->`; what lies between them is replaced.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import click

from miai.cli.main import main
from miai.cli.option_flags import show_value
from miai.cli.selfplay_flags import FLAGS, show_default
from miai.environment.game_arguments import EnvironmentOptions
from miai.players.option_fields import OptionField, fields_of
from miai.players.option_kinds import Switch
from miai.players.options import OPTIONS, PLAYER_FIELDS, START_FIELDS, GameOptions, PlayerOptions, resolve_options
from miai.players.presets import DEFAULT_PRESET, PRESETS, STRENGTHS
from miai.selfplay.generation.selfplay_recipe import SelfPlayRecipe
from miai.selfplay.training.training_recipe import TrainingRecipe

PAGES = [Path(__file__).parent / "reference" / name for name in ("options.md", "environment.md", "commands.md")]
BLOCK = re.compile(r"(<!-- options:([\w-]+) -->\n).*?(<!-- end -->)", re.DOTALL)


def make_table(headers: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Return a Markdown table."""
    headers = list(headers)
    lines = [headers, ["---"] * len(headers), *rows]
    return "".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |\n" for line in lines)


def allowed_by(field: OptionField) -> str:
    """Return the allowed values, a range of numbers without words about it."""
    return re.sub(r"^a (?:whole )?number from ", "", field.kind.allowed)


def make_option_table(fields: Iterable[OptionField], show_default: Callable[[OptionField], str]) -> str:
    """Return a table of options: flag, meaning, allowed values, default."""
    rows = (
        (f"`{field.flag} {field.kind.metavar}`", field.meaning, allowed_by(field), show_default(field))
        for field in fields
    )
    return make_table(("option", "meaning", "allowed", "default"), rows)


def show_own_default(field: OptionField) -> str:
    """Return the default that the field is declared with."""
    return show_value(field.default)


def show_players_default(field: OptionField) -> str:
    """Return the value that the default player has."""
    return show_value(getattr(resolve_options()[0], field.name, field.default))


def show_settings(values: Mapping[str, Any]) -> str:
    """Return options as they are written after a player's colon; those that are a whole other preset by its name."""
    base = PRESETS[DEFAULT_PRESET].values
    if base.keys() < values.keys():
        usual = {name: field.default for name, field in fields_of(PlayerOptions).items()} | base
        changed = {name: value for name, value in values.items() if usual.get(name) != value}
        return f"`{DEFAULT_PRESET}` with {show_settings(changed)}"
    shown = {name.replace("_", "-"): value for name, value in values.items() if name != "parameters"}
    shown |= values.get("parameters", {})
    return ", ".join(f"`{name}={show_value(value) or 'none'}`" for name, value in shown.items()) or "nothing"


def make_argument_table(fields: Iterable[OptionField]) -> str:
    """Return a table of options that are given in Python."""
    rows = (
        (
            f"`{field.name}`",
            field.meaning,
            "True, False" if isinstance(field.kind, Switch) else allowed_by(field),
            f"`{field.default!r}`",
        )
        for field in fields
    )
    return make_table(("option", "meaning", "allowed", "default"), rows)


def describe_command(path: str, command: click.Command) -> str:
    """Return a section on a command, and those on its subcommands: usage, purpose, and the options of `--help`."""
    context = click.Context(command, info_name=path)
    if isinstance(command, click.Group):
        names = command.list_commands(context)
        subcommands = ((name, command.get_command(context, name)) for name in names)
        return "".join(describe_command(f"{path} {name}", one) for name, one in subcommands if one is not None)
    own = [one for one in command.params if isinstance(one, click.Option)]
    records = [record for one in own if (record := one.get_help_record(context)) is not None]
    usage = " ".join(command.collect_usage_pieces(context))
    purpose = " ".join((command.help or "").split("\f")[0].split("\n\n")[0].split())
    table = make_table(("option", "meaning"), ((f"`{flag}`", text) for flag, text in records)) if records else ""
    return f"## {path.removeprefix('miai ')}\n\n`{path} {usage}`\n\n{purpose}\n\n{table}\n"


TABLES: Mapping[str, Callable[[], str]] = {
    "player": lambda: make_option_table(
        (OPTIONS[name] for name in (*START_FIELDS, *PLAYER_FIELDS) if name != "parameters"), show_players_default
    ),
    "game": lambda: make_option_table(fields_of(GameOptions).values(), show_own_default),
    "commands": lambda: describe_command("miai", main),
    "presets": lambda: make_table(
        ("preset", "what it is", "what it sets"),
        ((f"`{name}`", preset.summary, show_settings(preset.values)) for name, preset in PRESETS.items()),
    ),
    "levels": lambda: make_table(
        ("level", "what it sets"), ((str(level), show_settings(values)) for level, values in STRENGTHS.items())
    ),
    "selfplay": lambda: make_option_table((fields_of(SelfPlayRecipe)[name] for name in FLAGS), show_default),
    "environment": lambda: make_argument_table(fields_of(EnvironmentOptions).values()),
    "training": lambda: make_option_table(fields_of(TrainingRecipe).values(), show_own_default),
}
"""What makes the table of each marked block."""


def fill_blocks(text: str) -> str:
    """Return the page's text with its marked tables made anew.

    Raises:
        KeyError: if a block names no table.
    """
    return BLOCK.sub(lambda found: f"{found[1]}{TABLES[found[2]]()}{found[3]}", text)


if __name__ == "__main__":
    for page in PAGES:
        page.write_text(fill_blocks(page.read_text(encoding="utf-8")), encoding="utf-8")
