"""Rules from a user's file: the tutorial's work, wrong ones are refused with the place in the file."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from miai.engine.search.own_rules import RuleError, find_backup_rule, find_selection_rule
from miai.engine.search.search import Budget, Parts, Search
from miai.engine.search.tree import column
from miai.gtp.in_process import engine_loop
from miai.gtp.session import Session
from miai.players.options import GameOptions, PlayerOptions
from tests.gtp.conversation import Conversation
from tests.search.hash_game import HASH_GAME, HashWorkspace

ROOT_FOLDER = Path(__file__).parents[2]
IMPORTS = """from miai.engine.search.rule_declaration import backup_rule, selection_rule
from miai.engine.search.tree import children_of, values, visits
"""


def tutorial(folder: Path) -> Path:
    """Write all Python of the tutorial into one file."""
    text = (ROOT_FOLDER / "docs" / "tutorials" / "own-rules.md").read_text()
    path = folder / "my_rules.py"
    path.write_text("\n".join(re.findall(r"```python\n(.*?)```", text, re.DOTALL)))
    return path


def test_the_tutorials_rules_search(tmp_path: Path) -> None:
    path = tutorial(tmp_path)
    selection = find_selection_rule(f"{path}:epsilon_greedy")
    assert [entry.name for entry in selection.parameters] == ["epsilon"]
    search = Search(
        Parts(HASH_GAME, selection, find_backup_rule(f"{path}:cautious_mean")), [HashWorkspace(3, 1)], 1 << 20
    )
    search.settings.selection = selection.defaults._replace(epsilon=1.0)
    search.run(Budget(900), early_stop=False)
    visits = [int(search.tree["visits"][child]) for child in search.tree.children(0)]
    assert sum(visits) == 900 and min(visits) > 0.6 * 900 / len(visits), "epsilon 1 is uniform"


WRONG = {
    "returns the node itself": ("return node", "no child"),
    "knows no such attribute": ("return children_of(tree, node).nonsense", "line 6"),
    "returns nothing": ("pass", "on every path"),
    "indexes what is no array": ("return visits(tree)[node].first", "line 6"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_rule_is_refused_with_its_place(name: str, tmp_path: Path) -> None:
    body, message = WRONG[name]
    path = tmp_path / "wrong_rules.py"
    path.write_text(f"{IMPORTS}\n@selection_rule()\ndef wrong(tree, node, params, work):\n    {body}\n")
    with pytest.raises(RuleError, match=r"wrong_rules.py:wrong \(line 4\)") as caught:
        find_selection_rule(f"{path}:wrong")
    assert message in str(caught.value)


@pytest.mark.parametrize("value", ["nan", "inf"])
def test_a_backup_whose_value_is_no_finite_number_is_refused_with_its_place(value: str, tmp_path: Path) -> None:
    path = tmp_path / "wrong_rules.py"
    path.write_text(
        f"{IMPORTS}import numpy as np\n\n@backup_rule()\ndef wrong(tree, node, work, params):\n    return np.{value}\n"
    )
    with pytest.raises(RuleError, match=rf"wrong_rules.py:wrong \(line 5\) returned {value} for a node"):
        find_backup_rule(f"{path}:wrong")


def test_a_file_that_cannot_be_loaded_is_refused_with_the_line(tmp_path: Path) -> None:
    path = tmp_path / "broken_rules.py"
    path.write_text("import engine\n\nnonsense\n")
    with pytest.raises(RuleError, match="line 3 `nonsense`: NameError"):
        find_selection_rule(f"{path}:wrong")
    path = tmp_path / "leaving_rules.py"
    path.write_text("import sys\n\nsys.exit(3)\n")
    with pytest.raises(RuleError, match=r"line 3 `sys.exit\(3\)`: SystemExit: 3"):
        find_selection_rule(f"{path}:wrong")
    path = tmp_path / "endless_rules.py"
    path.write_text("def call():\n    call()\n\ncall()\n")
    with pytest.raises(RuleError, match=r"line 2 `call\(\)`: RecursionError"):
        find_selection_rule(f"{path}:wrong")
    with pytest.raises(RuleError, match="there is no file"):
        find_selection_rule(f"{tmp_path}/none.py:wrong")


def test_a_rule_that_is_not_there_is_refused_with_those_that_are(tmp_path: Path) -> None:
    path = tutorial(tmp_path)
    with pytest.raises(RuleError, match=r"no selection rule 'greedy' \(it has: epsilon_greedy\)"):
        find_selection_rule(f"{path}:greedy")
    with pytest.raises(RuleError, match=r"no backup rule 'nonsense' \(allowed: mean, .*FILE.py:NAME\)"):
        find_backup_rule("nonsense")


HITS = """
import sys
from miai.engine.search.own_rules import find_selection_rule
from miai.engine.search.backup import BACKUP_RULES
from miai.engine.search.search import Budget, Parts, Search
from tests.search.hash_game import HASH_GAME, HashWorkspace
parts = Parts(HASH_GAME, find_selection_rule(sys.argv[1]), BACKUP_RULES["mean"])
search = Search(parts, [HashWorkspace(3, 1)], 1 << 20)
search.run(Budget(10), early_stop=False)
stats = search._run.stats
print(sum(stats.cache_hits.values()), sum(stats.cache_misses.values()))
"""


def test_a_later_process_finds_the_compiled_rule_and_compiles_an_edited_one(tmp_path: Path) -> None:
    path = tutorial(tmp_path)
    rule = f"{path}:epsilon_greedy"

    def hits_and_misses() -> list[int]:
        command = [sys.executable, "-c", HITS, rule]
        return [int(word) for word in subprocess.check_output(command, cwd=ROOT_FOLDER, text=True).split()]

    assert hits_and_misses() == [0, 1]
    assert hits_and_misses() == [1, 0]
    path.write_text(path.read_text().replace("Parameters", "Settings"))
    assert hits_and_misses() == [0, 1]
    path.unlink()
    rule = "uct"
    hits_and_misses()
    assert hits_and_misses() == [1, 0], "rules of files that are gone do not disturb others"


FAILS_LATER = """
@selection_rule()
def fails_later(tree, node, params, workspace):
    if visits(tree)[node] > 40:
        {body}
    return children_of(tree, node).first
"""


@pytest.mark.parametrize(
    ("body", "words"),
    [("raise ValueError('too many')", ["line 7", "too many"]), ("return node", ["fails_later (line 4)", "no child"])],
)
def test_a_rule_that_fails_in_a_game_is_named_with_its_line(body: str, words: list[str], tmp_path: Path) -> None:
    for folder in ("first", "moved"):  # the second time its code comes from the cache
        path = tmp_path / folder / "later_rules.py"
        path.parent.mkdir()
        path.write_text(IMPORTS + FAILS_LATER.format(body=body))
        options = PlayerOptions(select=f"{path}:fails_later", simulations=400, seed=1, memory=32)
        with Conversation(engine_loop(Session(options, GameOptions(size=5)))) as conversation:
            reply = conversation.ask("genmove b")
            assert reply.startswith("? ") and str(path) in reply and "internal" not in reply
            assert all(word in reply for word in words), reply
            assert conversation.ask("play b C3") == "=\n\n"
            assert conversation.ask("genmove w").startswith("? "), "the game is unharmed, and so is the error"


FULL = """
from typing import Annotated, NamedTuple

import numpy as np

from miai.engine.jit import compiled
from miai.engine.search.parameters import Range
from miai.engine.search.tree import column, column_numbers
from miai.engine.search.workspace import field, field_numbers

COLUMNS = ("seen",)
(SEEN,) = column_numbers("{kind}", COLUMNS)
FIELDS = ("other", "kept")
_, KEPT = field_numbers("{kind}", FIELDS)


class Parameters(NamedTuple):
    weight: Annotated[float, Range(0.0, 2.0), "weight of what was seen"] = 1.0


@compiled
def begin(tree, first, count, workspace):
    for child in range(first, first + count):
        column(tree, SEEN)[child] = 0.0


@{kind}_rule(Parameters(), name="counting", source="Author 2030", columns=COLUMNS, fields=FIELDS, init_children=begin)
"""
COUNTING_SELECTION = """def count_visits(tree, node, params, workspace):
    children = children_of(tree, node)
    best = children.first
    for child in range(children.first, children.end):
        if column(tree, SEEN)[child] < column(tree, SEEN)[best]:
            best = child
    kept = field(workspace, KEPT, np.float32)
    kept[0] = column(tree, SEEN)[best] + params.weight
    column(tree, SEEN)[best] = kept[0]
    return best
"""
COUNTING_BACKUP = """def count_backups(tree, node, workspace, params):
    column(tree, SEEN)[node] += params.weight
    return values(tree)[node] + (workspace.result - values(tree)[node]) / visits(tree)[node]
"""


def write_counting(folder: Path, kind: str, body: str) -> str:
    path = folder / f"{kind}.py"
    path.write_text(IMPORTS + FULL.format(kind=kind) + body)
    return f"{path}:counting"


def test_a_rule_may_say_all_that_ours_say(tmp_path: Path) -> None:
    selection = find_selection_rule(write_counting(tmp_path, "selection", COUNTING_SELECTION))
    assert (selection.name, selection.source) == ("counting", "Author 2030")
    assert [tuple(entry) for entry in selection.parameters] == [("weight", 0.0, 2.0, "weight of what was seen")]
    search = Search(Parts(HASH_GAME, selection, find_backup_rule("mix")), [HashWorkspace(3, 1)], 1 << 20)
    search.run(Budget(200), early_stop=False)
    children = search.tree.children(0)
    assert [float(search.tree["seen"][child]) for child in children] == [search.tree["visits"][c] for c in children]
    assert {entry.name for entry in search.tree.columns} == {"seen", "mean_value"}


def test_rules_with_columns_of_one_name_do_not_share_them(tmp_path: Path) -> None:
    selection = find_selection_rule(write_counting(tmp_path, "selection", COUNTING_SELECTION))
    backup = find_backup_rule(write_counting(tmp_path, "backup", COUNTING_BACKUP))
    search = Search(Parts(HASH_GAME, selection, backup), [HashWorkspace(3, 1)], 1 << 20)
    search.run(Budget(200), early_stop=False)
    seen = [column(search.tree.record, entry.number)[:4] for entry in search.tree.columns]
    assert [entry.name for entry in search.tree.columns] == ["seen", "seen"]
    for counts in seen:
        assert counts[1:].tolist() == search.tree["visits"][1:4].tolist()
    assert (seen[0][0], seen[1][0]) == (0.0, 200.0), "only a backup reaches the root"


def test_a_default_out_of_range_is_refused_with_its_line(tmp_path: Path) -> None:
    name = write_counting(tmp_path, "selection", COUNTING_SELECTION)
    path = Path(name.rpartition(":")[0])
    path.write_text(path.read_text().replace("] = 1.0", "] = 3.0"))
    with pytest.raises(RuleError, match=r"line \d+ .*weight: 3\.0 is not allowed \(allowed: a number from 0 to 2\)"):
        find_selection_rule(name)
