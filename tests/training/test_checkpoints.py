"""Checkpoints: whole or not there, and the one before where one is broken."""

import errno
import os
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("safetensors")

from safetensors.torch import save_file  # noqa: E402

from miai.selfplay.training.checkpoints import (  # noqa: E402
    Checkpoint,
    CheckpointError,
    checkpoint_files,
    newest_checkpoint,
    read_checkpoint,
    write_checkpoint,
)


def _state(step: int) -> Checkpoint:
    return Checkpoint({"a": torch.full((3, 4), float(step)), "b": torch.tensor(step)}, {"step": step, "names": ["x"]})


def _never(text: str) -> None:
    pytest.fail(text)


def test_a_folder_without_checkpoints_has_none(tmp_path: Path) -> None:
    assert newest_checkpoint(tmp_path, _never) is None


def test_the_newest_is_read_and_older_ones_are_removed(tmp_path: Path) -> None:
    for step in (5, 10, 100):
        write_checkpoint(tmp_path, step, _state(step), kept=2)
    assert [path.name for path in checkpoint_files(tmp_path)] == [
        "state-00000100.safetensors",
        "state-00000010.safetensors",
    ]
    found = newest_checkpoint(tmp_path, _never)
    assert found is not None
    assert found.values == {"step": 100, "names": ["x"]}
    assert torch.equal(found.tensors["a"], torch.full((3, 4), 100.0))
    assert found.tensors["b"].dtype == torch.int64 and int(found.tensors["b"]) == 100


def test_every_cut_and_every_changed_byte_is_noticed_and_the_one_before_is_used(tmp_path: Path) -> None:
    write_checkpoint(tmp_path, 1, _state(1), kept=2)
    path = write_checkpoint(tmp_path, 2, _state(2), kept=2)
    whole = path.read_bytes()
    cuts = [whole[:length] for length in range(0, len(whole), 7)]
    flips = [whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :] for place in range(0, len(whole), 5)]
    for content in (*cuts, *flips, b"something else" * 50, bytes(len(whole))):
        path.write_bytes(content)
        reported: list[str] = []
        found = newest_checkpoint(tmp_path, reported.append)
        assert found is not None and found.values["step"] == 1
        assert len(reported) == 1 and str(path) in reported[0] and "\n" not in reported[0]


def test_another_safetensors_file_is_no_checkpoint(tmp_path: Path) -> None:
    save_file({"a": torch.zeros(2)}, tmp_path / "state-00000001.safetensors")
    with pytest.raises(CheckpointError, match="is no checkpoint of miai"):
        read_checkpoint(tmp_path / "state-00000001.safetensors")


@pytest.mark.parametrize("failing", ["fsync", "replace"])
def test_a_full_disk_leaves_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: str) -> None:
    write_checkpoint(tmp_path, 1, _state(1), kept=2)

    def fail(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, failing, fail)
    with pytest.raises(OSError, match="No space left"):
        write_checkpoint(tmp_path, 2, _state(2), kept=2)
    monkeypatch.undo()
    assert [path.name for path in tmp_path.iterdir()] == ["state-00000001.safetensors"]


def test_one_written_after_damaged_later_ones_stays(tmp_path: Path) -> None:
    for step in (8, 10):
        path = write_checkpoint(tmp_path, step, _state(step), kept=2)
        path.write_bytes(path.read_bytes()[:-10])
    for step in (2, 3, 4):
        write_checkpoint(tmp_path, step, _state(step), kept=2)
    assert [int(path.stem[-8:]) for path in checkpoint_files(tmp_path)] == [10, 8, 4, 3]
    reported: list[str] = []
    found = newest_checkpoint(tmp_path, reported.append)
    assert found is not None and found.values["step"] == 4 and len(reported) == 2
