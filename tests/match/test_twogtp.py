"""The results as GoGui's tools read them."""

import dataclasses
from pathlib import Path

from miai.match.contestants import Contestant
from miai.match.engines import Effort
from miai.match.match import Match
from miai.match.referee import GameSettings
from miai.match.results import GameResult
from miai.match.twogtp import write_twogtp


def game(number: int, winner: str | None, result: str, **fields: object) -> GameResult:
    efforts = {"A": Effort(10, 1.25, 0.5), "B": Effort(10, 4.0, 2.0)}
    moves = ["E5", f"D{number}", "pass", "pass"]
    played = GameResult(number, "AB"[(number + 1) % 2], winner, result, "score", moves=moves, efforts=efforts)
    return dataclasses.replace(played, **fields)  # type: ignore[arg-type]


def read(path: Path) -> tuple[dict[str, str], list[dict[str, str]]]:
    """Return properties and rows of a file."""
    lines = path.read_text().splitlines()
    properties = dict(line[2:].split(": ", 1) for line in lines if line.startswith("# "))
    (header,) = (line[1:].split("\t") for line in lines if line.startswith("#GAME"))
    return properties, [dict(zip(header, line.split("\t"), strict=True)) for line in lines if line[0] != "#"]


def test_wins_of_a_are_wins_of_black_whoever_had_the_stones(tmp_path: Path) -> None:
    sides = {"A": Contestant("fuego:time=1"), "B": Contestant("gnugo --mode\tgtp")}
    match = Match(sides, GameSettings(komi=6.5), "no openings", None, [])
    results = [
        game(2, "A", "W+3.5", claimed_results={"A": "W+3.5", "B": "W+2.5"}),
        game(1, "A", "B+Resign", ending="resignation"),
        game(3, "draw", "0"),
        game(4, "A", "W+Forfeit", ending="forfeit", reason="did not\nanswer"),
        game(5, None, "Void", ending="void", reason="move limit"),
        game(6, "B", "B+1.5", moves=["E5", "D2", "pass", "pass"]),
        game(7, "B", "W+", ending="adjudication"),
        game(8, "B", "B+1.5", moves=["E5", "D1", "pass", "pass"]),
        game(9, "A", "B+1.5", moves=["E5", "D5", "pass", "pass"]),
    ]
    write_twogtp(match, results, {"A": "miai 0.1.0"}, tmp_path)
    properties, rows = read(tmp_path / "twogtp.dat")
    assert (properties["Black"], properties["White"], properties["Komi"]) == ("miai 0.1.0", "gnugo --mode gtp", "6.5")
    assert [row["GAME"] for row in rows] == list("012345678")
    assert [row["RES_R"] for row in rows] == ["B+R", "B+3.5", "0", "?", "?", "W+1.5", "W+", "W+1.5", "B+1.5"]
    assert (rows[1]["RES_B"], rows[1]["RES_W"], rows[0]["RES_B"]) == ("B+3.5", "B+2.5", "?")
    assert [row["ALT"] for row in rows] == list("010101010")
    assert [row["ERR"] for row in rows] == list("000110000")
    assert rows[3]["ERR_MSG"] == "did not answer"
    assert [row["DUP"] for row in rows] == ["-"] * 5 + ["1", "-", "-", "-"]
    assert (rows[0]["TIME_B"], rows[0]["TIME_W"], rows[0]["LEN"]) == ("1.2", "4.0", "4")


def test_names_that_no_engine_told_now_stay_as_they_were(tmp_path: Path) -> None:
    match = Match({"A": Contestant("fuego"), "B": Contestant("gnugo")}, GameSettings(), "no openings", None, [])
    write_twogtp(match, [game(1, "A", "B+3.5")], {"A": "miai 0.1.0", "B": "GNU Go 3.8"}, tmp_path)
    write_twogtp(match, [game(1, "A", "B+3.5")], {"B": "GNU Go 3.9"}, tmp_path)
    properties, _ = read(tmp_path / "twogtp.dat")
    assert (properties["Black"], properties["White"]) == ("miai 0.1.0", "GNU Go 3.9")
