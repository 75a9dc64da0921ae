"""The state of a training in files that a kill at any instant leaves whole.

A checkpoint is one safetensors file, `state-00001500.safetensors` after step 1500: tensors by name, and in its metadata
a JSON object of everything else and a checksum of both. It is written to a temporary name, brought to the disk,
and renamed; nothing is ever unpickled.
"""

import json
import re
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import safetensors
import safetensors.torch
from torch import Tensor

from miai.engine.files import write_file

_FORMAT = "miai training state 1"
_NAME = re.compile(r"state-(\d{8,})\.safetensors")


class CheckpointError(ValueError):
    """A file that is no whole checkpoint; the text says what is wrong."""


class Checkpoint(NamedTuple):
    """The state of a training."""

    tensors: dict[str, Tensor]
    """On the CPU."""
    values: dict[str, Any]
    """What JSON can hold."""


def checkpoint_files(folder: Path) -> list[Path]:
    """Return the checkpoints of a folder, the newest first; their content is not looked at."""
    found = [(int(match[1]), path) for path in folder.glob("state-*") if (match := _NAME.fullmatch(path.name))]
    return [path for _, path in sorted(found, reverse=True)]


def write_checkpoint(folder: Path, step: int, checkpoint: Checkpoint, kept: int) -> Path:
    """Write the state after a step, in full or not at all, and remove all but the `kept` newest up to it.

    Later ones, which cannot be whole if training has gone on from before them, stay. Returns the path.

    Raises:
        OSError: if it cannot be written; those before it are still there then.
    """
    tensors = {name: tensor.detach().cpu().contiguous() for name, tensor in checkpoint.tensors.items()}
    values = json.dumps(checkpoint.values)
    metadata = {"format": _FORMAT, "values": values, "checksum": _checksum(values, tensors)}
    content = safetensors.torch.save(tensors, metadata)
    path = folder / f"state-{step:08d}.safetensors"
    write_file(path, content)
    files = checkpoint_files(folder)
    for old in files[files.index(path) + kept :]:
        old.unlink(missing_ok=True)
    return path


def read_checkpoint(path: Path) -> Checkpoint:
    """Read a checkpoint.

    Raises:
        CheckpointError: if it cannot be read, is cut short, damaged or something else.
    """
    try:
        content = path.read_bytes()
        tensors = safetensors.torch.load(content)
        metadata = _metadata(content)
    except OSError as error:
        raise CheckpointError(f"cannot read {path}: {error.strerror}") from None
    except (safetensors.SafetensorError, ValueError, KeyError) as error:
        raise CheckpointError(f"{path} is damaged or no checkpoint: {str(error)[:100]}") from None
    if metadata.get("format") != _FORMAT:
        raise CheckpointError(f"{path} is no checkpoint of miai's training")
    if metadata.get("checksum") != _checksum(metadata.get("values", ""), tensors):
        raise CheckpointError(f"{path} is damaged: its checksum is not that of its content")
    return Checkpoint(tensors, json.loads(metadata["values"]))


def newest_checkpoint(folder: Path, report: Callable[[str], None]) -> Checkpoint | None:
    """Return the newest whole checkpoint of a folder, None if there is none; report those that are not whole."""
    for path in checkpoint_files(folder):
        try:
            return read_checkpoint(path)
        except CheckpointError as error:
            report(f"left out: {error}")
    return None


def _checksum(values: str, tensors: Mapping[str, Tensor]) -> str:
    total = zlib.crc32(values.encode())
    for name in sorted(tensors):
        total = zlib.crc32(name.encode(), total)
        total = zlib.crc32(tensors[name].numpy().tobytes(), total)
    return f"{total:08x}"


def _metadata(content: bytes) -> dict[str, str]:
    """Return the metadata of a safetensors file: its first 8 bytes are the length of a JSON header."""
    header = json.loads(content[8 : 8 + int.from_bytes(content[:8], "little")])
    return header.get("__metadata__", {})
