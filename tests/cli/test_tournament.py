"""`miai match FILE.toml`: tournaments on scripted engines, killed and continued."""

import json
import re
import shlex
import shutil
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from miai.match.contestants import read_contestant
from miai.match.referee import GameSettings
from miai.match.results import GameResult
from miai.match.schedule import ScheduledGame
from miai.match.swiss import score_of_a
from miai.match.tables import MatchAborted
from miai.match.tournament_file import TournamentOptions, read_tournament
from miai.players.option_fields import fields_of
from miai.players.options import GameOptions
from tests.cli.test_match import fake, match
from tests.cli.test_round_robin import read_results
from tests.commands import ROOT
from tests.processes import running_miai

STRONG, MIDDLE, WEAK = fake(), fake("pass resign"), fake("resign")


@pytest.fixture(autouse=True)
def in_a_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Run each test in a folder of its own."""
    monkeypatch.chdir(tmp_path)


def write_file(*players: str, **settings: Any) -> Path:
    """Write a tournament's file: players are named a, b, c …"""
    settings = {"games": 2, "size": 7, "opening_window": [0, 1], "parallel": 2, "output": "out"} | settings
    lines = [f"{name} = {json.dumps(value)}" for name, value in settings.items() if value is not None]
    for name, player in zip("abcdefgh", players, strict=False):
        lines += ["[[players]]", f"name = '{name}'", f"player = {json.dumps(player)}"]
    Path("games.toml").write_text("\n".join(lines) + "\n")
    return Path("games.toml")


def pairs_played(folder: str = "out") -> dict[str, int]:
    """Return the games of each two, by their names."""
    return {name[:3].replace("_", ""): len(games) for name, games in read_results(Path(folder)).items()}


def test_a_round_robin_of_a_file(tmp_path: Path) -> None:
    ended = match(write_file(STRONG, MIDDLE, WEAK, games=4, anchor="b"))
    assert ended.exit_code == 0, ended.output
    assert pairs_played() == {"ab": 4, "ac": 4, "bc": 4}
    record = json.loads(Path("out/ratings.json").read_text())
    assert [one["label"] for one in record["contestants"]] == ["a", "b", "c"]
    assert record["anchor"] == "b" and record["contestants"][1]["elo"]["value"] == 0.0
    assert Path("out/ratings.md").read_text().startswith("# Round robin of 3")


def test_a_gauntlet_leaves_out_games_between_the_others() -> None:
    ended = match(write_file(STRONG, MIDDLE, WEAK, WEAK, form="gauntlet"))
    assert ended.exit_code == 0, ended.output
    assert pairs_played() == {"ab": 2, "ac": 2, "ad": 2}
    ended = match(write_file(WEAK, STRONG, MIDDLE, form="gauntlet", challengers=2, output="two"))
    assert ended.exit_code == 0, ended.output
    assert pairs_played("two") == {"ac": 2, "bc": 2}
    assert Path("two/ratings.md").read_text().startswith("# Gauntlet of 3")


def test_a_swiss_tournament_pairs_equals_and_finds_the_best() -> None:
    ended = match(write_file(WEAK, STRONG, WEAK, MIDDLE, WEAK, form="swiss", rounds=3))
    assert ended.exit_code == 0, ended.output
    games = read_results(Path("out"))
    assert sum(len(results) for results in games.values()) == 3 * 2 * 2
    assert all(len(results) == 2 for results in games.values())
    assert json.loads(Path("out/ratings.json").read_text())["contestants"][0]["label"] == "b"
    assert "bd" in pairs_played()


def test_more_rounds_continue_a_swiss_tournament() -> None:
    players = (WEAK, STRONG, MIDDLE, fake("pass pass resign"))
    match(write_file(*players, form="swiss", rounds=1))
    before = read_results(Path("out"))
    ended = match(write_file(*players, form="swiss", rounds=4))
    assert ended.exit_code == 0, ended.output
    after = read_results(Path("out"))
    assert all(after[name][: len(games)] == games for name, games in before.items())
    assert sum(map(len, after.values())) == 4 * 2 * 2  # four rounds of two pairs, so one pair of four met twice
    assert max(map(len, after.values())) == 4
    again = match(write_file(*players, form="swiss", rounds=4))
    assert read_results(Path("out")) == after and again.exit_code == 0


def test_a_sequential_test_ends_each_pairing() -> None:
    # one table: of two, one may play on for long while the other still starts its engines, as the test keeps the order
    settings = {"form": "gauntlet", "games": 200, "sprt": [0, 300], "parallel": 1}
    ended = match(write_file(STRONG, WEAK, WEAK, **settings))
    assert ended.exit_code == 0, ended.output
    assert all(4 <= number < 60 for number in pairs_played().values())
    assert ended.stdout.count("accepted 300 Elo") == 2
    before = read_results(Path("out"))
    match(write_file(STRONG, WEAK, WEAK, **settings))
    assert read_results(Path("out")) == before


def test_openings_come_from_a_folder() -> None:
    Path("openings").mkdir()
    for name, move in (("one", "cc"), ("two", "dd")):
        Path(f"openings/{name}.sgf").write_text(f"(;SZ[7];B[{move}])")
    ended = match(write_file(STRONG, WEAK, games=4, openings=["openings"]))
    assert ended.exit_code == 0, ended.output
    results = next(iter(read_results(Path("out")).values()))
    assert {tuple(result.moves[: result.opening_length]) for result in results} == {("C5",), ("D4",)}
    ended = match(write_file(STRONG, WEAK, games=4, openings=["openings"], form="swiss", rounds=2, output="swiss"))
    assert ended.exit_code == 1 and "meet again in round 2: 8 games need 4 openings, and" in ended.stderr
    assert len(next(iter(read_results(Path("swiss")).values()))) == 4, "the first round counts"
    assert Path("swiss/ratings.md").exists() and "Traceback" not in ended.output
    Path("empty").mkdir()
    assert "empty holds no SGF files" in match(write_file(STRONG, WEAK, openings=["empty"])).stderr


def test_a_player_that_plays_a_proven_game_need_not_end_it() -> None:
    black = "C3 C2 C4 C1 C5 B2 A2 B4 A4"
    ended = match(write_file(fake(black), fake(" ".join(["pass"] * 30)), size=5, openings="none", adjudicate=True))
    assert ended.exit_code == 0, ended.output
    assert any(result.ending == "adjudication" for games in read_results(Path("out")).values() for result in games)


def test_the_points_of_a_tournament() -> None:
    write_file(STRONG, fake("A1 A1"))
    match("games.toml")
    results = next(iter(read_results(Path("out")).values()))
    assert all(result.ending == "forfeit" for result in results)
    assert score_of_a(results) == 2.0


@pytest.mark.parametrize("form", ["round-robin", "swiss"])
def test_a_killed_tournament_goes_on(form: str) -> None:
    players = [fake("pass " * number + "resign", delay=0.1) for number in range(4)]
    rounds = {"rounds": 3} if form == "swiss" else {}
    path = write_file(*players, form=form, parallel=1, **rounds)
    with running_miai("match", str(path)) as process:
        while process.poll() is None and sum(pairs_played().values()) < 3:
            time.sleep(0.02)
    before = read_results(Path("out"))
    assert 3 <= sum(map(len, before.values())) < 12
    ended = match(path)
    assert ended.exit_code == 0, ended.output
    after = read_results(Path("out"))
    assert sum(map(len, after.values())) == 12
    assert all(after[name][: len(games)] == games for name, games in before.items())


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"form": "knockout"}, "form: 'knockout' is not allowed (allowed: round-robin, gauntlet, swiss)"),
        ({"games": 3}, "the number of games must be even"),
        ({"game": 4}, "there is no setting 'game' – did you mean 'games'?"),
        ({"anchor": "z"}, "anchor: there is no player 'z' (allowed: a, b)"),
        ({"rounds": 3}, 'rounds: form is "round-robin" (allowed: with form = "swiss")'),
        ({"form": "swiss", "challengers": 1}, 'challengers: form is "swiss" (allowed: with form = "gauntlet")'),
        ({"form": "gauntlet", "challengers": 2}, "challengers: 2 of 2 players leave no opponent"),
        ({"form": "swiss", "sprt": [0, 10]}, "sprt: a Swiss tournament has none"),
        ({"sprt": [10, 0]}, "the first Elo difference must be below the second"),
        ({"sprt": [10]}, "sprt: '[10]' is not allowed"),
        ({"time_settings": [1, 2]}, "time-settings: '[1, 2]' is not allowed (allowed: three whole numbers"),
        ({"opening_plies": "x"}, "opening-plies: 'x' is not allowed"),
        ({"komi": "many"}, "komi: 'many' is not allowed"),
        ({"openings": [1]}, "openings: '[1]' is not allowed (allowed: a list of SGF files"),
    ],
)
def test_what_is_wrong_in_a_file_is_named(settings: dict[str, Any], words: str) -> None:
    ended = match(write_file(STRONG, WEAK, **settings))
    assert ended.exit_code == 2
    assert words in " ".join(ended.stderr.split())
    assert not Path("out").exists()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("games = 2", "names no players"),
        ("players = 3", "there are no players"),
        ("[[players]]\nplayer = 'fuego'", "2 to 64 tables"),
        ("[[players]]\nname = 'x'\n[[players]]\nplayer = 'uct'", "names no player"),
        ("[[players]]\nplayr = 'fuego'\n[[players]]\nplayer = 'uct'", "did you mean 'player'?"),
        ("[[players]]\nplayer = 'fuego'\n[[players]]\nplayer = 'fuego'", "'fuego' is named twice"),
        ("[[players]]\nplayer = 'fuegoo'\n[[players]]\nplayer = 'uct'", "did you mean 'fuego'?"),
        ("[[players", "is not valid TOML"),
    ],
)
def test_players_that_are_none_are_named(text: str, words: str) -> None:
    Path("games.toml").write_text(text)
    ended = match("games.toml")
    assert ended.exit_code == 2
    assert words in " ".join(ended.stderr.split())


def test_what_the_file_says_is_not_said_again() -> None:
    ended = match(write_file(STRONG, WEAK), "--games", 4)
    assert ended.exit_code == 2
    assert "--games: what is played stands in games.toml" in " ".join(ended.stderr.split())
    assert "has no opponent" in match("fuego").stderr
    assert match(write_file(STRONG, WEAK), "--output", "elsewhere", "--parallel", 1).exit_code == 0
    assert Path("elsewhere/ratings.md").exists() and not Path("out").exists()


def test_without_output_the_same_file_finds_its_folder() -> None:
    for rounds in (1, 2):
        match(write_file(STRONG, MIDDLE, WEAK, form="swiss", rounds=rounds, output=None))
    (folder,) = Path("matches").iterdir()
    assert folder.name.startswith("swiss_")
    assert shlex.quote(folder.name) == folder.name


def test_the_tournament_of_the_page_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    page = (ROOT / "docs" / "how-to" / "matches.md").read_text(encoding="utf-8")
    (text,) = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)
    Path("tournament.toml").write_text(text)
    monkeypatch.setattr(shutil, "which", lambda name: f"/usr/bin/{name}")
    file = read_tournament(Path("tournament.toml"))
    assert [contestant.label for contestant in file.contestants] == ["new", "fuego:threads=2", "gnugo"]
    shown = set(re.findall(r"`(\w+)`", page[page.index("Other settings are") : page.index("A Swiss round")]))
    shown |= set(re.findall(r"^(\w+) =", text, re.MULTILINE)) - {"name", "player"}
    assert shown | {"players", "rounds"} == {*fields_of(TournamentOptions), *fields_of(GameOptions)}


@pytest.mark.slow
def test_a_ray_cluster_plays_the_same_games(tmp_path: Path) -> None:
    pytest.importorskip("ray")
    words = (fake("C3 D4"), fake("C5 resign"), "--games", 4, "--size", 7, "--opening-window", 0, 1)
    before = set(Path(tempfile.gettempdir()).glob("miai-table-*"))
    for workers in ("local", "ray:local"):
        ended = match(*words, "--workers", workers, "--output", workers.replace(":", "-"))
        assert ended.exit_code == 0, ended.output
    here, there = (
        {
            result.number: (result.moves, result.result)
            for result in map(GameResult.from_line, (Path(name) / "results.jsonl").read_text().splitlines())
        }
        for name in ("local", "ray-local")
    )
    assert here == there and len(here) == 4
    assert set(Path(tempfile.gettempdir()).glob("miai-table-*")) <= before, "nothing is left on the cluster's machines"


@pytest.mark.slow
def test_a_game_whose_machine_is_lost_is_played_again() -> None:
    ray = pytest.importorskip("ray")
    from miai.engine.ray_cluster import connect
    from miai.match.ray_tables import RayTable

    connect("local", MatchAborted)
    scripts = {"A": "C3 D4", "B": "E5 C5"}
    contestants = {side: read_contestant(fake(script, delay=0.5)) for side, script in scripts.items()}
    table = RayTable(contestants, GameSettings(size=7), 1)
    try:
        assert table.check() == {"A": "Fake 1", "B": "Fake 1"}
        first = table._actor
        timer = threading.Timer(1.0, ray.kill, [first])
        timer.start()
        played = table.conduct(ScheduledGame(1, "A", ()))
        timer.join()
        assert table._actor is not first
        assert [played.result.ending, len(played.result.moves)] == ["score", 6]
    finally:
        table.close()
        ray.shutdown()


def test_workers_that_there_are_not_are_named() -> None:
    ended = match(STRONG, WEAK, "--workers", "gpu")
    assert ended.exit_code == 2
    assert "workers: 'gpu' is not allowed (allowed: local, ray, ray:ADDRESS" in " ".join(ended.stderr.split())
