"""Tables of gogui-twogtp, read and added up."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from miai.cli.ratings import command
from miai.match.contestants import Contestant
from miai.match.match import Match
from miai.match.referee import GameSettings
from miai.match.twogtp import write_twogtp
from miai.match.twogtp_reading import TwogtpError, join_results, read_twogtp
from tests.match.test_twogtp import game

HEADER = "#GAME\tRES_B\tRES_W\tRES_R\tALT\tDUP\tLEN\tTIME_B\tTIME_W\tCPU_B\tCPU_W\tERR\tERR_MSG"
OLD_HEADER = "#GAME\tRES_B\tRES_W\tRES_R\tALT\tDUP\tLEN\tCPU_B\tCPU_W\tERR\tERR_MSG"
"""Before GoGui 1.1."""


def write_table(path: Path, rows: list[str], black: str = "one", white: str = "two", header: str = HEADER) -> Path:
    """Write a table; a row has the columns to DUP, then the error."""
    properties = [
        f"# BlackLabel: {black}",
        f"# WhiteLabel: {white}",
        "# Size: 9",
        "# Komi: 6.5",
        "# WhiteVersion:",
        "#",
    ]
    times = ["40", *["0.1"] * (4 if header == HEADER else 2)]
    lines = []
    for row in rows:
        *cells, error = row.split(" ")
        lines.append("\t".join([*cells, *times, "0" if error == "-" else "1", "" if error == "-" else error]))
    path.write_text("\n".join([*properties, header, *lines]) + "\n")
    return path


def ratings(*arguments: object) -> Result:
    return CliRunner().invoke(command, [str(argument) for argument in arguments])


@pytest.mark.parametrize("header", [HEADER, OLD_HEADER])
def test_games_are_taken_as_goguis_own_analysis_takes_them(tmp_path: Path, header: str) -> None:
    rows = [
        "0 B+2.5 B+2.5 B+2.5 0 - -",
        "1 ? ? W+R 1 - -",
        "2 B+ W+ 0 0 - -",
        "3 W+1.5 W+0.5 ? 1 - -",
        "4 B+ W+ ? 0 - -",
        "5 B+ B+ B+ 1 0 -",
        "6 ? ? ? 0 - crashed",
    ]
    found = read_twogtp(write_table(tmp_path / "a.dat", rows, header=header))
    assert found.players == ("one", "two") and found.conditions == "9x9, komi 6.5"
    assert [one.winner for one in found.results] == ["A", "B", "draw", "B", None, None, None]
    assert [one.black for one in found.results] == ["A", "B", "A", "B", "A", "B", "A"]
    assert [one.ending for one in found.results] == ["score", "resignation", "score", "score", "void", "void", "void"]
    reasons = [one.reason for one in found.results[4:]]
    assert reasons == ["no result, or two that differ", "the moves of an earlier game", "crashed"]


def test_what_a_match_writes_is_read_as_it_was(tmp_path: Path) -> None:
    sides = {"A": Contestant("fuego:time=1"), "B": Contestant("gnugo --mode gtp")}
    results = [
        game(1, "A", "B+Resign", ending="resignation"),
        game(2, "A", "W+3.5"),
        game(3, "draw", "0"),
        game(4, None, "Void", ending="void", reason="move limit"),
        game(5, "B", "W+0.5"),
    ]
    write_twogtp(Match(sides, GameSettings(komi=6.5), "no openings", None, []), results, {}, tmp_path)
    found = read_twogtp(tmp_path / "twogtp.dat")
    assert found.players == ("fuego:time=1", "gnugo --mode gtp")
    for read, written in zip(found.results, results, strict=True):
        assert (read.number, read.black, read.winner) == (written.number, written.black, written.winner)
        assert read.is_counted == written.is_counted


def test_tables_of_the_same_players_are_joined_whoever_is_named_first(tmp_path: Path) -> None:
    first = write_table(tmp_path / "a.dat", ["0 B+ B+ B+ 0 - -", "1 B+ B+ B+ 1 - -", "2 B+ B+ B+ 0 - -"])
    second = write_table(tmp_path / "b.dat", ["0 B+ B+ B+ 0 - -", "1 W+ W+ W+ 1 - -"], "two", "one")
    third = write_table(tmp_path / "c.dat", ["0 W+ W+ W+ 0 - -"], "three", "one")
    labels, games = join_results([read_twogtp(path) for path in (first, second, third)])
    assert labels == ["one", "two", "three"]
    assert [one.winner for one in games[0, 1]] == ["A", "A", "A", "B", "A"]
    assert [one.number for one in games[0, 1]] == [1, 2, 3, 5, 6]  # openings are not shared by files
    assert [(one.winner, one.black) for one in games[0, 2]] == [("A", "B")]


def test_the_command_rates_all_by_all_games(tmp_path: Path) -> None:
    rows = [f"{number} B+ B+ {'B+' if number % 4 else 'W+'} {number % 2} - -" for number in range(20)]
    paths = [
        write_table(tmp_path / f"{place}.dat", rows, *players)
        for place, players in enumerate([("strong", "middle"), ("middle", "weak")])
    ]
    told = ratings(*paths, "--anchor", "mid")
    assert told.exit_code == 0 and "9x9, komi 6.5; 40 of 40 games finished" in told.output
    assert "75.0%" in told.output and "0 is middle" in told.output and "seconds per move" not in told.output
    read = json.loads(ratings(*paths, "--json").output)
    assert [one["label"] for one in read["contestants"]] == ["strong", "middle", "weak"]
    assert [one["score"] for one in read["contestants"]] == [0.75, 0.5, 0.25]


def test_the_folder_of_a_tournament_stands_for_all_its_pairings(tmp_path: Path) -> None:
    rows = ["0 B+ B+ B+ 0 - -", "1 W+ W+ W+ 1 - -"]
    for name, players in (("first", ("one", "two")), ("second", ("two", "three"))):
        (tmp_path / name).mkdir()
        write_table(tmp_path / name / "twogtp.dat", rows, *players)
    (tmp_path / "empty").mkdir()
    read = json.loads(ratings(tmp_path, "--json").output)
    assert [one["label"] for one in read["contestants"]] == ["one", "two", "three"]
    write_table(tmp_path / "twogtp.dat", rows, "four", "five")  # its own goes first
    read = json.loads(ratings(tmp_path, "--json").output)
    assert [one["label"] for one in read["contestants"]] == ["four", "five"]


def test_a_table_that_is_named_twice_counts_once(tmp_path: Path) -> None:
    (tmp_path / "first").mkdir()
    table = write_table(tmp_path / "first" / "twogtp.dat", ["0 B+ B+ B+ 0 - -", "1 W+ W+ W+ 1 - -"])
    told = ratings(tmp_path, table.parent, table)
    assert "2 of 2 games finished" in told.output


def test_a_match_that_was_killed_is_told_of(tmp_path: Path) -> None:
    for name, rows in (("ended", ["0 B+ B+ B+ 0 - -"]), ("longer", ["0 B+ B+ B+ 0 - -"]), ("killed", None)):
        (tmp_path / name).mkdir()
        if rows is not None:
            write_table(tmp_path / name / "twogtp.dat", rows)
        lines = [game(1, "A", "B+3.5"), game(2, "A", "W+3.5")][: 1 if name == "ended" else 2]
        (tmp_path / name / "results.jsonl").write_text("".join(one.to_line() for one in lines))
    told = ratings(tmp_path)
    assert told.exit_code == 0
    lacking = [name for name in ("ended", "longer", "killed") if f"{name} has games that its twogtp" in told.output]
    assert lacking == ["longer", "killed"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "has no table of gogui-twogtp"),
        ("#GAME\tRES_B\n0\tB+\n", "has no table of gogui-twogtp"),
        (f"{HEADER}\n0\tB+\n", "line 2: '0.tB.' is no game"),
        (f"{HEADER}\nx\tB+\tB+\tB+\t0\t-\t1\t0\t0\t0\t0\t0\t\n", "line 2: 'x.tB.*' is no game"),
    ],
)
def test_what_is_no_table_is_refused_by_line(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "bad.dat"
    path.write_text(text)
    with pytest.raises(TwogtpError, match=words):
        read_twogtp(path)
    told = ratings(path)
    assert told.exit_code == 1 and told.output.startswith("Error: ") and "Traceback" not in told.output


def test_players_of_one_name_cannot_be_told_apart(tmp_path: Path) -> None:
    told = ratings(write_table(tmp_path / "a.dat", ["0 B+ B+ B+ 0 - -"], "miai", "miai"))
    assert told.exit_code == 1 and "both players are called 'miai'" in told.output


def test_a_folder_without_a_table_is_named(tmp_path: Path) -> None:
    told = ratings(tmp_path)
    assert told.exit_code == 1 and "twogtp.dat: No such file" in told.output
