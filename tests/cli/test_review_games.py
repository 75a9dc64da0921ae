"""Which games `miai review` takes, and that it reads them before it compiles."""

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from miai.cli import review
from miai.engine.go.game import Game
from miai.engine.go.sgf import GameInfo, save_game
from miai.players.option_kinds import OptionError
from miai.players.options import PlayerOptions


def run(*words: object) -> Result:
    return CliRunner().invoke(review.command, [str(word) for word in words])


@pytest.fixture
def compiled_sizes(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Replace what compiles by a recorder of board sizes, and the player and what it finds by nothing."""
    sizes: list[int] = []
    monkeypatch.setattr(review, "compile_if_cold", lambda options, size: sizes.append(size))
    monkeypatch.setattr(review, "review_game", lambda *_: [])
    monkeypatch.setattr("miai.players.player.Player", lambda options: None)
    return sizes


@pytest.fixture
def games(tmp_path: Path) -> Path:
    """Return a folder with games on two sizes of the board, one of them in a subfolder."""
    folder = tmp_path / "games"
    (folder / "deep").mkdir(parents=True)
    save_game(Game(7), folder / "small.sgf", GameInfo(black="one"))
    save_game(Game(9), folder / "deep" / "large.sgf", GameInfo(black="two"))
    return folder


def test_a_file_that_is_no_game_is_refused_before_anything_is_compiled(
    tmp_path: Path, compiled_sizes: list[int]
) -> None:
    (tmp_path / "junk.sgf").write_text("no game")
    ended = run(tmp_path / "junk.sgf")
    assert ended.exit_code == 1 and compiled_sizes == []
    assert f"{tmp_path}/junk.sgf: this is no SGF file" in ended.output
    assert ended.stderr.endswith(f"Error: there is no game to review in {tmp_path}/junk.sgf\n")
    (tmp_path / "empty").mkdir()
    assert "there is no game to review in" in run(tmp_path / "empty").stderr


def test_the_games_of_a_folder_are_reviewed_and_compiled_for(games: Path, compiled_sizes: list[int]) -> None:
    ended = run(games, games / "small.sgf")
    assert ended.exit_code == 0, ended.output
    assert compiled_sizes == [7, 9]
    told = [line for line in ended.output.splitlines() if "against" in line]
    assert told == [
        f"{games}/deep/large.sgf: two against White, no result, 0 moves",
        f"{games}/small.sgf: one against White, no result, 0 moves",
    ]


def test_a_board_that_the_player_cannot_play_on_fails_its_games_alone(
    games: Path, compiled_sizes: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    def options_on(options: PlayerOptions, size: int) -> PlayerOptions:
        if size != 9:
            raise OptionError(f"not on {size}x{size}")
        return options

    monkeypatch.setattr(review, "check_parameters", options_on)
    monkeypatch.setattr(review, "options_on", options_on)
    ended = run(games)
    assert ended.exit_code == 1 and compiled_sizes == [9]
    assert f"{games}/small.sgf: not on 7x7" in ended.output and "two against White" in ended.output
    ended = run(games / "small.sgf")
    assert ended.exit_code == 2 and ended.stderr.endswith("Error: not on 7x7\n")
