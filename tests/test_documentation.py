"""Links of the documentation lead somewhere, and its tables and plots are those of results/*.csv."""

import csv
import hashlib
import importlib.util
import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.commands import ROOT, load_script
from tests.experiments.test_book import keep_policies

pytest.importorskip("tabulate")

RESULTS = sorted((ROOT / "results").glob("*.csv"))
PAGES = sorted(
    [*(ROOT / "docs").rglob("*.md"), ROOT / "README.md", ROOT / "CONTRIBUTING.md", *ROOT.glob("nets/**/*.md")]
)
MAKE_RESULTS = load_script("make_results")


def prose_of(page: Path) -> str:
    return re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)


def anchors_of(page: Path) -> set[str]:
    headings = re.findall(r"^#+ (.+)$", prose_of(page), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def broken_links(page: Path) -> Iterator[str]:
    for link in re.findall(r"\]\(([^)\s]+)\)", prose_of(page)):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        if not target.exists() or (anchor and anchor not in anchors_of(target)):
            yield link


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    assert list(broken_links(page)) == []


def test_a_link_to_nowhere_is_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# Two words\n[a](page.md#two-words) [b](#nowhere) [c](gone.md) [d](https://example.org)\n")
    assert list(broken_links(page)) == ["#nowhere", "gone.md"]


def test_pages_that_sources_name_exist() -> None:
    tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True)
    if tracked.returncode != 0:
        pytest.skip("not a git checkout")
    missing = []
    for name in tracked.stdout.splitlines():
        path = ROOT / name
        if path.suffix in (".py", ".md") and path.exists():
            named = re.findall(r"(?<![\w/])docs/[\w/.-]*\w", path.read_text(encoding="utf-8"))
            missing += [f"{name}: {page}" for page in named if not (ROOT / page).exists()]
    assert missing == []


def names_imported_by(page: Path) -> Iterator[tuple[str, str]]:
    """Yield module and name of everything that the programs of a page import from miai."""
    for program in re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL):
        for module, names in re.findall(r"^from (miai[\w.]*) import ([\w, ]+)$", program, re.MULTILINE):
            yield from ((module, name.strip()) for name in names.split(","))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_what_the_programs_of_a_page_import_is_there(page: Path) -> None:
    for module, name in names_imported_by(page):
        try:
            spec = importlib.util.find_spec(module)
        except ModuleNotFoundError as missing:
            pytest.skip(f"{missing.name} is not installed")
        assert spec is not None and spec.origin is not None, module
        source = Path(spec.origin).read_text(encoding="utf-8")
        assert re.search(rf"^(def|class) {name}\b|^{name}\b|\b{name} as {name}\b|\"{name}\"", source, re.MULTILINE), (
            f"{module} has no {name}"
        )


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_no_page_installs_what_is_not_released(page: Path) -> None:
    assert not re.search(r"pip install ['\"]?miai", page.read_text(encoding="utf-8"))


def test_every_page_is_on_the_map_or_in_the_notebook_list() -> None:
    docs = ROOT / "docs"
    listed = prose_of(docs / "README.md") + prose_of(docs / "notebook" / "README.md").replace("](", "](notebook/")
    pages = [str(page.relative_to(docs)) for page in docs.rglob("*.md") if page != docs / "README.md"]
    assert [page for page in pages if f"({page})" not in listed] == []


@pytest.mark.parametrize("page", MAKE_RESULTS.pages(), ids=lambda page: str(page.relative_to(ROOT)))
def test_tables_are_those_of_the_results(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert MAKE_RESULTS.fill_blocks(text) == text, "run `python docs/make_results.py`"


def test_the_reference_of_options_is_that_of_the_declarations() -> None:
    pytest.importorskip("gymnasium")
    make_reference = load_script("make_reference")
    text = "".join(page.read_text(encoding="utf-8") for page in make_reference.PAGES)
    assert make_reference.fill_blocks(text) == text, "run `python docs/make_reference.py`"
    assert {name for _, name, _ in make_reference.BLOCK.findall(text)} == set(make_reference.TABLES)


def test_every_table_is_on_a_page() -> None:
    shown = {name for page in MAKE_RESULTS.pages() for _, name, _ in MAKE_RESULTS.BLOCK.findall(page.read_text())}
    assert set(MAKE_RESULTS.TABLES) == shown


@pytest.mark.parametrize("name", MAKE_RESULTS.PLOTS)
def test_plots_are_those_of_the_results(name: str) -> None:
    text = (MAKE_RESULTS.PLOTS_FOLDER / f"{name}.svg").read_text(encoding="utf-8")
    assert MAKE_RESULTS.digest_of(MAKE_RESULTS.PLOTS[name][1]) in text, "run `python docs/make_results.py`"


@pytest.mark.parametrize("name", MAKE_RESULTS.PLOTS)
def test_a_plot_can_be_drawn(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("matplotlib")
    monkeypatch.setattr(MAKE_RESULTS, "PLOTS_FOLDER", tmp_path)
    MAKE_RESULTS.draw_plot(name)
    text = (tmp_path / f"{name}.svg").read_text(encoding="utf-8")
    assert MAKE_RESULTS.GREY in text and "#ffffff" not in text, "readable on white and on black"


def test_a_kept_run_is_on_the_page_and_its_figures_are_drawn_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("matplotlib")
    papers = MAKE_RESULTS.make_papers
    monkeypatch.setattr(papers, "KEPT", tmp_path / "kept")
    monkeypatch.setattr(papers, "FIGURES", tmp_path / "figures")
    (before,) = [line for line in papers.overview_block().splitlines() if "table 2 " in line and "Fernando" in line]
    assert "not run" in before and papers.runs_block() == "None yet." and papers.draw_figures() == []
    keep_policies(tmp_path / "kept" / "of-today")
    (after,) = [line for line in papers.overview_block().splitlines() if "table 2 " in line and "Fernando" in line]
    assert "16 games; full size: 19,500 games" in after and "4.0" in after and "not run" not in after
    assert "![of-today: strengths](papers/of-today-strengths.svg)" in papers.runs_block()
    assert [path.name for path in papers.draw_figures()] == ["of-today-strengths.svg"]
    assert papers.draw_figures() == []
    keep_policies(tmp_path / "kept" / "of-today", games=16)
    assert [path.name for path in papers.draw_figures()] == ["of-today-strengths.svg"]


def test_results_of_before_are_in_the_overview_until_a_run_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    papers = MAKE_RESULTS.make_papers
    monkeypatch.setattr(papers, "KEPT", tmp_path)
    names = [entry.experiment for entry in papers.entries()]
    assert names == ["trees-A", "trees-B", "trees-C", "tactics", "tactics"]
    (regrets,) = [one for one in papers.entries() if one.experiment == "trees-A"]
    first = regrets.account.parts["section 4.3"][0]
    assert (first.printed, first.ours, first.error) == (1.85, 1.77, 0.09) and first.agrees
    (tmp_path / "full-sizes.csv").write_text("experiment,hours\npolicies,45.5\n")
    (line,) = [line for line in papers.overview_block().splitlines() if "table 2 " in line and "Fernando" in line]
    assert "45.5 for the full size" in line


def test_figures_of_kept_runs_are_those_of_the_results() -> None:
    papers = MAKE_RESULTS.make_papers
    kept = [entry for entry in papers.entries() if (papers.KEPT / entry.name).is_dir()]
    digests = {f"{entry.name}-{name}.svg": papers.digest_of(entry) for entry in kept for name in entry.account.figures}
    drawn = {path.name: path.read_text(encoding="utf-8") for path in papers.FIGURES.iterdir()}
    assert digests and drawn.keys() == digests.keys(), "run `python docs/make_results.py`"
    for name, digest in digests.items():
        assert digest in drawn[name], "run `python docs/make_results.py`"


def test_kept_runs_name_networks_as_they_are_now() -> None:
    plans = [json.loads(path.read_text()) for path in sorted(MAKE_RESULTS.make_papers.KEPT.glob("*/plan.json"))]
    asked = [plan for plan in plans if "weights" in plan]
    assert asked
    for plan in asked:
        shipped = ROOT / "nets" / "weights" / f"{plan['net']}.safetensors"
        file = shipped if shipped.exists() else ROOT / "results" / "networks" / plan["net"]
        digest = hashlib.sha256(file.read_bytes()).hexdigest()
        assert digest.startswith(plan["weights"]), f"{plan['experiment']} with {plan['net']} cannot go on"


@pytest.mark.parametrize("path", RESULTS, ids=lambda path: path.stem)
def test_results_are_whole(path: Path) -> None:
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert {"date", "commit", "command"} <= set(rows[0])
    for row in rows:
        assert None not in row and None not in row.values(), row
        assert re.fullmatch(r"(\d{4}-\d\d-\d\d)?", row["date"]), row
        assert re.fullmatch(r"[0-9a-f]{7,40}|", row["commit"]), row
        if "wins" in row:
            counts = [row[name] for name in ("wins", "draws", "losses")]
            assert all(counts) or not any(counts), row
            if all(counts):
                assert sum(map(int, counts)) == int(row["games"]), row
                assert not row["score"], "computed from wins, draws and losses"
                score = 100 * (int(row["wins"]) + int(row["draws"]) / 2) / int(row["games"])
            else:
                score = float(row["score"] or "nan")
            if row["low"]:
                assert float(row["low"]) <= round(score, 1) <= float(row["high"]), row


def test_a_score_is_computed_where_only_games_were_counted() -> None:
    row = {"wins": "197", "draws": "2", "losses": "1", "score": "", "low": "", "high": ""}
    assert MAKE_RESULTS.score_of(row) == "99.0 % (96.9–99.7)"
    assert MAKE_RESULTS.score_of({**row, "low": "96.0", "high": "99.9"}) == "99.0 % (96.0–99.9)"
    assert MAKE_RESULTS.score_of(dict.fromkeys(row, "") | {"score": "85.2"}) == "85.2 %"
