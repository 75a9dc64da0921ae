"""Compiled networks are found again on the disk, and only what is whole and meant."""

import os
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("openvino")

from miai.nets.inference import make_backend, openvino_backend, openvino_cache
from miai.nets.net_files import LoadedNet
from tests.nets.positions import batch_of
from tests.nets.tiny import tiny_net


@pytest.fixture
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Return a folder of its own for compiled networks."""
    monkeypatch.setattr(openvino_cache, "FOLDER", tmp_path / "networks")
    return tmp_path / "networks"


def answers(net: LoadedNet | None = None, name: str = "openvino-int8", positions: int = 2) -> list[np.ndarray]:
    backend = make_backend(net or tiny_net(), name)
    found = backend.evaluate(batch_of("miai", 7, positions))
    return [array for array in found if array is not None]


def forbid_building(monkeypatch: pytest.MonkeyPatch) -> None:
    def build(*_: object) -> None:
        raise AssertionError("a network that is kept is not built")

    monkeypatch.setattr(openvino_backend, "build_model", build)


@pytest.mark.parametrize("name", ["openvino", "openvino-float32", "openvino-int8"])
def test_a_second_backend_answers_alike_and_builds_nothing(
    name: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = answers(name=name)
    forbid_building(monkeypatch)
    for one, other in zip(first, answers(name=name), strict=True):
        np.testing.assert_array_equal(one, other)


def test_what_differs_is_kept_apart(folder: Path) -> None:
    other = LoadedNet(tiny_net().config, {name: 2 * array for name, array in tiny_net().arrays.items()}, {})
    first = answers()
    assert not np.array_equal(first[0], answers(other)[0])
    answers(name="openvino-float32")
    answers(positions=3)
    assert len(list(folder.iterdir())) == 4
    np.testing.assert_array_equal(first[0], answers()[0])


@pytest.mark.parametrize("damage", ["cut", "changed", "empty"])
def test_a_damaged_file_is_replaced(damage: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = answers()
    (path,) = folder.iterdir()
    whole = path.read_bytes()
    path.write_bytes({"cut": whole[:-100], "changed": whole[:-1] + bytes([whole[-1] ^ 1]), "empty": b""}[damage])
    np.testing.assert_array_equal(first[0], answers()[0])
    forbid_building(monkeypatch)
    np.testing.assert_array_equal(first[0], answers()[0])


def test_what_openvino_does_not_take_is_compiled_anew(folder: Path) -> None:
    first = answers()
    (path,) = folder.iterdir()
    openvino_cache._keep(path, b"no network of OpenVINO's")
    np.testing.assert_array_equal(first[0], answers()[0])


def test_a_file_in_place_of_the_folder_is_no_error(folder: Path) -> None:
    folder.write_bytes(b"")
    assert np.isfinite(answers()[0]).all()
    assert folder.read_bytes() == b""


def test_what_was_not_used_for_longest_goes_first(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for positions in (1, 2):
        answers(positions=positions)
    old, new = sorted(folder.iterdir(), key=os.path.getmtime)
    os.utime(old, (1, 1))
    os.utime(new, (2, 2))
    answers(positions=1)  # now the old one is the latest
    size = old.stat().st_size
    monkeypatch.setattr(openvino_cache, "MOST_BYTES", int(2.5 * size))
    answers(positions=3)
    assert old.exists() and not new.exists() and len(list(folder.iterdir())) == 2
