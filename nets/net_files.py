"""Weights in files: safetensors, with the configuration, a summary of the training and a licence in the metadata.

A file is complete or not there: it is written under a temporary name and then renamed. Reading runs nothing that a
file contains, and needs no torch.
"""

import contextlib
import functools
import importlib.util
import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from miai.engine.extras import install_line
from miai.engine.files import write_file
from miai.engine.go.points import MAX_SIZE, MIN_SIZE
from miai.nets.config import SHIPPED, ConfigError, NetConfig
from miai.nets.form import array_shapes

if TYPE_CHECKING:
    from torch import nn

FORMAT = "miai-network-1"
"""The metadata's `format`."""
LICENCE = "MIT"
"""The licence of weights whose writer names no other."""
SCALE = ".scale"
"""Ends the name of what an array of 8 bits is multiplied by, float32 [outputs]."""
_MANY_WEIGHTS = 1 << 15
"""An array of fewer weights, as of a first layer or a head, is kept in 16 bits where others have 8."""
_MAX_WEIGHT = 1e6
"""No learned weight comes near it; far larger ones make outputs that are no numbers."""
_MAX_VARIANCE = _MAX_WEIGHT**2


def net_file(name: str) -> Path:
    """Return the file of a network: by the name of one that comes with miai, else by that of the file."""
    return Path(__file__).parent / "weights" / f"{name}.safetensors" if name in SHIPPED else Path(name)


class WeightsError(ValueError):
    """A file that gives no network, or cannot be written; the text names the file and what is wrong."""


@dataclass(frozen=True)
class LoadedNet:
    """A network from a file."""

    config: NetConfig
    arrays: Mapping[str, np.ndarray]
    """Its weights by name; see `miai.nets.form.array_shapes`."""
    summary: dict[str, Any]
    """What its training was, as its writer put it."""
    licence: str = LICENCE

    @property
    def highest_komi(self) -> float | None:
        """The greatest komi, in points for either player, of the games that it learned from.

        None = it does not see the komi, or its summary has no `komi`.
        """
        komi = komi_of(self.summary)
        return None if self.config.kind == "li-lim" or komi is None else max(map(abs, komi))

    @functools.cached_property
    def module(self) -> "nn.Module":
        """The network as a new torch module, in evaluation mode, on the CPU, float32."""
        import torch

        from miai.nets.torch_network import build_network

        with torch.device("meta"):
            module = build_network(self.config)
        tensors = {name: torch.from_numpy(array.copy()) for name, array in self.arrays.items()}
        module.load_state_dict(tensors, assign=True)
        return module.eval()


def arrays_of(module: "nn.Module") -> dict[str, np.ndarray]:
    """Return copies of the arrays of a network that `build_network` made."""
    return {name: tensor.detach().cpu().numpy().copy() for name, tensor in module.state_dict().items()}


def save_weights(
    path: str | Path,
    module: "nn.Module",
    config: NetConfig,
    summary: dict[str, Any],
    licence: str = LICENCE,
    precision: str = "float32",
) -> None:
    """Write a network that `build_network(config)` made, and the folders above the file.

    Args:
        summary: anything that JSON can hold; see `read_sizes` for its `sizes`, `komi_of` for its `komi`.
        precision: of convolutions and matrices in the file: `float32`, `float16` for half the size, or `int8` for a
            quarter: those of the blocks rounded to 8 bits by output channel. All else is float32, and so is what is
            read.

    Raises:
        WeightsError: if it cannot be written.
    """
    _require_safetensors(path)
    from safetensors.numpy import save

    metadata = {"format": FORMAT, "config": config.to_json(), "summary": json.dumps(summary), "licence": licence}
    arrays: dict[str, np.ndarray] = {}
    for name, array in arrays_of(module).items():
        arrays |= _stored(name, array, precision)
    try:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        write_file(path, save(arrays, metadata))
    except OSError as error:
        raise WeightsError(f"{path}: cannot be written: {error.strerror}") from None


def _stored(name: str, array: np.ndarray, precision: str) -> dict[str, np.ndarray]:
    """Return what a file holds of an array."""
    if array.ndim < 2:
        return {name: array}
    if precision != "int8":
        return {name: array.astype(precision)}
    if array.size < _MANY_WEIGHTS:
        return {name: array.astype(np.float16)}
    rows = array.reshape(len(array), -1)
    scale = np.maximum(np.abs(rows).max(axis=1), np.finfo(np.float32).tiny) / np.float32(127)
    return {name: np.rint(rows / scale[:, None]).astype(np.int8).reshape(array.shape), name + SCALE: scale}


def load_weights(path: str | Path) -> LoadedNet:
    """Return the network that a file holds.

    Raises:
        WeightsError: if the file is missing, damaged, not one of miai's or does not fit its own configuration, or
            safetensors is not installed.
    """
    with _opened(path) as file:
        metadata = file.metadata() or {}
        config = _config_of(path, metadata)
        _check_names(path, config, file.keys())
        try:
            stored = {name: file.get_tensor(name) for name in file.keys()}
        except (TypeError, AttributeError) as error:  # numbers that NumPy does not know
            raise WeightsError(f"{path}: {error}") from None
    arrays = {name: _restored(path, name, stored) for name in array_shapes(config)}
    _check_arrays(path, config, arrays)
    return LoadedNet(config, arrays, _summary_of(path, metadata), metadata.get("licence", "unknown"))


def read_config(path: str | Path) -> NetConfig:
    """Return the configuration of the network that a file holds.

    Raises:
        WeightsError: as `load_weights`, but for the arrays, which are not read.
    """
    with _opened(path) as file:
        return _config_of(path, file.metadata() or {})


def read_sizes(path: str | Path) -> frozenset[int]:
    """Return the sizes of the boards that the network of a file is for.

    They are the `sizes` of its summary, or all that fit it where it names none.

    Raises:
        WeightsError: as `read_config`.
    """
    with _opened(path) as file:
        metadata = file.metadata() or {}
    config = _config_of(path, metadata)
    summary = _summary_of(path, metadata)
    sizes = summary.get("sizes") if isinstance(summary, dict) else None
    fitting = range(MIN_SIZE, MAX_SIZE + 1) if config.size is None else (config.size,)
    return frozenset(size for size in fitting if size in sizes) if isinstance(sizes, list) else frozenset(fitting)


def komi_of(summary: Any) -> tuple[float, float] | None:
    """Return the least and the greatest komi of the games that a network learned from: the `komi` of its summary."""
    komi = summary.get("komi") if isinstance(summary, dict) else None
    if isinstance(komi, list) and len(komi) == 2 and all(isinstance(one, int | float) for one in komi):
        return (komi[0], komi[1]) if math.isfinite(komi[0]) and math.isfinite(komi[1]) else None
    return None


@contextlib.contextmanager
def _opened(path: str | Path) -> Iterator[Any]:
    _require_safetensors(path)
    from safetensors import SafetensorError, safe_open

    if Path(path).is_dir():
        raise WeightsError(f"{path} is a folder (allowed: a file of weights)")
    if not Path(path).is_file():
        raise WeightsError(f"{path}: there is no such file")
    try:
        with safe_open(path, framework="numpy") as file:
            yield file
    except SafetensorError:
        raise WeightsError(f"{path}: no safetensors file, or a damaged one") from None
    except OSError as error:
        raise WeightsError(f"{path}: cannot be read: {error.strerror}") from None


def _config_of(path: str | Path, metadata: dict[str, str]) -> NetConfig:
    if metadata.get("format") != FORMAT:
        raise WeightsError(f"{path}: not written by miai: its metadata has no format {FORMAT!r}")
    try:
        return NetConfig.from_json(metadata.get("config", ""))
    except ConfigError as error:
        raise WeightsError(f"{path}: {error}") from None


def _summary_of(path: str | Path, metadata: dict[str, str]) -> Any:
    try:
        return json.loads(metadata.get("summary", ""))
    except (ValueError, RecursionError):
        raise WeightsError(f"{path}: its summary of the training is no JSON") from None


def _restored(path: str | Path, name: str, stored: Mapping[str, np.ndarray]) -> np.ndarray:
    """Return an array as `save_weights` was given it, up to rounding."""
    array, scale = stored[name], stored.get(name + SCALE)
    if scale is not None:
        if array.dtype != np.int8 or array.ndim < 2 or scale.shape != array.shape[:1] or scale.dtype != np.float32:
            raise WeightsError(f"{path}: array {name!r} and its scale do not fit together")
        with np.errstate(all="ignore"):  # `_check_arrays` refuses what is no number
            return (array.reshape(len(array), -1) * scale[:, None]).reshape(array.shape)
    return array.astype(np.float32) if array.dtype == np.float16 else array


def _check_names(path: str | Path, config: NetConfig, names: list[str]) -> None:
    expected = array_shapes(config)
    arrays = {name for name in names if name in expected or name.removesuffix(SCALE) not in expected}
    for name in sorted(expected.keys() ^ arrays):
        problem = "lacks" if name in expected else "has an unknown"
        raise WeightsError(f"{path}: {problem} array {name!r} for its configuration {config.name!r}")


def _check_arrays(path: str | Path, config: NetConfig, arrays: Mapping[str, np.ndarray]) -> None:
    for name, shape in array_shapes(config).items():
        array, dtype = arrays[name], "int64" if name.endswith("num_batches_tracked") else "float32"
        if array.shape != shape or array.dtype != dtype:
            needed = f"its configuration {config.name!r} needs {dtype} {list(shape)}"
            raise WeightsError(f"{path}: array {name!r} is {array.dtype} {list(array.shape)}, {needed}")
        if not np.isfinite(array).all():
            raise WeightsError(f"{path}: array {name!r} holds numbers that are not finite")
        lowest, highest = (0.0, _MAX_VARIANCE) if name.endswith("running_var") else (-_MAX_WEIGHT, _MAX_WEIGHT)
        if dtype == "float32" and not (lowest <= array.min() and array.max() <= highest):
            raise WeightsError(
                f"{path}: array {name!r} holds {array.min():g} to {array.max():g} (allowed: {lowest:g} to {highest:g})"
            )


def _require_safetensors(path: str | Path) -> None:
    if importlib.util.find_spec("safetensors") is None:
        raise WeightsError(f"{path}: networks need safetensors: {install_line('safetensors')}")
