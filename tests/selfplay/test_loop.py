"""`miai loop`: that it makes networks and rates them, and keeps a journal. For kills see `tests/soak/test_kills.py`."""

import math
import signal
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from miai.cli.loop import command
from miai.nets.net_files import load_weights
from miai.selfplay.data.format import game_files, read_games
from miai.selfplay.loop.journal import Journal, JournalEntry

TINY = (
    *("--size", "5", "--komi", "24.5", "--blocks", "1", "--filters", "4", "--select", "gumbel", "--simulations", "4"),
    *("--teacher", "fuego:simulations=8", "--teacher-games", "4", "--games", "2", "--processes", "1", "--batch", "1"),
    *("--rate-every", "2", "--rate-games", "2", "--rate-simulations", "2", "--opponent", "fuego:simulations=2"),
)


def run_loop(*arguments: object) -> Result:
    return CliRunner().invoke(command, [*TINY, *map(str, arguments)])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--teacher", "true"), "teacher: 'true' is not allowed (allowed: a preset of miai's with simulations)"),
        (("--teacher", "strong"), "teacher: 'strong' is not allowed"),
        (("--opponent", "nobody"), "'nobody' is neither a preset"),
        (("--network", "li-lim"), "network li-lim-1x4 plays on 9x9 boards only, not 5x5"),
        (("--opponent", "fuego:komi=7"), "komi: the command line says 24.5, 'fuego:komi=7' says 7"),
        (("--teacher", "fuego:simulations=8,size=9"), "size: the command line says 5, 'fuego:simulations=8,size=9'"),
        (("--filters", "1"), "filters 1 of a network: allowed are 4 to 1024"),
    ],
)
def test_what_cannot_be_is_refused(arguments: tuple[str, ...], message: str, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    ended = run_loop("--output", tmp_path, "--networks", 1, *arguments)
    assert ended.exit_code == 2
    assert message in " ".join(ended.output.split())


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("--set", "gumbel.nothing=1"), 2, "there is no search parameter 'gumbel.nothing'"),
        (("--branch-off", "nowhere"), 2, "--branch-off 'nowhere' is not allowed (allowed: a folder)"),
        (("--opponent", "fuego:simulations=2", "--opponent", "false"), 1, "engine false cannot play"),
    ],
)
def test_what_cannot_play_is_refused_before_the_first_game(
    arguments: tuple[str, ...], code: int, message: str, tmp_path: Path
) -> None:
    pytest.importorskip("torch")
    ended = run_loop("--output", tmp_path / "loop", "--networks", 1, *arguments)
    assert ended.exit_code == code
    assert message in " ".join(ended.output.split())
    assert not (tmp_path / "loop").exists()


def test_rating_games_that_were_given_up_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("torch")
    from miai.match.tournament import Tournament

    monkeypatch.setattr(Tournament, "play", lambda *_: (["the games of a and b were given up: why"], False))
    ended = run_loop("--output", tmp_path / "loop", "--networks", 1, "--rate-every", 1)
    assert ended.exit_code == 0, ended.output
    assert "miai: the games of a and b were given up: why" in ended.output


def test_a_damaged_network_is_left_out_and_its_number_stays_taken(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    arguments = ("--output", tmp_path / "loop", "--rate-every", 1, "--networks")
    assert run_loop(*arguments, 2).exit_code == 0
    damaged = tmp_path / "loop" / "training" / "nets" / "net-000002.safetensors"
    damaged.write_bytes(damaged.read_bytes()[:100])
    ended = run_loop(*arguments, 3)
    assert ended.exit_code == 0, ended.output
    assert versions(tmp_path / "loop") == [1, 2, 3]
    assert "left out: " in ended.output and "net-000002" in ended.output
    rated = (tmp_path / "loop" / "ratings" / "ratings.md").read_text()
    assert "net-000003" in rated and "net-000002" not in rated
    last = load_weights(damaged.with_name("net-000003.safetensors")).summary
    assert last["journal"]["version"] == 3


def test_the_journal_is_completed_under_the_numbers_of_the_files(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    assert run_loop("--output", tmp_path / "loop", "--networks", 1, "--rate-every", 9).exit_code == 0
    nets = tmp_path / "loop" / "training" / "nets"
    (nets / "net-000001.safetensors").rename(nets / "net-000003.safetensors")
    (tmp_path / "loop" / "journal.jsonl").unlink()
    assert run_loop("--output", tmp_path / "loop", "--networks", 3, "--rate-every", 9).exit_code == 0
    assert versions(tmp_path / "loop") == [3]


def test_what_the_players_say_of_the_game_holds_for_the_loop(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    file = tmp_path / "teacher.toml"
    file.write_text("preset = 'fuego'\nsimulations = 8\nkomi = 24.5\n")
    opponent = "fuego:simulations=2,size=5"
    words = ("--teacher", file, "--opponent", opponent, "--output", tmp_path / "loop", "--networks", 1)
    ended = CliRunner().invoke(command, [*TINY[4:], *map(str, words), "--rate-every", "1"])
    assert ended.exit_code == 0, ended.output
    games = [game for path in game_files(tmp_path / "loop" / "games") for game in read_games(path).records()]
    assert {game.size for game in games} == {5}
    assert sum(game.komi for game in games) / len(games) > 17
    assert "5x5, komi 24.5" in (tmp_path / "loop" / "ratings" / "ratings.md").read_text()


def test_the_journal_drops_a_line_that_was_cut_short(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    Journal(path).add(JournalEntry(1, games=3, playing_seconds=2.0))
    with open(path, "a") as file:
        file.write('{"version": 2, "ga')
    Journal(path).add(JournalEntry(2, training_seconds=5.0))
    with open(path, "a") as file:
        file.write('{"version": 9, "playing_seconds": "a"}\n')
    entries = Journal(path).entries
    assert [entry.version for entry in entries] == [1, 2]
    assert Journal(path).seconds == 7.0


def test_the_journal_tells_a_network_once_and_what_was_told_last(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal.jsonl")
    for entry in (JournalEntry(1, games=3), JournalEntry(2, games=1), JournalEntry(2, games=2)):
        journal.add(entry)
    assert [(entry.version, entry.games) for entry in Journal(tmp_path / "journal.jsonl").entries] == [(1, 3), (2, 2)]


def test_the_journal_says_what_was_not_measured() -> None:
    entry = JournalEntry(3, positions=100, step=7, playing_seconds=0.5, validation={"policy": 1.25, "value_error": 0.5})
    assert entry.line() == (
        "net 3: 0 games; 100 positions, step 7; 0 s playing, 0 s training, 0 s rating; "
        "policy 1.25, policy_accuracy –, value –, value_error 0.5, score_error –"
    )
    assert JournalEntry(3, games=5, playing_seconds=2.0).line().startswith("net 3: 5 games, 9,000/h; ")


def test_a_loop_stopped_while_it_rates_has_its_journal_completed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("torch")
    from miai.selfplay.loop.rating import RatingLadder

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    arguments = ("--output", tmp_path / "loop", "--networks", 1, "--rate-every", 1)
    with monkeypatch.context() as patched:
        patched.setattr(RatingLadder, "rate", stop)
        assert run_loop(*arguments).exit_code == 130
    assert Journal(tmp_path / "loop" / "journal.jsonl").entries == []
    assert run_loop(*arguments).exit_code == 0
    (entry,) = Journal(tmp_path / "loop" / "journal.jsonl").entries
    assert (entry.version, entry.games) == (1, 4)
    assert entry.step > 0 and entry.positions > 0 and entry.losses
    assert entry.playing_seconds > 0 and entry.training_seconds > 0


class Clock:
    """Stands in for the module `time` of the loop."""

    def __init__(self) -> None:
        self.hours = 0.0

    def monotonic(self) -> float:
        return 3600.0 * self.hours


def let_networks_play(monkeypatch: pytest.MonkeyPatch, *hours: float) -> None:
    """Let the loop believe that its next networks play for so many hours each, and that nothing else takes time."""
    from miai.selfplay.loop import loop

    clock, left, generate_games = Clock(), list(hours), loop.generate_games

    def play(*arguments: Any) -> Any:
        clock.hours += left.pop(0)
        return generate_games(*arguments)

    monkeypatch.setattr(loop, "time", clock)
    monkeypatch.setattr(loop, "generate_games", play)


def versions(folder: Path) -> list[int]:
    """Return the networks that are published and told in the journal."""
    nets = sorted(path.name for path in (folder / "training" / "nets").glob("*"))
    found = [entry.version for entry in Journal(folder / "journal.jsonl").entries]
    assert nets == [f"net-{version:06d}.safetensors" for version in found]
    return found


def test_a_network_that_was_begun_is_finished_and_the_hours_of_all_starts_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("torch")
    for hours, played, made in ((1, 2, [1]), (3, 1, [1, 2])):
        with monkeypatch.context() as patched:
            let_networks_play(patched, played)
            ended = run_loop("--output", tmp_path / "loop", "--hours", hours, "--rate-every", 9)
        assert ended.exit_code == 0, ended.output
        assert versions(tmp_path / "loop") == made


def test_a_loop_whose_hours_are_spent_makes_no_network(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("torch")
    let_networks_play(monkeypatch)
    (tmp_path / "loop").mkdir()
    Journal(tmp_path / "loop" / "journal.jsonl").add(JournalEntry(1, playing_seconds=7200.0))
    ended = run_loop("--output", tmp_path / "loop", "--hours", 1)
    assert ended.exit_code == 0, ended.output
    assert not (tmp_path / "loop" / "training").exists() and not (tmp_path / "loop" / "games").exists()


def test_the_hours_of_starts_that_were_interrupted_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("torch")
    from miai.selfplay.loop import loop

    clock = Clock()

    def interrupt(*_: object) -> None:
        clock.hours += 2.0
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(loop, "time", clock)
        patched.setattr(loop, "generate_games", interrupt)
        assert run_loop("--output", tmp_path / "loop", "--hours", 3).exit_code == 130
    (tmp_path / "loop" / ".miai-1-ab.part").write_text("cut short by a kill")
    ended = run_loop("--output", tmp_path / "loop", "--hours", 2)
    assert ended.exit_code == 0, ended.output
    assert not (tmp_path / "loop" / "training").exists()
    assert not list((tmp_path / "loop").rglob("*.part"))
    (tmp_path / "loop" / "seconds.json").write_text("damaged")
    let_networks_play(monkeypatch, 3)
    assert run_loop("--output", tmp_path / "loop", "--hours", 2, "--rate-every", 9).exit_code == 0
    assert versions(tmp_path / "loop") == [1]


def test_an_interrupted_training_goes_on_from_the_step_that_it_was_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("torch")
    from miai.selfplay.training.training_recipe import TrainingRecipe

    def interrupt(self: TrainingRecipe, step: int, total: int) -> float:
        if step == 2:
            handler = signal.getsignal(signal.SIGINT)
            assert callable(handler)
            handler(signal.SIGINT, None)
        return 0.001

    (tmp_path / "recipe.toml").write_text("batch_size = 16\nreuse = 8\n")
    words = ("--output", tmp_path / "loop", "--recipe", tmp_path / "recipe.toml", "--networks", 1, "--rate-every", 9)
    with monkeypatch.context() as patched:
        patched.setattr(TrainingRecipe, "learning_rate_at", interrupt)
        assert run_loop(*words).exit_code == 130
    training = tmp_path / "loop" / "training"
    assert [path.name for path in (training / "checkpoints").iterdir()] == ["state-00000003.safetensors"]
    assert not list((training / "nets").iterdir())
    assert run_loop(*words).exit_code == 0
    (entry,) = Journal(tmp_path / "loop" / "journal.jsonl").entries
    assert entry.step == math.ceil(8 * entry.positions / 16) > 3


def test_a_loop_stopped_before_it_publishes_trains_no_step_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("torch")
    from miai.selfplay.training.trainer import Trainer

    def stop(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    (tmp_path / "recipe.toml").write_text("batch_size = 16\nreuse = 8\n")
    words = ("--output", tmp_path / "loop", "--recipe", tmp_path / "recipe.toml", "--networks", 1, "--rate-every", 9)
    with monkeypatch.context() as patched:
        patched.setattr(Trainer, "publish", stop)
        assert run_loop(*words).exit_code == 130
    assert run_loop(*words).exit_code == 0
    (entry,) = Journal(tmp_path / "loop" / "journal.jsonl").entries
    assert entry.step == math.ceil(8 * entry.positions / 16) and entry.losses


def note_learning_rates(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, int]]:
    """Return a list of the steps whose learning rate is asked for, and of all steps that there are to be then."""
    from miai.selfplay.training.training_recipe import TrainingRecipe

    asked: list[tuple[int, int]] = []
    rate_at = TrainingRecipe.learning_rate_at

    def note(self: TrainingRecipe, step: int, total: int) -> float:
        asked.append((step, total))
        return rate_at(self, step, total)

    monkeypatch.setattr(TrainingRecipe, "learning_rate_at", note)
    return asked


@pytest.mark.parametrize(("hours", "first_share"), [((), 0.5), (("--hours", 4), 0.75)])
def test_the_learning_rate_drops_at_its_shares_of_the_networks_or_the_hours(
    hours: tuple[object, ...], first_share: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("torch")
    asked = note_learning_rates(monkeypatch)
    let_networks_play(monkeypatch, 3.0, 0.0)
    (tmp_path / "recipe.toml").write_text("batch_size = 16\n")
    words = ("--recipe", tmp_path / "recipe.toml", "--networks", 2, "--rate-every", 9)
    assert run_loop("--output", tmp_path / "loop", *words, *hours).exit_code == 0
    first, second = Journal(tmp_path / "loop" / "journal.jsonl").entries
    assert {total for step, total in asked if step < first.step} == {round(first.step / first_share)}
    assert {total for step, total in asked if step >= first.step} == {second.step}


def test_a_loop_that_was_moved_goes_on(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    assert run_loop("--output", tmp_path / "loop", "--networks", 1, "--rate-every", 1).exit_code == 0
    (tmp_path / "loop").rename(tmp_path / "moved")
    ended = run_loop("--output", tmp_path / "moved", "--networks", 2, "--rate-every", 1)
    assert ended.exit_code == 0, ended.output


def test_a_loop_starts_from_a_network_without_a_teacher(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    assert run_loop("--output", tmp_path / "first", "--networks", 1, "--rate-every", 9).exit_code == 0
    start = tmp_path / "first" / "training" / "nets" / "net-000001.safetensors"
    arguments = ("--output", tmp_path / "next", "--start-from", start, "--networks", 2, "--rate-every", 9)
    ended = run_loop(*arguments)
    assert ended.exit_code == 0, ended.output
    nets = tmp_path / "next" / "training" / "nets"
    first, second = (load_weights(nets / f"net-{number:06d}.safetensors").arrays for number in (1, 2))
    known = load_weights(start).arrays
    assert all((first[name] == known[name]).all() for name in known)
    assert any((second[name] != known[name]).any() for name in known)
    games = [game for path in game_files(tmp_path / "next" / "games") for game in read_games(path).records()]
    assert [game.net_version for game in games] == [1] * 4
    assert run_loop(*arguments).exit_code == 0


def test_a_loop_without_a_checkpoint_goes_on_with_the_network_that_it_started_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("torch")
    from miai.selfplay.training.training_recipe import TrainingRecipe

    assert run_loop("--output", tmp_path / "first", "--networks", 1, "--rate-every", 9).exit_code == 0
    start = tmp_path / "first" / "training" / "nets" / "net-000001.safetensors"
    arguments = ("--output", tmp_path / "next", "--start-from", start, "--rate-every", 9, "--networks")
    assert run_loop(*arguments, 1).exit_code == 0
    (checkpoint,) = (tmp_path / "next" / "training" / "checkpoints").iterdir()
    checkpoint.unlink()
    monkeypatch.setattr(TrainingRecipe, "learning_rate_at", lambda *_: 1e-9)
    assert run_loop(*arguments, 2).exit_code == 0
    known = load_weights(start).arrays
    found = load_weights(tmp_path / "next" / "training" / "nets" / "net-000002.safetensors").arrays
    assert all(abs(found[name] - known[name]).max() < 1e-3 for name in known if known[name].ndim == 4)


def test_a_network_that_train_published_in_between_counts_what_it_learned() -> None:
    pytest.importorskip("torch")
    from miai.selfplay.loop.loop import _positions_played

    assert _positions_played({"positions_played": 7, "positions": 9}) == 7
    assert _positions_played({"positions": 9}) == 9


def test_a_network_of_another_form_is_nothing_to_start_from(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    ended = run_loop("--output", tmp_path / "loop", "--start-from", "miai", "--networks", 2)
    assert ended.exit_code == 1
    assert "miai.safetensors: miai-10x128 cannot become miai-1x4: only blocks" in " ".join(ended.output.split())
    ended = run_loop("--output", tmp_path / "loop", "--start-from", "nobody")
    assert ended.exit_code == 2
    assert "'nobody' is not allowed (allowed: miai, miai-zero, li-lim, or a file of weights)" in " ".join(
        ended.output.split()
    )
    assert not (tmp_path / "loop").exists()


def test_positions_are_used_as_often_as_the_recipe_said_when_they_came(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    recipe = tmp_path / "recipe.toml"
    for network, reuse in ((1, 8), (2, 2)):
        recipe.write_text(f"batch_size = 16\nreuse = {reuse}\n")
        ended = run_loop("--output", tmp_path / "loop", "--recipe", recipe, "--networks", network, "--rate-every", 9)
        assert ended.exit_code == 0, ended.output
    first, second = Journal(tmp_path / "loop" / "journal.jsonl").entries
    assert first.step == math.ceil(8 * first.positions / 16)
    assert second.step - first.step == math.ceil(2 * (second.positions - first.positions) / 16)
