"""Weights in files: safetensors, with the configuration, a summary of the training and a licence in the metadata.

A file is complete or not there: it is written under a temporary name and then renamed. Reading runs nothing that a
file contains. torch is imported only when a file is read or written.
"""

import contextlib
import importlib.util
import json
import math
import os
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from nets.config import SHIPPED, ConfigError, NetConfig

if TYPE_CHECKING:
    from torch import Tensor, nn

FORMAT = "miai-network-1"
"""The metadata's `format`."""
LICENCE = "MIT"
"""The licence of weights whose writer names no other."""


def net_file(name: str) -> Path:
    """Return the file of a network: by the name of one that comes with miai, else by that of the file."""
    return Path(__file__).parent / "weights" / f"{name}.safetensors" if name in SHIPPED else Path(name)


class WeightsError(ValueError):
    """A file that gives no network, or cannot be written; the text names the file and what is wrong."""


class LoadedNet(NamedTuple):
    """A network from a file."""

    config: NetConfig
    module: "nn.Module"
    """In evaluation mode, on the CPU, float32."""
    summary: dict[str, Any]
    """What its training was, as its writer put it."""
    licence: str = LICENCE


def save_weights(
    path: str | Path, module: "nn.Module", config: NetConfig, summary: dict[str, Any], licence: str = LICENCE
) -> None:
    """Write a network that `build_network(config)` made, and the folders above the file.

    Args:
        summary: anything that JSON can hold.

    Raises:
        WeightsError: if it cannot be written.
    """
    _require_torch(path)
    from safetensors.torch import save

    metadata = {"format": FORMAT, "config": config.to_json(), "summary": json.dumps(summary), "licence": licence}
    tensors = {name: tensor.detach().cpu().contiguous() for name, tensor in module.state_dict().items()}
    target = Path(path)
    unfinished = target.with_name(f".{target.name}.{uuid.uuid4().hex[:8]}")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            with unfinished.open("xb") as file:
                file.write(save(tensors, metadata))
                file.flush()
                os.fsync(file.fileno())
            unfinished.replace(target)
        finally:
            unfinished.unlink(missing_ok=True)
    except OSError as error:
        raise WeightsError(f"{target}: cannot be written: {error.strerror}") from None


def load_weights(path: str | Path) -> LoadedNet:
    """Return the network that a file holds.

    Raises:
        WeightsError: if the file is missing, damaged, not one of miai's or does not fit its own configuration, or
            torch is not installed.
    """
    _require_torch(path)
    with _opened(path, "pt") as file:
        metadata = file.metadata() or {}
        tensors = {name: file.get_tensor(name) for name in file.keys()}
    config = _config_of(path, metadata)
    try:
        summary = json.loads(metadata.get("summary", ""))
    except ValueError:
        raise WeightsError(f"{path}: its summary of the training is no JSON") from None
    module = _make_module(path, config, tensors)
    return LoadedNet(config, module, summary, metadata.get("licence", "unknown"))


def read_config(path: str | Path) -> NetConfig:
    """Return the configuration of the network that a file holds, without loading torch.

    Raises:
        WeightsError: as `load_weights`, but for the arrays, which are not read.
    """
    _require_torch(path)
    with _opened(path, "numpy") as file:
        return _config_of(path, file.metadata() or {})


@contextlib.contextmanager
def _opened(path: str | Path, framework: str) -> Iterator[Any]:
    from safetensors import SafetensorError, safe_open

    if not Path(path).is_file():
        raise WeightsError(f"{path}: there is no such file")
    try:
        with safe_open(path, framework=framework) as file:
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


def _make_module(path: str | Path, config: NetConfig, tensors: dict[str, "Tensor"]) -> "nn.Module":
    import torch

    from nets.network import build_network

    with torch.device("meta"):
        module = build_network(config)
    expected = module.state_dict()
    for name in sorted(expected.keys() ^ tensors.keys()):
        problem = "lacks" if name in expected else "has an unknown"
        raise WeightsError(f"{path}: {problem} array {name!r} for its configuration {config.name!r}")
    for name, tensor in tensors.items():
        if tensor.shape != expected[name].shape or tensor.dtype != expected[name].dtype:
            needed = f"its configuration {config.name!r} needs {_form(expected[name])}"
            raise WeightsError(f"{path}: array {name!r} is {_form(tensor)}, {needed}")
        if not math.isfinite(tensor.double().sum()):
            raise WeightsError(f"{path}: array {name!r} holds numbers that are not finite")
    module.load_state_dict(tensors, assign=True)
    return module.eval()


def _form(tensor: "Tensor") -> str:
    return f"{str(tensor.dtype).removeprefix('torch.')} {list(tensor.shape)}"


def _require_torch(path: str | Path) -> None:
    if any(importlib.util.find_spec(name) is None for name in ("safetensors", "torch")):
        raise WeightsError(f"{path}: networks need torch and safetensors: pip install 'miai[nets]'")
