"""A match's folder: what is kept, what is refused, what survives damage."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from miai.match import comparison
from miai.match.contestants import read_contestant
from miai.match.engines import Effort
from miai.match.match import Match
from miai.match.referee import GameSettings
from miai.match.results import GameResult, MatchFolder, MatchFolderError, group_pairs

SETTINGS = {"size": 9, "komi": 7.0}


def game(number: int, winner: str | None = "A", ending: str = "score") -> GameResult:
    return GameResult(
        number=number,
        black="AB"[(number + 1) % 2],
        winner=winner,
        result="B+1",
        ending=ending,
        moves=["E5", "pass", "pass"],
        claimed_results={"A": "B+1"},
        efforts={"A": Effort(2, 0.5, 0.3, 2, 100), "B": Effort(1, 0.1, 0.1)},
    )


def test_results_come_back_as_they_went(tmp_path: Path) -> None:
    with MatchFolder(tmp_path / "match", SETTINGS) as folder:
        folder.append(game(1), b"(;)")
        folder.append(game(2, "draw"), b"(;)")
        kept = list(folder.results)
    with MatchFolder(tmp_path / "match", SETTINGS) as folder:
        assert folder.results == kept == [game(1), game(2, "draw")]
    assert (tmp_path / "match" / "games" / "0002.sgf").read_bytes() == b"(;)"


def test_what_an_engine_says_may_hold_any_signs(tmp_path: Path) -> None:
    odd = replace(game(1), claimed_results={"A": "B+1\u2028\x85\u2029"})
    with MatchFolder(tmp_path, SETTINGS) as folder:
        folder.append(odd, b"")
    with MatchFolder(tmp_path, SETTINGS) as folder:
        assert folder.results == [odd]


def test_a_line_cut_short_is_dropped_and_the_next_one_is_whole(tmp_path: Path) -> None:
    with MatchFolder(tmp_path, SETTINGS) as folder:
        folder.append(game(1), b"")
    file = tmp_path / "results.jsonl"
    file.write_bytes(file.read_bytes() + game(2).to_line().encode()[:40])
    with MatchFolder(tmp_path, SETTINGS) as folder:
        assert folder.results == [game(1)]
        folder.append(game(3), b"")
    with MatchFolder(tmp_path, SETTINGS) as folder:
        assert folder.results == [game(1), game(3)]


@pytest.mark.parametrize("line", ["{}", "[1]", "null", "no json", '{"efforts": 3}'])
def test_a_damaged_line_is_named(tmp_path: Path, line: str) -> None:
    with MatchFolder(tmp_path, SETTINGS) as folder:
        folder.append(game(1), b"")
    with open(tmp_path / "results.jsonl", "a") as file:
        file.write(line + "\n")
    with pytest.raises(MatchFolderError, match=r"line 2 of .* is damaged"):
        MatchFolder(tmp_path, SETTINGS)


def test_a_folder_of_other_settings_is_refused(tmp_path: Path) -> None:
    MatchFolder(tmp_path, SETTINGS).__exit__(None, None, None)
    with pytest.raises(MatchFolderError, match=r"komi was 7\.0, now 6\.5"):
        MatchFolder(tmp_path, {"size": 9, "komi": 6.5})


def test_a_match_from_before_an_option_can_be_gone_on_with(tmp_path: Path) -> None:
    described = read_contestant("fuego:simulations=20").describe()
    MatchFolder(tmp_path, {"sides": {"A": described}}).__exit__(None, None, None)
    file = tmp_path / "settings.json"
    lines = [line for line in file.read_text().splitlines() if '"temperature"' not in line]
    file.write_text("\n".join(lines))
    MatchFolder(tmp_path, {"sides": {"A": described}}).__exit__(None, None, None)
    with pytest.raises(MatchFolderError, match="temperature"):
        MatchFolder(tmp_path, {"sides": {"A": read_contestant("fuego:simulations=20,temperature=1").describe()}})


def test_settings_that_cannot_be_read_are_refused(tmp_path: Path) -> None:
    for text in ("{", "[]", '{"sides": [1]}', '{"sides": {"A": 1}}'):
        (tmp_path / "settings.json").write_text(text)
        with pytest.raises(MatchFolderError, match="choose another --output"):
            MatchFolder(tmp_path, SETTINGS)


def test_a_folder_in_use_is_refused(tmp_path: Path) -> None:
    with MatchFolder(tmp_path, SETTINGS):
        with pytest.raises(MatchFolderError, match="in use by another"):
            MatchFolder(tmp_path, SETTINGS)


def test_a_place_that_is_no_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(MatchFolderError, match="cannot write to"):
        MatchFolder(tmp_path / "file", SETTINGS)


def test_pairs_hold_what_counts() -> None:
    forfeit = replace(game(3, "A", "forfeit"), failed_side="B", failure="crash")
    results = [game(4, "B"), forfeit, game(2, "draw"), game(1, "A"), game(5, None, "void"), game(6, "B")]
    assert group_pairs(results) == [[1.0, 0.5], [0.0], [0.0]]
    assert group_pairs(results, count_forfeits=True) == [[1.0, 0.5], [1.0, 0.0], [0.0]]


@pytest.mark.parametrize("change", [{"winner": "C"}, {"black": "W"}, {"number": "one"}])
def test_a_line_with_impossible_values_is_damaged(tmp_path: Path, change: dict) -> None:
    with MatchFolder(tmp_path, SETTINGS) as folder:
        folder.append(game(1), b"")
    with open(tmp_path / "results.jsonl", "a") as file:
        file.write(json.dumps(json.loads(game(2).to_line()) | change) + "\n")
    with pytest.raises(MatchFolderError, match=r"line 2 of .* is damaged"):
        MatchFolder(tmp_path, SETTINGS)


def test_only_the_settings_that_differ_are_told(tmp_path: Path) -> None:
    told = [{"sides": {"A": read_contestant(f"fuego:simulations={number}").describe()}} for number in (20, 30)]
    MatchFolder(tmp_path, told[0]).__exit__(None, None, None)
    with pytest.raises(MatchFolderError) as refused:
        MatchFolder(tmp_path, told[1])
    assert "(sides.A.miai.simulations was 20, now 30): repeat" in str(refused.value)


RULE = "from miai.engine.search.selection.uct import uct\n\nWEIGHT = {}\n"


def test_a_match_of_a_rule_that_was_changed_is_another_one(tmp_path: Path) -> None:
    file = tmp_path / "my_rules.py"

    def match() -> Match:
        sides = {side: read_contestant(f"fuego:select={file}:mine") for side in "AB"}
        return Match(sides, GameSettings(), "no openings", 1, [])

    file.write_text(RULE.format(1))
    before, name = match().describe(), comparison.name_of(match().contestants["A"])
    MatchFolder(tmp_path / "match", before).__exit__(None, None, None)
    old = {key: value for key, value in before.items() if key != "own_rules"}
    MatchFolder(tmp_path / "old", old).__exit__(None, None, None)
    assert match().describe() == before
    file.write_text(RULE.format(2))
    assert match().folder_name() != Match(match().contestants, GameSettings(), "other", 1, []).folder_name()
    assert match().named() != before and comparison.name_of(match().contestants["A"]) != name
    with pytest.raises(MatchFolderError, match=r"own_rules\.A\.select was 'mine-"):
        MatchFolder(tmp_path / "match", match().describe())
    MatchFolder(tmp_path / "old", match().describe()).__exit__(None, None, None)


def _with_net(file: Path) -> dict:
    player = read_contestant(f"puct:evaluator=net,net={file}")
    return {"sides": {"A": player.describe()}, "networks": {"A": player.network_digest()}}


def test_a_network_is_known_by_its_content_not_by_its_name(tmp_path: Path) -> None:
    for name in ("first", "moved"):
        (tmp_path / name).write_bytes(b"weights")
    MatchFolder(tmp_path / "match", _with_net(tmp_path / "first")).__exit__(None, None, None)
    MatchFolder(tmp_path / "match", _with_net(tmp_path / "moved")).__exit__(None, None, None)
    (tmp_path / "first").write_bytes(b"other weights")
    with pytest.raises(MatchFolderError, match=r"\(networks\.A was"):
        MatchFolder(tmp_path / "match", _with_net(tmp_path / "first"))


def test_a_match_from_before_networks_were_named_by_content_goes_on(tmp_path: Path) -> None:
    (tmp_path / "net").write_bytes(b"weights")
    settings = _with_net(tmp_path / "net")
    old = {name: value for name, value in settings.items() if name != "networks"}
    MatchFolder(tmp_path / "match", old).__exit__(None, None, None)
    MatchFolder(tmp_path / "match", settings).__exit__(None, None, None)
