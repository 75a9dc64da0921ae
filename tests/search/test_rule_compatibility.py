"""Which rules go together, and that the others are refused by name."""

import importlib
import pkgutil
from types import ModuleType
from typing import Any

import pytest

from miai.engine.search import backup as backup_package
from miai.engine.search import selection as selection_package
from miai.engine.search.backup import BACKUP_RULES
from miai.engine.search.final_move import FINAL_RULES, check_final
from miai.engine.search.rule_compatibility import MisfitError, check_pair, fitting_pairs
from miai.engine.search.rule_declaration import BackupRule, SelectionRule, rules_in
from miai.engine.search.selection import SELECTION_RULES
from miai.engine.search.simulate import compose_steps
from miai.players import options
from tests.search.hash_game import HASH_GAME


def check(select: str, backup: str, *kinds: str) -> None:
    check_pair(SELECTION_RULES[select], BACKUP_RULES[backup], *([kinds] if kinds else []))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("select", "backup", "words"),
    [
        ("crazystone", "softmax", ["scores in points", "softmax does not keep", "mix", "puct"]),
        ("dominance", "mean", ["win, draw and loss", "with dominance go wdl-product"]),
        ("crazystone", "wdl-product", ["scores in points"]),
    ],
)
def test_a_pair_that_makes_no_sense_is_refused_with_what_fits(select: str, backup: str, words: list[str]) -> None:
    with pytest.raises(MisfitError) as caught:
        check(select, backup)
    assert all(word in str(caught.value) for word in words)


def test_a_domain_without_scores_or_outcomes_refuses_the_rules_that_need_them() -> None:
    check("dominance", "wdl-product", "probability", "wdl")
    with pytest.raises(MisfitError, match=r"crazystone needs scores in points.*fitting: uct, rave"):
        check("crazystone", "mix", "probability", "wdl")
    with pytest.raises(MisfitError, match="wdl-product needs .*probabilities"):
        check("puct", "wdl-product", "probability")
    with pytest.raises(ValueError, match="wdl-product needs .*probabilities"):
        compose_steps(HASH_GAME._replace(list_outcomes=HASH_GAME._field_defaults["list_outcomes"]),
                      SELECTION_RULES["puct"], BACKUP_RULES["wdl-product"])  # fmt: skip


def test_every_rule_has_a_partner_and_pairs_agree_with_the_check() -> None:
    pairs = {(selection.name, backup.name) for selection, backup in fitting_pairs()}
    assert {select for select, _ in pairs} == set(SELECTION_RULES)
    assert {backup for _, backup in pairs} == set(BACKUP_RULES)
    for select in SELECTION_RULES:
        for backup in BACKUP_RULES:
            if (select, backup) in pairs:
                check(select, backup)
            else:
                with pytest.raises(MisfitError):
                    check(select, backup)
    assert ("dominance", "wdl-product") not in {(s.name, b.name) for s, b in fitting_pairs(["probability", "points"])}


def test_final_rules_without_their_numbers_are_refused() -> None:
    check_final("policy", SELECTION_RULES["esprit"], BACKUP_RULES["mean"])
    check_final("payoff", SELECTION_RULES["puct"], BACKUP_RULES["wdl-product"])
    with pytest.raises(ValueError, match="uct has not"):
        check_final("policy", SELECTION_RULES["uct"], BACKUP_RULES["mean"])
    with pytest.raises(ValueError, match="wdl-product"):
        check_final("payoff", SELECTION_RULES["puct"], BACKUP_RULES["mean"])


def test_the_options_know_all_names() -> None:
    assert options.OPTIONS["select"].kind.names == tuple(SELECTION_RULES)
    assert options.OPTIONS["backup"].kind.names == tuple(BACKUP_RULES)
    assert FINAL_RULES == options.FINAL_RULES


@pytest.mark.parametrize(
    ("package", "kind", "rules"),
    [(selection_package, SelectionRule, SELECTION_RULES), (backup_package, BackupRule, BACKUP_RULES)],
)
def test_every_rule_of_every_module_is_registered(package: ModuleType, kind: Any, rules: Any) -> None:
    modules = [
        importlib.import_module(f"{package.__name__}.{found.name}") for found in pkgutil.iter_modules(package.__path__)
    ]
    declared = [name for module in modules for name in rules_in(module, kind)]
    assert sorted(declared) == sorted(rules)
    assert [rule.name for rule in rules.values()] == list(rules)
