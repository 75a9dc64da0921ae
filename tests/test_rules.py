"""`miai rules` names every rule and parameter that the options know."""

import json

from click.testing import CliRunner

from engine.search.backup import BACKUP_RULES
from engine.search.selection import SELECTION_RULES
from gtp.rules import command


def test_every_rule_is_listed_with_its_source_and_its_parameters() -> None:
    output = CliRunner().invoke(command).output
    for kind, rules in (("select", SELECTION_RULES), ("backup", BACKUP_RULES)):
        for rule in rules.values():
            assert f"--{kind} {rule.name}\n" in output
            assert rule.source in output
            for entry in rule.parameters:
                assert f"{rule.name}.{entry.name}={getattr(rule.defaults, entry.name):g}" in output


def test_the_json_form_has_the_same_rules() -> None:
    found = json.loads(CliRunner().invoke(command, ["--json"]).output)
    assert [rule["name"] for rule in found["select"]] == list(SELECTION_RULES)
    assert [rule["name"] for rule in found["backup"]] == list(BACKUP_RULES)
    puct = next(rule for rule in found["select"] if rule["name"] == "puct")
    dominance = next(rule for rule in found["select"] if rule["name"] == "dominance")
    assert dominance["values"] == ["chances of win, draw and loss"] and dominance["fits"] == ["wdl-product"]
    assert puct["bytes_per_node"] == 28 and puct["parameters"][0]["default"] == 1.25


def test_every_parameter_of_a_rule_is_described() -> None:
    for rule in (*SELECTION_RULES.values(), *BACKUP_RULES.values()):
        described = {entry.name for entry in rule.parameters}
        assert described == set(rule.defaults._fields) - {"unused"}
        for entry in rule.parameters:
            assert entry.lowest <= getattr(rule.defaults, entry.name) <= entry.highest
