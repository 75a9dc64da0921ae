"""What a release says of itself, the same everywhere."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def test_the_citation_is_that_of_this_version() -> None:
    yaml = pytest.importorskip("yaml")
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert citation["cff-version"] == "1.2.0"
    assert citation["version"] == PROJECT["version"]
    assert (citation["title"], citation["license"], citation["type"]) == ("miai", PROJECT["license"], "software")
    assert [author["name"] for author in citation["authors"]] == [one["name"] for one in PROJECT["authors"]]
    assert citation["message"] and PROJECT["description"] == citation["abstract"].strip()
    allowed = {"cff-version", "message", "type", "title", "version", "abstract", "authors", "license", "keywords"}
    assert citation.keys() == allowed


def test_the_version_stands_in_one_place_of_the_package() -> None:
    folders = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["package-dir"].values()
    text = re.compile(r"""["']""" + re.escape(PROJECT["version"]) + r"""["']""")
    for folder in folders:
        for path in (ROOT / folder).rglob("*.py"):
            assert not text.search(path.read_text(encoding="utf-8")), path


def test_the_changelog_goes_by_version_the_newest_first() -> None:
    headings = re.findall(r"^## (.+)$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    versions = [heading.partition(" ")[0] for heading in headings if heading != "Unreleased"]
    numbers = [tuple(map(int, version.split("."))) for version in versions]
    assert numbers == sorted(numbers, reverse=True)
    assert headings.index("Unreleased") == 0 if "Unreleased" in headings else True
    assert PROJECT["version"] == versions[0]
