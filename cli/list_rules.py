"""`miai rules`: every part of a search with its parameters, their defaults, its values and its source."""

import json
from collections.abc import Mapping
from typing import Any

import click

from miai.engine.search.rule_names import BACKUP_MODULES, SELECTION_MODULES
from miai.players.option_kinds import unknown_name
from miai.players.options import FINAL_RULES


def describe_rules() -> dict[str, list[dict[str, Any]]]:
    """Return all rules by kind, in plain values."""
    from miai.engine.search import backup, selection
    from miai.engine.search.rule_compatibility import KIND_WORDS, fitting_pairs
    from miai.engine.search.tree import bytes_per_node

    pairs = list(fitting_pairs())
    kinds: dict[str, Mapping[str, Any]] = {"select": selection.SELECTION_RULES, "backup": backup.BACKUP_RULES}
    return {
        kind: [
            {
                "name": rule.name,
                "summary": _summary(rule.select if kind == "select" else rule.backup),
                "source": rule.source,
                "values": [KIND_WORDS[one] for one in ([rule.kind] if kind == "select" else rule.kinds)],
                "fits": [other.name for pair in pairs if rule in pair for other in pair if other is not rule],
                "columns": [column.name for column in rule.columns],
                "bytes_per_node": bytes_per_node(len(rule.columns)),
                "parameters": [
                    {
                        "name": entry.name,
                        "default": getattr(rule.defaults, entry.name),
                        "lowest": entry.lowest,
                        "highest": entry.highest,
                        "meaning": entry.meaning,
                    }
                    for entry in rule.parameters
                ],
            }
            for rule in rules.values()
        ]
        for kind, rules in kinds.items()
    }


def _summary(function: Any) -> str:
    """Return the first sentence of a compiled function's docstring, on one line."""
    text = " ".join((function.py_func.__doc__ or "").split("\n\n")[0].split())
    return text.replace("`", "")


@click.command()
@click.argument("names", metavar="[RULE]...", nargs=-1)
@click.option("--json", "as_json", is_flag=True, help="All of it as one JSON object.")
def command(names: tuple[str, ...], as_json: bool) -> None:
    """Print every RULE, or those named: what it does, where it comes from, its parameters as `--set RULE.NAME=VALUE`
    takes them.
    """
    for name in names:
        if name not in (known := (*SELECTION_MODULES, *BACKUP_MODULES)):
            raise click.UsageError(str(unknown_name(name, known, "rule")))
    kinds = {
        kind: [rule for rule in rules if not names or rule["name"] in names] for kind, rules in describe_rules().items()
    }
    if as_json:
        click.echo(json.dumps(kinds, indent=1))
        return
    for kind, rules in kinds.items():
        for rule in rules:
            click.echo(f"--{kind} {rule['name']}")
            click.echo(f"    {rule['summary']}")
            click.echo(f"    {rule['source']}; {rule['bytes_per_node']} bytes a node")
            click.echo(f"    values: {' or '.join(rule['values'])}")
            for entry in rule["parameters"]:
                name = f"{rule['name']}.{entry['name']}={entry['default']:g}"
                click.echo(f"    {name:<35} {entry['meaning']} ({entry['lowest']:g} to {entry['highest']:g})")
            click.echo()
    if names:
        return
    click.echo(f"--final {', '.join(FINAL_RULES)}")
    click.echo("    Most visits; greatest lower confidence bound of the value, of moves with enough visits;")
    click.echo("    greatest probability in the search policy (esprit's r); greatest value;")
    click.echo("    greatest expected payoff, of backups that keep win, draw and loss probabilities.")
