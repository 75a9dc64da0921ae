"""The page's texts lie in one file, and its modules need nothing from elsewhere."""

import re
from pathlib import Path

STATIC = Path(__file__).parents[2] / "web" / "static"
MODULES = {path.name: path.read_text(encoding="utf-8") for path in STATIC.glob("*.js")}
TEXTS = set(re.findall(r'^  "([\w.-]+)":', MODULES["texts.js"], re.MULTILINE))


def test_every_text_that_is_asked_for_is_there_and_every_text_is_asked_for() -> None:
    code = "\n".join(text for name, text in MODULES.items() if name != "texts.js")
    code += (STATIC / "index.html").read_text(encoding="utf-8")
    asked = set(re.findall(r'\bt\("([\w.-]+)"', code))
    assert asked and asked <= TEXTS
    named = set(re.findall(r'"([\w.-]+)"', code))
    beginnings = tuple(re.findall(r"`([\w.-]+\.)\$\{[^}`]*\}`", code))
    assert {text for text in TEXTS - named if not text.startswith(beginnings)} == set()


def test_modules_import_only_each_other() -> None:
    for name, text in MODULES.items():
        for imported in re.findall(r'from "([^"]+)"', text):
            assert imported.removeprefix("./") in MODULES, f"{name}: {imported}"
        assert not re.search(r"https?://(?!www\.w3\.org)", text), name
        assert not re.search(r"\.innerHTML|insertAdjacentHTML|document\.write|eval\(", text), name
