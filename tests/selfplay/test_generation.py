"""`miai selfplay` as users run it: whole, in several processes, killed and continued."""

import json
import os
import random
import signal
import subprocess
import time
from contextlib import AbstractContextManager
from pathlib import Path

import numpy as np
import pytest
from click.testing import Result

from miai.cli.selfplay import command
from miai.engine.go.points import BLACK, opponent
from miai.engine.go.sgf import load_game
from miai.players.options import PlayerOptions
from miai.selfplay.data.format import DataError, GameRecord, game_files, read_games
from miai.selfplay.data.sgf import game_of_record
from miai.selfplay.data.store import StoreError
from miai.selfplay.generation.game import game_seed
from miai.selfplay.generation.player_generator import PlayerGenerator
from miai.selfplay.generation.run_plan import PLAN_FILE, check_plan
from miai.selfplay.generation.selfplay_recipe import SelfPlayRecipe
from miai.selfplay.generation.workers import LocalWorkers, WorkersFailed
from tests.commands import ROOT, run_command
from tests.processes import running_miai

OPTIONS = PlayerOptions(simulations=12, memory=16)
RECIPE = SelfPlayRecipe(size=5, simulations=12, fast_simulations=4, full_search_fraction=0.5)
PATIENCE = 600.0
EPSILON_GREEDY = f"{ROOT / 'examples' / 'tournament.py'}:epsilon_greedy"
QUICK = ("--size", "5", "--simulations", "12", "--fast-simulations", "4", "--memory", "16")


def selfplay(*arguments: object) -> Result:
    """Run the command in this process."""
    return run_command(command, *arguments)


def games_in(folder: Path) -> dict[int, GameRecord]:
    """Return all games of a folder by seed; no seed comes twice."""
    games = [game for path in game_files(folder) for game in read_games(path).records()]
    by_seed = {game.seed: game for game in games}
    assert len(by_seed) == len(games)
    return by_seed


def seeds(number: int, seed: int = 1) -> set[int]:
    return {game_seed(seed, index) for index in range(number)}


def test_a_run_leaves_games_samples_and_figures(tmp_path: Path) -> None:
    ended = selfplay("--output", tmp_path, "--games", 5, "--processes", 1, "--sgf-every", 2, *QUICK)
    assert ended.exit_code == 0, ended.output
    assert "played 5 games" in ended.stdout
    games = games_in(tmp_path)
    assert set(games) == seeds(5)
    for game in games.values():
        again = game_of_record(game)  # raises for an illegal move
        assert game.is_scored == (not np.isnan(game.score))
        if game.is_scored:
            assert game.result == (game.score > 0) + 0.5 * (game.score == 0)
            assert again.is_over or len(game.moves) > 10
        color = BLACK
        for mover in game.colors:
            assert mover == color
            color = opponent(color)
    samples = sorted(path.stem for path in (tmp_path / "sgf").iterdir())
    assert samples == ["1-000001", "1-000003", "1-000005"], "of seed 1; another seed's have other names"
    game, info = load_game(tmp_path / "sgf" / "1-000001.sgf")
    first = games[game_seed(1, 0)]
    assert len(game.moves) == len(first.moves) and game.komi == first.komi
    assert info.result.startswith({1.0: "B+", 0.0: "W+", 0.5: "0"}[first.result])


def test_a_run_that_finds_all_games_played_shows_no_figures(tmp_path: Path) -> None:
    for expected in ("played 1 games", "no game was left to play\n"):
        ended = selfplay("--output", tmp_path, "--games", 1, "--processes", 1, *QUICK)
        assert ended.exit_code == 0
        assert ended.stdout.startswith(expected)


def test_a_larger_number_of_games_goes_on_and_another_seed_adds(tmp_path: Path) -> None:
    for games, seed in ((2, 1), (4, 1), (3, 1), (2, 7)):
        ended = selfplay("--output", tmp_path, "--games", games, "--processes", 1, "--seed", seed, *QUICK)
        assert ended.exit_code == 0, ended.output
    assert set(games_in(tmp_path)) == seeds(4) | seeds(2, 7)


def test_games_of_the_same_seed_played_otherwise_are_refused(tmp_path: Path) -> None:
    begun = ("--output", tmp_path, "--games", 1, "--processes", 1, *QUICK)
    assert selfplay(*begun).exit_code == 0
    assert selfplay(*begun, "--memory", "32").exit_code == 0
    for changed, told in (
        (("--komi", "5.5"), "recipe.komi was"),
        (("--policy", "random"), "player.policy was 'fuego'"),
    ):
        ended = selfplay(*begun, *changed)
        assert ended.exit_code == 1 and told in ended.output and "choose another --seed or --output" in ended.output
        assert selfplay(*begun, *changed, "--seed", 9 + len(told)).exit_code == 0
    (tmp_path / "selfplay.json").write_text("[]")
    assert "selfplay.json is not readable" in selfplay(*begun).output


def test_a_network_is_known_by_its_content(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    from tests.nets.tiny import save_tiny

    one, same, other = (tmp_path / f"{name}.safetensors" for name in ("one", "same", "other"))
    save_tiny(one)
    same.write_bytes(one.read_bytes())
    save_tiny(other, kind="another file")
    recipe, folder = SelfPlayRecipe(), tmp_path / "data"
    folder.mkdir()
    check_plan(folder, recipe, PlayerOptions(evaluator="net", net=str(one)))
    check_plan(folder, recipe, PlayerOptions(evaluator="net", net=str(same)))
    one.write_bytes(other.read_bytes())
    with pytest.raises(StoreError, match="player.network was '[0-9a-f]{64}', now"):
        check_plan(folder, recipe, PlayerOptions(evaluator="net", net=str(one)))
    plans = json.loads((folder / PLAN_FILE).read_text())
    del plans["1"]["player"]["network"]
    plans["1"]["player"]["net"] = "one.safetensors"
    (folder / PLAN_FILE).write_text(json.dumps(plans))
    check_plan(folder, recipe, PlayerOptions(evaluator="net", net=str(one)))  # an older miai told no content
    with pytest.raises(StoreError, match="player.network was"):
        check_plan(folder, recipe, PlayerOptions(evaluator="net", net=str(same)))


def test_a_rule_of_a_file_is_known_by_its_content(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    paths = [tmp_path / name for name in ("mine.py", "same.py")]
    for path in paths:
        path.write_text("# a rule\n")
    for path in paths:
        check_plan(folder, SelfPlayRecipe(), PlayerOptions(select=f"{path}:mine"))
    plans = json.loads((folder / PLAN_FILE).read_text())
    plans["1"]["player"]["select"] = f"{paths[0]}:mine"
    (folder / PLAN_FILE).write_text(json.dumps(plans))
    check_plan(folder, SelfPlayRecipe(), PlayerOptions(select=f"{paths[0]}:mine"))  # as an older miai wrote it
    paths[0].write_text("# another rule\n")
    with pytest.raises(StoreError, match="player.select was 'mine-"):
        check_plan(folder, SelfPlayRecipe(), PlayerOptions(select=f"{paths[0]}:mine"))


def test_a_network_that_leaves_the_size_to_another_player_is_refused(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    from tests.nets.tiny import save_tiny

    net = save_tiny(tmp_path / "net.safetensors", sizes=[5, 7])
    arguments = ("--output", tmp_path / "data", "--preset", "net", "--net", net, "--size", 6)
    refused = selfplay(*arguments)
    assert refused.exit_code == 2
    assert "has not learned 6x6: fuego would play (allowed: --size 5, --size 7, --fallback none)" in " ".join(
        refused.stderr.split()
    )
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--processes", 2), "--processes is not allowed with --ray"),
        (("--branch-off", "games"), "--branch-off games is not allowed with --ray auto"),
        (("--select", EPSILON_GREEDY), f"--select {EPSILON_GREEDY} is not allowed with --ray auto"),
    ],
)
def test_what_a_cluster_lacks_is_refused(arguments: tuple[object, ...], message: str, tmp_path: Path) -> None:
    refused = selfplay("--output", tmp_path / "data", "--ray", "auto", *arguments)
    assert refused.exit_code == 2 and message in " ".join(refused.stderr.split())
    assert not (tmp_path / "data").exists()


def _assert_same(one: GameRecord, other: GameRecord) -> None:
    assert (one.moves, one.komi, one.seed, one.result) == (other.moves, other.komi, other.seed, other.result)
    np.testing.assert_array_equal(one.root_values, other.root_values)
    assert len(one.targets) == len(other.targets)


def test_the_same_seed_plays_the_same_games_in_any_order_and_number_of_processes() -> None:
    alone = {game.number: game.record for game in PlayerGenerator(OPTIONS, RECIPE).play(range(4))}
    backwards = {game.number: game.record for game in PlayerGenerator(OPTIONS, RECIPE).play(reversed(range(4)))}
    shared = {game.number: game.record for game in LocalWorkers(OPTIONS, RECIPE, 2).play(range(4))}
    assert set(shared) == set(range(4))
    for number, record in alone.items():
        _assert_same(record, backwards[number])
        _assert_same(record, shared[number])
    assert len({tuple(record.moves) for record in alone.values()}) == 4


@pytest.mark.parametrize("preset", ["gumbel", "puct"])
def test_other_players_teach_too(tmp_path: Path, preset: str) -> None:
    ended = selfplay(
        "--output", tmp_path, "--games", 2, "--processes", 1, "--preset", preset, "--full-search-fraction", 1, *QUICK
    )
    assert ended.exit_code == 0, ended.output
    for game in games_in(tmp_path).values():
        searched = [target for target, value in zip(game.targets, game.root_values, strict=True) if value == value]
        assert all(target is not None and target.probabilities.sum() == pytest.approx(1.0) for target in searched)


def test_options_that_make_no_sense_are_refused(tmp_path: Path) -> None:
    refused = selfplay("--output", tmp_path, "--preset", "strong")
    assert refused.exit_code == 2 and "says time = 1 (allowed: none)" in refused.stderr
    refused = selfplay("--output", tmp_path, "--komi", "7", "--komi-range", "8", "9")
    assert refused.exit_code == 2 and "--komi 7 is not within --komi-range 8 9" in refused.stderr
    refused = selfplay("--output", tmp_path, "--komi-range", "0", "1e308")
    assert (
        refused.exit_code == 2
        and "komi-range: '1e308' is not allowed (allowed: a number from -1000 to 1000)" in refused.stderr
    )
    file = tmp_path / "file"
    file.write_text("x")
    refused = selfplay("--output", file / "folder", "--games", 1, "--processes", 1, *QUICK)
    assert refused.exit_code == 1 and "cannot write to" in refused.stderr


def test_a_worker_that_dies_has_its_game_played_again(monkeypatch: pytest.MonkeyPatch) -> None:
    finished: list[int] = []
    workers = LocalWorkers(OPTIONS, RECIPE, 2)
    for game in workers.play(range(6)):
        finished.append(game.number)
        if len(finished) in (1, 3):
            _kill_a_child()
    assert sorted(finished) == list(range(6))


def _kill_a_child() -> None:
    import multiprocessing

    child = multiprocessing.active_children()[0]
    assert child.pid is not None
    os.kill(child.pid, signal.SIGKILL)


def test_workers_that_fail_end_the_run_with_the_reason() -> None:
    with pytest.raises(WorkersFailed, match="there is no search parameter 'rave.nothing'"):
        list(LocalWorkers(PlayerOptions(parameters={"rave.nothing": 1}), RECIPE, 1).play(range(2)))


def _running_selfplay(folder: Path, games: int, processes: int) -> AbstractContextManager[subprocess.Popen[str]]:
    arguments = ["--output", str(folder), "--games", str(games), "--processes", str(processes), *QUICK]
    return running_miai("selfplay", *arguments)


def _finished_games(folder: Path) -> int:
    """Count the games of a folder; one that is in a file already and still waits counts once."""
    found: set[int] = set()
    for path in (*game_files(folder / "waiting"), *game_files(folder)):  # in the order in which games move
        try:
            found.update(game.seed for game in read_games(path).records())
        except DataError:
            if path.exists():
                raise
    return len(found)


def _wait_for_games(running: subprocess.Popen[str], folder: Path, number: int) -> None:
    deadline = time.monotonic() + PATIENCE
    while _finished_games(folder) < number:
        assert running.poll() is None, "the run has ended"
        assert time.monotonic() < deadline, "the run does not get on"
        time.sleep(0.005)


@pytest.mark.parametrize("processes", [1, 2])
def test_a_run_killed_again_and_again_loses_and_doubles_nothing(tmp_path: Path, processes: int) -> None:
    rng = random.Random(processes)
    games, before = 400, 0
    for _ in range(4):
        with _running_selfplay(tmp_path, games, processes) as running:
            _wait_for_games(running, tmp_path, before + 1)
            time.sleep(rng.uniform(0.0, 0.3))
            running.kill()
            running.wait()
            time.sleep(0.05)
            kept = _finished_games(tmp_path)
        assert kept > before
        before = kept
    total = before + 10
    with _running_selfplay(tmp_path, total, processes) as running:
        _, errors = running.communicate(timeout=PATIENCE)
    assert running.returncode == 0, errors
    assert set(games_in(tmp_path)) == seeds(total)
    for game in games_in(tmp_path).values():
        game_of_record(game)


def test_an_interrupted_run_puts_its_games_into_files_and_says_how_to_go_on(tmp_path: Path) -> None:
    with _running_selfplay(tmp_path, 10_000, 1) as running:
        _wait_for_games(running, tmp_path, 3)
        running.send_signal(signal.SIGINT)
        _, errors = running.communicate(timeout=PATIENCE)
    assert running.returncode == 130 and "interrupted: the same command continues" in errors
    assert len(games_in(tmp_path)) >= 3 and not list((tmp_path / "waiting").iterdir())
