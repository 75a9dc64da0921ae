"""What a user's file is known by: its content and that of the modules next to it that it imports."""

from pathlib import Path

import pytest

from miai.engine.search.rule_names import content_of
from miai.engine.user_files import content_hash

FILES = {
    "rule.py": "import math\nimport near\nfrom package import part\nfrom package.deep import value as it\n",
    "near.py": "import rule\nimport farther\n",
    "farther.py": "def f():\n    import late\n",
    "late.py": "",
    "package/__init__.py": "",
    "package/part.py": "from . import sibling\nfrom .sibling import name\nfrom ..... import nothing\n",
    "package/sibling.py": "",
    "package/deep/__init__.py": "value = 1\n",
    "broken.py": "import (",
    "math_notes.py": "",
    "package/stranger.py": "",
}
USED = {
    "rule.py",
    "near.py",
    "farther.py",
    "late.py",
    "package/__init__.py",
    "package/part.py",
    "package/sibling.py",
    "package/deep/__init__.py",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, content in FILES.items():
        (tmp_path / "rules" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "rules" / name).write_text(content)
    return tmp_path / "rules"


def test_a_hash_changes_with_each_file_that_is_imported_and_with_no_other(folder: Path) -> None:
    rule = folder / "rule.py"
    before = content_hash(str(rule))
    assert content_hash(str(rule)) == before
    for name in FILES:
        (folder / name).write_text(FILES[name] + "# edited\n")
        assert (content_hash(str(rule)) != before) == (name in USED), name
        (folder / name).write_text(FILES[name])
    (folder / "late.py").unlink()
    assert content_hash(str(rule)) != before


def test_modules_are_found_from_a_folder_of_the_path_above(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = folder / "by_path.py"
    path.write_text("from rules.late import nothing\n")
    before = content_hash(str(path))
    (folder / "late.py").write_text("nothing = 1\n")
    assert content_hash(str(path)) == before, "rules is no folder of the path's yet"
    monkeypatch.syspath_prepend(folder.parent)
    before = content_hash(str(path))
    (folder / "late.py").write_text("nothing = 2\n")
    assert content_hash(str(path)) != before


def test_a_file_that_python_cannot_read_has_a_hash_of_its_content(folder: Path) -> None:
    path = folder / "broken.py"
    before = content_hash(str(path))
    path.write_text("import ((")
    assert content_hash(str(path)) != before


def test_files_of_one_content_have_one_hash_wherever_they_lie(folder: Path, tmp_path: Path) -> None:
    before = content_hash(str(folder / "rule.py"))
    folder.rename(tmp_path / "moved")
    assert content_hash(str(tmp_path / "moved" / "rule.py")) == before


def test_what_names_a_users_rule_changes_with_a_module_next_to_it(folder: Path) -> None:
    name = f"{folder / 'rule.py'}:mine"
    before = content_of(name)
    assert before.startswith("mine-")
    (folder / "near.py").write_text("WEIGHT = 2\n")
    assert content_of(name) != before
    assert content_of("uct") == "uct"
