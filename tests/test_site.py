"""The documentation builds as a site without a warning, its links resolve, and its navigation has every page."""

import os
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

import miai

for needed in ("sphinx", "furo", "myst_nb"):
    pytest.importorskip(needed)

DOCS = Path(__file__).resolve().parents[1] / "docs"


class Page(HTMLParser):
    """Collects the targets and the anchors of an HTML page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.anchors: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = dict(attrs)
        self.links += [named[name] or "" for name in ("href", "src") if name in named and tag in ("a", "img")]
        self.anchors |= {named[name] or "" for name in ("id", "name") if name in named}


def read_site(folder: Path) -> dict[Path, Page]:
    return {path: Page(path.read_text(encoding="utf-8")) for path in folder.rglob("*.html")}


def broken_links(pages: dict[Path, Page]) -> list[str]:
    broken = []
    for path, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = Path(os.path.normpath(path.parent / unquote(parts.path))) if parts.path else path
            anchor = unquote(parts.fragment)
            if not target.exists() or (anchor and target in pages and anchor not in pages[target].anchors):
                broken.append(f"{path.name}: {link}")
    return broken


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the site; the notebook is executed in a test of its own."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "sphinx", "--quiet", "--fail-on-warning", "--keep-going", "--nitpicky"]
    command += ["-D", "nb_execution_mode=off", "-d", str(folder / "doctrees"), str(DOCS), str(folder / "html")]
    outcome = subprocess.run(command, capture_output=True, text=True)
    assert outcome.returncode == 0, outcome.stderr
    return folder / "html"


def test_links_and_anchors_of_the_site_resolve(site: Path) -> None:
    assert broken_links(read_site(site)) == []


def test_every_page_is_in_the_navigation(site: Path) -> None:
    shown = {
        link for link in Page((site / "index.html").read_text(encoding="utf-8")).links if not urlsplit(link).scheme
    }
    sources = [path for kind in ("md", "rst", "ipynb") for path in DOCS.rglob(f"*.{kind}")]
    wanted = {str(path.relative_to(DOCS).with_suffix(".html")) for path in sources} - {"README.html", "index.html"}
    assert len(wanted) > 40 and wanted - shown == set()


@pytest.mark.parametrize("name", [name for name in miai.__all__ if name != "__version__"])
def test_every_name_of_the_front_door_is_documented(site: Path, name: str) -> None:
    pages = [Page((site / "reference" / f"{page}.html").read_text()) for page in ("api", "extension-points")]
    assert any(f"miai.{name}" in page.anchors for page in pages)


def test_a_link_to_nowhere_is_found(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(
        '<p id="here"><a href="#here"><a href="b.html#gone"><a href="c.html"><img src="d.png">'
    )
    (tmp_path / "b.html").write_text('<a href="a.html#here"><a href="https://example.org/x">')
    assert sorted(broken_links(read_site(tmp_path))) == ["a.html: b.html#gone", "a.html: c.html", "a.html: d.png"]
