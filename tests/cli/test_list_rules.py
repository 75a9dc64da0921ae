"""`miai rules` names every rule and parameter that the options know."""

import json
import re

import pytest
from click.testing import CliRunner

from miai.cli.list_rules import command
from miai.engine.search.backup import BACKUP_RULES
from miai.engine.search.parameters import describe_parameters
from miai.engine.search.rule_compatibility import fitting_pairs
from miai.engine.search.selection import SELECTION_RULES
from miai.players.options import PlayerOptions
from miai.players.parameters import GROUPS, PlayerParameters


def test_every_rule_is_listed_with_its_source_and_its_parameters() -> None:
    output = CliRunner().invoke(command).output
    for kind, rules in (("select", SELECTION_RULES), ("backup", BACKUP_RULES)):
        for rule in rules.values():
            assert f"--{kind} {rule.name}\n" in output
            assert rule.source in output
            for entry in rule.parameters:
                assert f"{rule.name}.{entry.name}={getattr(rule.defaults, entry.name):g}" in output


def test_a_name_shows_that_rule_alone() -> None:
    shown = CliRunner().invoke(command, ["uct"])
    assert shown.exit_code == 0
    assert re.findall(r"^--.*", shown.output, re.MULTILINE) == ["--select uct"]
    assert "uct.exploration=" in shown.output
    several = CliRunner().invoke(command, ["mean", "uct", "--json"])
    assert {kind: [rule["name"] for rule in rules] for kind, rules in json.loads(several.output).items()} == {
        "select": ["uct"],
        "backup": ["mean"],
        "set": [],
    }


def test_parameters_of_no_rule_are_listed_and_their_group_can_be_named() -> None:
    output = CliRunner().invoke(command).output
    for group, values in GROUPS.items():
        for entry in describe_parameters(values):
            default = getattr(values, entry.name)
            assert re.search(rf"^    {group}\.{entry.name}={default:g} +{re.escape(entry.meaning)}", output, re.M)
    shown = CliRunner().invoke(command, ["playouts"]).output
    assert re.findall(r"^--.*", shown, re.MULTILINE) == ["--set playouts.…"] and "playouts.mercy=0 " in shown


@pytest.mark.parametrize("evaluator", ["playouts", "static", "mixed"])
def test_what_a_search_lets_one_set_is_listed(evaluator: str) -> None:
    listed = json.loads(CliRunner().invoke(command, ["--json"]).output)
    names = {
        f"{rule['name']}.{entry['name']}" for rules in listed.values() for rule in rules for entry in rule["parameters"]
    }
    for selection, backup in fitting_pairs():
        current = PlayerParameters(selection, backup, PlayerOptions(evaluator=evaluator)).current()
        assert current.keys() <= names


def test_a_wrong_name_is_told_the_right_ones() -> None:
    wrong = CliRunner().invoke(command, ["utc"])
    assert wrong.exit_code == 2
    assert "there is no rule 'utc' – did you mean 'uct'?" in wrong.output and "softmax" in wrong.output


def test_a_blank_parts_every_parameter_from_its_meaning() -> None:
    output = CliRunner().invoke(command).output
    for rule in (*SELECTION_RULES.values(), *BACKUP_RULES.values()):
        for entry in rule.parameters:
            default = getattr(rule.defaults, entry.name)
            assert re.search(rf"^    {rule.name}\.{entry.name}={default:g} +{re.escape(entry.meaning)}", output, re.M)


def test_the_json_form_has_the_same_rules() -> None:
    found = json.loads(CliRunner().invoke(command, ["--json"]).output)
    assert [rule["name"] for rule in found["select"]] == list(SELECTION_RULES)
    assert [rule["name"] for rule in found["backup"]] == list(BACKUP_RULES)
    puct = next(rule for rule in found["select"] if rule["name"] == "puct")
    dominance = next(rule for rule in found["select"] if rule["name"] == "dominance")
    assert dominance["values"] == ["win, draw and loss probabilities"] and dominance["fits"] == [
        "wdl-product",
        "wdl-effective",
        "wdl-counts",
    ]
    assert puct["bytes_per_node"] == 28 and puct["parameters"][0]["default"] == 1.25


def test_every_parameter_of_a_rule_is_described() -> None:
    for rule in (*SELECTION_RULES.values(), *BACKUP_RULES.values()):
        described = {entry.name for entry in rule.parameters}
        assert described == set(rule.defaults._fields) - {"unused"}
        for entry in rule.parameters:
            assert entry.lowest <= getattr(rule.defaults, entry.name) <= entry.highest
