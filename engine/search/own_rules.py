"""Rules from a user's own file: `my_rules.py:epsilon_greedy`.

A rule is declared as a built-in one is, see `miai.engine.search.rule_declaration`. It is first tried on a small tree,
so that a fault shows at the start, with its place in the user's file.
"""

import dataclasses
import functools
import importlib.util
import inspect
import linecache
import math
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numba.core.errors import NumbaError

from miai.engine.jit import USER_MODULE, Compiled, compiled
from miai.engine.search.backup import BACKUP_RULES
from miai.engine.search.rule_declaration import BackupRule, RegisteredRules, Rule, SelectionRule, rules_in
from miai.engine.search.rule_names import RuleFailure, is_own
from miai.engine.search.selection import SELECTION_RULES
from miai.engine.search.tree import ROOT, Column, Tree, children_of, column
from miai.engine.search.workspace import workspace_fields
from miai.engine.user_files import content_hash


class RuleError(ValueError):
    """A rule that cannot be used: the message says why, and where in the user's file."""


def _place(function: Callable[..., Any]) -> str:
    return f"{function.__code__.co_filename}:{function.__name__} (line {function.__code__.co_firstlineno})"


@functools.cache
def _check_child(select: Compiled, place: str) -> Compiled:
    """Return `select` with a check that what it returns is a child."""
    message = f"{place} returned a node that is no child of the given node"

    @compiled
    def checked(tree, node, params, workspace):
        child = np.int64(select(tree, node, params, workspace))
        children = children_of(tree, node)
        if child < children.first or child >= children.end:
            raise IndexError(message)
        return child

    return checked


def find_selection_rule(name: str) -> SelectionRule:
    """Return the selection rule of this name, or `FILE.py:NAME` from a user's file.

    Raises:
        RuleError: if there is none, or it does not work.
    """
    if not is_own(name):
        return _find_built_in(name, "selection", SELECTION_RULES)
    rule = _find_own(name, "selection", SelectionRule)
    checked = dataclasses.replace(rule, select=_check_child(rule.select, _place(_user_function(rule))))
    _try(checked, name.rpartition(":")[0])
    return checked


def find_backup_rule(name: str) -> BackupRule:
    """Return the backup rule of this name, or `FILE.py:NAME` from a user's file; raises as `find_selection_rule`."""
    if not is_own(name):
        return _find_built_in(name, "backup", BACKUP_RULES)
    rule = _find_own(name, "backup", BackupRule)
    _try(rule, name.rpartition(":")[0])
    return rule


@functools.cache
def _load_file(path: str) -> Any:
    """Run a user's file as a module.

    Raises:
        RuleError: with the line, if that fails.
    """
    if not Path(path).is_file():
        raise RuleError(f"there is no file {path}")
    name = f"{USER_MODULE}{Path(path).stem}_{content_hash(path)[:16]}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        raise RuleError(f"{path} cannot be loaded: {_place_of(error, path)}") from None
    return module


def _place_of(error: BaseException, path: str) -> str:
    """Return an error with the user's line that it came from, if any.

    The code may have been compiled when the same file lay in another folder, so its name alone is compared.
    """
    if isinstance(error, SyntaxError):
        return f"line {error.lineno}: {error.msg}"
    frames = traceback.extract_tb(error.__traceback__)
    lines = [frame.lineno or 0 for frame in frames if Path(frame.filename).name == Path(path).name]
    where = f"line {lines[-1]} `{linecache.getline(path, lines[-1]).strip()}`: " if lines else ""
    return f"{where}{type(error).__name__}: {error}"


def _find_built_in(name: str, what: str, known: RegisteredRules[Rule]) -> Rule:
    if name not in known:
        raise RuleError(f"there is no {what} rule {name!r} (allowed: {', '.join(known)}, or FILE.py:NAME)")
    return known[name]


def _find_own(name: str, what: str, kind: type[Rule]) -> Rule:
    path, _, rule_name = name.rpartition(":")
    rules = rules_in(_load_file(str(Path(path).resolve())), kind)
    if rule_name not in rules:
        found = ", ".join(rules) or f"none; decorate a function with @{what}_rule()"
        raise RuleError(f"{path} has no {what} rule {rule_name!r} (it has: {found})")
    return rules[rule_name]


def _toy_tree(columns: tuple[Column, ...]) -> tuple[Tree, Any]:
    """Return a root with three children, of which one was never visited, and a workspace."""
    tree = Tree(8, columns)
    tree["first_child"][ROOT], tree["num_children"][ROOT] = 1, 3
    tree.record["num_nodes"][0] = 4
    tree["visits"][:4] = [7, 4, 2, 0]
    tree["value"][:4] = [0.4, 0.75, 0.25, 0.0]
    tree["prior"][:4] = [1.0, 0.5, 0.25, 0.25]
    tree["move"][:4] = [0, 1, 2, 3]
    for node in range(1, 4):
        tree["first_child"][node], tree["num_children"][node] = 0, 0
    for entry in columns:
        column(tree.record, entry.number)[:4] = 0.0
    workspace = np.zeros(1, dtype=np.dtype(workspace_fields(8, 8, 16), align=True))[0]
    workspace["stream"] = [1, 3]
    workspace["result"] = 0.5
    return tree, workspace


def _try(rule: SelectionRule | BackupRule, path: str) -> None:
    """Compile a rule and try it on a small tree.

    Raises:
        RuleError: if it does not compile, raises, or returns what it must not.
    """
    tree, workspace = _toy_tree(rule.columns)
    function = _user_function(rule)
    where = f"{path}:{rule.name} (line {function.__code__.co_firstlineno})"
    try:
        rule.init_children(tree.record, 1, 3, workspace)
        if isinstance(rule, SelectionRule):
            for _ in range(50):
                rule.select(tree.record, ROOT, rule.defaults, workspace)
            if rule.policy is not None:
                rule.policy(tree.record, ROOT, rule.defaults, workspace)
            rule.update_statistics(tree.record, workspace, 0, 0.5)
            rule.begin_search(tree.record, workspace, rule.defaults)
        else:
            value = float(rule.backup(tree.record, ROOT, workspace, rule.defaults))
            if not math.isfinite(value):
                raise RuleError(f"{where} returned {value} for a node")
    except NumbaError as error:
        raise RuleError(f"{where} cannot be compiled: {_compile_error(str(error), path)}") from None
    except RuleError:
        raise
    except Exception as error:
        raise RuleError(f"{where} failed on a small tree: {_python_place(rule, path) or error}") from None


def explain_failure(error: Exception, *rules: SelectionRule | BackupRule) -> Exception:
    """Return what to raise for an error of a search: a RuleFailure with the line, if a user's rule is to blame."""
    for rule in rules:
        function = _user_function(rule)
        if function.__module__.startswith(USER_MODULE):
            path = function.__code__.co_filename
            where = _place_of(error, path)
            if "line " in where:
                return RuleFailure(f"{path}:{rule.name} failed during a search: {where}")
    return error


def _user_function(rule: SelectionRule | BackupRule) -> Callable[..., Any]:
    """Return the Python function under the rule's decorator."""
    function: Any = rule.select if isinstance(rule, SelectionRule) else rule.backup
    if function.__module__ == __name__:
        function = inspect.getclosurevars(function.py_func).nonlocals["select"]
    return function.py_func


def _python_place(rule: SelectionRule | BackupRule, path: str) -> str:
    """Run the rule without compiling it; return the line that fails, or nothing if none does."""
    tree, workspace = _toy_tree(rule.columns)
    function = _user_function(rule)
    for _ in range(50):
        try:
            if isinstance(rule, SelectionRule):
                function(tree.record, ROOT, rule.defaults, workspace)
            else:
                function(tree.record, ROOT, workspace, rule.defaults)
        except Exception as error:
            return _place_of(error, str(Path(path).resolve()))
    return ""


def _compile_error(text: str, path: str) -> str:
    """Return what numba says of the user's file, without the rest."""
    lines = text.splitlines()
    reasons = [line.strip() for line in lines if line.strip() and not line.startswith(("File", " "))]
    first = next((line for line in reasons if not line.startswith(("Failed in", "During:"))), "unknown reason")
    name = Path(path).name
    at = [index for index, line in enumerate(lines) if line.startswith("File") and name in line]
    if not at:
        return f"{first} (does it return a node, or a value, on every path?)"
    return "\n".join([first, *(line for line in lines[at[-1] : at[-1] + 5] if line.strip())])
