"""`miai rules`: every rule with its parameters, values and source, and the parameters that belong to no rule."""

import json
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import click

from miai.players.option_kinds import unknown_name
from miai.players.options import FINAL_RULES

if TYPE_CHECKING:
    from miai.engine.search.parameters import Parameter


def describe_rules() -> dict[str, list[dict[str, Any]]]:
    """Return all rules by kind, and as the kind `set` the groups of parameters of no rule, in plain values."""
    from miai.engine.search import backup, selection
    from miai.engine.search.parameters import describe_parameters
    from miai.engine.search.rule_compatibility import KIND_WORDS, fitting_pairs
    from miai.engine.search.tree import bytes_per_node
    from miai.players.parameters import GROUPS

    pairs = list(fitting_pairs())
    kinds: dict[str, Mapping[str, Any]] = {"select": selection.SELECTION_RULES, "backup": backup.BACKUP_RULES}
    described = {
        kind: [
            {
                "name": rule.name,
                "summary": _summary(rule.select if kind == "select" else rule.backup),
                "source": rule.source,
                "values": [KIND_WORDS[one] for one in ([rule.kind] if kind == "select" else rule.kinds)],
                "fits": [other.name for pair in pairs if rule in pair for other in pair if other is not rule],
                "columns": [column.name for column in rule.columns],
                "bytes_per_node": bytes_per_node(len(rule.columns)),
                "parameters": _plain(rule.parameters, rule.defaults),
            }
            for rule in rules.values()
        ]
        for kind, rules in kinds.items()
    }
    described["set"] = [
        {"name": name, "summary": _summary(type(values)), "parameters": _plain(describe_parameters(values), values)}
        for name, values in GROUPS.items()
    ]
    return described


def _plain(parameters: "Iterable[Parameter]", defaults: Any) -> list[dict[str, Any]]:
    return [
        {
            "name": entry.name,
            "default": getattr(defaults, entry.name),
            "lowest": entry.lowest,
            "highest": entry.highest,
            "meaning": entry.meaning,
        }
        for entry in parameters
    ]


def _summary(described: Any) -> str:
    """Return the first sentence of a docstring, of a function compiled or not or a class, on one line."""
    text = " ".join((getattr(described, "py_func", described).__doc__ or "").split("\n\n")[0].split())
    return text.replace("`", "")


@click.command()
@click.argument("names", metavar="[RULE]...", nargs=-1)
@click.option("--json", "as_json", is_flag=True, help="All of it as one JSON object.")
def command(names: tuple[str, ...], as_json: bool) -> None:
    """Print every RULE, or those named: what it does, where it comes from, its parameters as `--set RULE.NAME=VALUE`
    takes them. `search`, `playouts`, `outcomes` and `net` are groups of parameters that belong to no rule.
    """
    described = describe_rules()
    known = [rule["name"] for rules in described.values() for rule in rules]
    for name in names:
        if name not in known:
            raise click.UsageError(str(unknown_name(name, known, "rule")))
    kinds = {kind: [rule for rule in rules if not names or rule["name"] in names] for kind, rules in described.items()}
    if as_json:
        click.echo(json.dumps(kinds, indent=1))
        return
    for kind, rules in kinds.items():
        for rule in rules:
            click.echo(f"--{kind} {rule['name']}{'.…' * (kind == 'set')}")
            click.echo(f"    {rule['summary']}")
            if kind != "set":
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
