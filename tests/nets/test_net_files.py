"""Weights in files: whole, atomic, and one clear error for everything that is no network of ours."""

import json
import os
import pickle
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")
safetensors_torch = pytest.importorskip("safetensors.torch")

from miai.nets.config import CONFIGS, NetConfig  # noqa: E402
from miai.nets.net_files import FORMAT, WeightsError, load_weights, save_weights  # noqa: E402
from miai.nets.torch_network import build_network  # noqa: E402
from tests.nets.networks import SMALL, small_net  # noqa: E402
from tests.nets.positions import batch_of  # noqa: E402


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return a file with a small network."""
    net = small_net("miai")
    save_weights(tmp_path / "net.safetensors", net.module, net.config, {})
    return tmp_path / "net.safetensors"


def rewrite(path: Path, config: str | None = None, **changes: object) -> None:
    """Write the arrays of a file anew with changes (None = left out)."""
    metadata = {"format": FORMAT, "config": config or SMALL["miai"].to_json(), "summary": "{}", "licence": "MIT"}
    tensors = safetensors_torch.load_file(path) | changes
    tensors = {name: tensor for name, tensor in tensors.items() if tensor is not None}
    safetensors_torch.save_file(tensors, path, metadata)


@pytest.mark.parametrize("kind", SMALL)
def test_a_network_comes_back_with_its_configuration_summary_and_licence(kind: str, tmp_path: Path) -> None:
    net = small_net(kind)
    summary = {"games": 1200, "loss": [1.5, 0.7], "bootstrapped": True}
    save_weights(tmp_path / "new" / "net.safetensors", net.module, net.config, summary, licence="CC0-1.0")
    loaded = load_weights(tmp_path / "new" / "net.safetensors")
    assert (loaded.config, loaded.summary, loaded.licence) == (net.config, summary, "CC0-1.0")
    assert not loaded.module.training
    planes = torch.from_numpy(batch_of(kind, 9, 4))
    for output, expected in zip(loaded.module(planes), net.module(planes), strict=True):
        assert output is None if expected is None else torch.equal(output, expected)
    assert os.listdir(tmp_path / "new") == ["net.safetensors"]


def test_a_loaded_network_can_be_trained_on_and_saved_again(path: Path) -> None:
    loaded = load_weights(path)
    module = loaded.module.train()
    optimizer = torch.optim.SGD(module.parameters(), lr=0.1)
    module(torch.from_numpy(batch_of("miai", 9, 8))).policy.square().mean().backward()
    optimizer.step()
    save_weights(path, module, loaded.config, loaded.summary)
    assert torch.equal(load_weights(path).module.conv.weight, module.conv.weight)


def test_weights_of_16_bits_take_half_the_room_and_are_read_in_32(tmp_path: Path) -> None:
    net = small_net("miai")
    for precision in ("float32", "float16"):
        save_weights(tmp_path / precision, net.module, net.config, {}, precision=precision)
    long, short = (load_weights(tmp_path / precision) for precision in ("float32", "float16"))
    assert (tmp_path / "float16").stat().st_size < 0.6 * (tmp_path / "float32").stat().st_size
    for name, array in long.arrays.items():
        rounded = array.astype(np.float16).astype(np.float32) if array.ndim > 1 else array
        assert short.arrays[name].dtype == array.dtype
        assert np.array_equal(short.arrays[name], rounded), name


def _net_with_large_layers() -> tuple[torch.nn.Module, NetConfig]:
    config = replace(CONFIGS["miai"], blocks=1, filters=64, pooling_blocks=0)
    return build_network(config), config


def test_weights_of_8_bits_take_a_quarter_and_are_rounded_by_output(tmp_path: Path) -> None:
    module, config = _net_with_large_layers()
    for precision in ("float32", "int8"):
        save_weights(tmp_path / precision, module, config, {}, precision=precision)
    long, short = (load_weights(tmp_path / precision) for precision in ("float32", "int8"))
    assert (tmp_path / "int8").stat().st_size < 0.4 * (tmp_path / "float32").stat().st_size
    for name, array in long.arrays.items():
        assert short.arrays[name].dtype == array.dtype
        assert short.arrays[name].shape == array.shape
        if not name.startswith("blocks.") or array.ndim < 2:
            np.testing.assert_allclose(short.arrays[name], array, rtol=1e-3, atol=1e-6, err_msg=name)
            continue
        widest = np.abs(array).max(axis=(1, 2, 3), keepdims=True)
        error = np.abs(short.arrays[name] - array)
        assert (error <= 0.501 * widest / 127).all(), name
        assert error.max() > 0, name
    save_weights(tmp_path / "again", short.module, config, {}, precision="int8")
    for name, array in load_weights(tmp_path / "again").arrays.items():
        np.testing.assert_allclose(array, short.arrays[name], rtol=1e-6, err_msg=name)


SCALE = torch.ones(64)
FIRST = "blocks.0.conv1.weight"


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({f"{FIRST}.scale": SCALE[:-1]}, "and its scale do not fit together"),
        ({f"{FIRST}.scale": SCALE.half()}, "and its scale do not fit together"),
        ({"conv.weight.scale": SCALE}, "and its scale do not fit together"),
        ({"gone.scale": SCALE}, "has an unknown array 'gone.scale'"),
        ({f"{FIRST}.scale": None}, "is int8"),
        ({f"{FIRST}.scale": SCALE * torch.inf}, "not finite"),
    ],
)
def test_8_bits_need_their_scale(tmp_path: Path, changes: dict[str, object], fault: str) -> None:
    module, config = _net_with_large_layers()
    save_weights(tmp_path / "net", module, config, {}, precision="int8")
    rewrite(tmp_path / "net", config.to_json(), **changes)
    with pytest.raises(WeightsError, match=fault):
        load_weights(tmp_path / "net")


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(WeightsError, match="gone.safetensors: there is no such file"):
        load_weights(tmp_path / "gone.safetensors")
    with pytest.raises(WeightsError, match=r" is a folder \(allowed: a file of weights\)"):
        load_weights(tmp_path)


@pytest.mark.parametrize("share", [0.0, 0.001, 0.1, 0.5, 0.999])
def test_a_truncated_file_is_refused(path: Path, share: float) -> None:
    content = path.read_bytes()
    path.write_bytes(content[: int(share * len(content))])
    with pytest.raises(WeightsError, match="net.safetensors: no safetensors file, or a damaged one"):
        load_weights(path)


def test_a_foreign_file_is_refused(path: Path) -> None:
    safetensors_torch.save_file({"weight": torch.zeros(3)}, path)
    with pytest.raises(WeightsError, match="not written by miai"):
        load_weights(path)
    path.write_text("(;FF[4])")
    with pytest.raises(WeightsError, match="no safetensors file"):
        load_weights(path)


class _Bomb:
    def __reduce__(self) -> tuple:
        return os.mkdir, (self.target,)

    def __init__(self, target: str) -> None:
        self.target = target


def test_a_pickle_is_refused_and_not_run(path: Path, tmp_path: Path) -> None:
    for write in (pickle.dump, torch.save):
        with path.open("wb") as file:
            write(_Bomb(str(tmp_path / "ran")), file)
        with pytest.raises(WeightsError):
            load_weights(path)
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize(
    ("config", "problem"),
    [
        ("nonsense", "its configuration is no JSON"),
        ("[" * 100_000, "its configuration is no JSON"),
        ("{}", "its configuration needs exactly the fields"),
        (json.dumps(json.loads(SMALL["miai"].to_json()) | {"blocks": 10**9}), "blocks 1000000000 of a network"),
        (replace(SMALL["miai"], blocks=4).to_json(), "lacks array 'blocks.3.conv1.weight'"),
        (replace(SMALL["miai"], blocks=2, pooling_blocks=1).to_json(), "has an unknown array 'blocks.2.conv1.weight'"),
        (replace(SMALL["miai"], filters=1024).to_json(), "needs float32"),
        (CONFIGS["li-lim"].to_json(), "array"),
    ],
)
def test_a_configuration_that_does_not_fit_is_refused(path: Path, config: str, problem: str) -> None:
    rewrite(path, config)
    with pytest.raises(WeightsError, match=problem):
        load_weights(path)


def test_arrays_of_a_wrong_form_are_refused(path: Path) -> None:
    content = path.read_bytes()
    for changed, problem in (
        (torch.zeros(16, 14, 3), "array 'conv.weight' is float32 .16, 14, 3., its configuration 'miai' needs float32"),
        (torch.zeros(16, 14, 3, 3, dtype=torch.float64), "is float64 .16, 14, 3, 3., .* needs float32"),
        (torch.full((16, 14, 3, 3), torch.nan), "array 'conv.weight' holds numbers that are not finite"),
        (torch.full((16, 14, 3, 3), -torch.inf), "array 'conv.weight' holds numbers that are not finite"),
        (torch.full((16, 14, 3, 3), 3e38), "array 'conv.weight' holds 3e.38 to 3e.38 .allowed: -1e.06 to 1e.06"),
        (None, "lacks array 'conv.weight'"),
    ):
        path.write_bytes(content)
        rewrite(path, **{"conv.weight": changed})
        with pytest.raises(WeightsError, match=problem):
            load_weights(path)
    path.write_bytes(content)
    rewrite(path, **{"norm.running_var": torch.full((16,), -1.0)})
    with pytest.raises(WeightsError, match="array 'norm.running_var' holds -1 to -1 .allowed: 0 to 1e.12"):
        load_weights(path)


def test_a_write_that_fails_leaves_the_old_file(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = path.read_bytes()

    def fail(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    net = small_net("miai", seed=2)
    with pytest.raises(WeightsError, match="net.safetensors: cannot be written: No space left on device"):
        save_weights(path, net.module, net.config, {})
    assert path.read_bytes() == before
    assert os.listdir(path.parent) == [path.name]
