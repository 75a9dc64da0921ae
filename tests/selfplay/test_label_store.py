"""A folder of labels is one program's at a time."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from miai.cli.main import main
from miai.selfplay.data.format import game_files, write_games
from miai.selfplay.data.store import StoreError
from miai.selfplay.labelling.label_run import LabelStore
from tests.selfplay.games_for_tests import random_game, record_of

IDENTITY = {"teacher": "miai"}


def test_a_folder_that_is_open_cannot_be_opened_again(tmp_path: Path) -> None:
    with LabelStore(tmp_path, IDENTITY):
        with pytest.raises(StoreError, match="is in use by another miai"):
            LabelStore(tmp_path, IDENTITY)
    with LabelStore(tmp_path, IDENTITY) as store:
        assert store.labelled_positions() == {}


def test_the_command_refuses_a_folder_that_is_open_in_a_line(tmp_path: Path) -> None:
    write_games(tmp_path / "games", [record_of(random_game(1, 5, 20), 1)])
    out = tmp_path / "out"
    with LabelStore(out, IDENTITY):
        outcome = CliRunner().invoke(
            main, ["label", str(tmp_path / "games"), "--teacher", "miai", "--output", str(out), "--processes", "1"]
        )
    assert outcome.exit_code == 1
    assert outcome.output == f"Error: {out} is in use by another miai\n"
    assert game_files(out) == []
