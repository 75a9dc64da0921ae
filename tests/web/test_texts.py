"""The page's texts lie in one file, and its modules need nothing from elsewhere."""

import ast
import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOM = Path(__file__).parents[2] / "web"
STATIC = ROOM / "static"
MODULES = {path.name: path.read_text(encoding="utf-8") for path in STATIC.glob("*.js")}
TEXTS = set(re.findall(r'^  "([\w.-]+)":', MODULES["texts.js"], re.MULTILINE))

FAMILIES = {
    "action.": "undo pass resign hint score agree playOn retry",
    "color.": "black white",
    "move.": "first back on last",
    "new.color.": "black white random",
    "new.level.": "1 10",
    "policy.": "network playouts",
    "rules.": "tromp-taylor cgos chinese",
    "status.": "connecting lost full refused thinking searching analyzing watching counting",
    "tab.": "play analyze watch",
    "table.": "move wins points visits line",
    "watch.by.": "simulations time",
    "watch.domain.": "go simulated",
    "watch.pace.": "slow medium quick full",
    "watch.test.": "A B C",
}
"""Texts whose names the code builds, by what these begin with: all that may follow."""


def test_every_text_that_is_asked_for_is_there_and_every_text_is_asked_for() -> None:
    code = "\n".join(text for name, text in MODULES.items() if name != "texts.js")
    code += (STATIC / "index.html").read_text(encoding="utf-8")
    asked = set(re.findall(r'\bt\("([\w.-]+)"', code))
    assert asked and asked <= TEXTS
    named = set(re.findall(r'"([\w.-]+)"', code))
    beginnings = set(re.findall(r"`([\w.-]+\.)\$\{[^}`]*\}`", code))
    assert beginnings == FAMILIES.keys()
    built = {beginning + ending for beginning, endings in FAMILIES.items() for ending in endings.split()}
    assert built <= TEXTS <= named | built


def test_modules_import_only_each_other() -> None:
    for name, text in MODULES.items():
        for imported in re.findall(r'from "([^"]+)"', text):
            assert imported.removeprefix("./") in MODULES, f"{name}: {imported}"
        assert not re.search(r"https?://(?!www\.w3\.org)", text), name
        assert not re.search(r"\.innerHTML|insertAdjacentHTML|document\.write|eval\(", text), name


def sentences() -> Iterator[str]:
    """Return what the server's modules say when something cannot be done, with {} for what differs."""
    for path in ROOM.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("RecordError", "TooManySessions"):
                [said] = node.args
                parts = said.values if isinstance(said, ast.JoinedStr) else [said]
                yield "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in parts)


def translate(*texts: str) -> list[str]:
    """Return what the page shows in place of the server's words."""
    program = "import { translated } from './texts.js'; "
    program += f"console.log(JSON.stringify({json.dumps(texts)}.map(translated)));"
    command = ["node", "--input-type=module", "--no-warnings", "-e", program]
    ended = subprocess.run(command, cwd=STATIC, capture_output=True, check=True, text=True, encoding="utf-8")
    shown: list[str] = json.loads(ended.stdout)
    return shown


def test_every_sentence_of_the_server_can_be_translated() -> None:
    known = dict(re.findall(r'^  "([^"]* [^"]*)":\s+"([^"]*)",$', MODULES["texts.js"], re.MULTILINE))
    assert len(set(sentences())) > 15 and set(sentences()) <= known.keys()
    for words, translation in known.items():
        assert words.count("{}") == translation.count("{}"), words


@pytest.mark.node
@pytest.mark.skipif(shutil.which("node") is None, reason="the program node is not installed")
def test_what_differs_in_a_sentence_is_kept() -> None:
    said = ["D4 is illegal: ko (a stone?)", "there is no node 7 (allowed: 0 to 3)", "2 variations were left out"]
    said += [
        "1 variation was left out: illegal, with stones set up, or too many moves.",
        "no such sentence {} $& is known",
    ]
    assert translate(*said) == said
