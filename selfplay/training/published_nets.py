"""The networks that a training publishes: numbered files in one folder."""

import re
from pathlib import Path

_FILE = re.compile(r"net-(\d{6,})\.safetensors")


def label_of(number: int) -> str:
    """Return what a network is called: the name of its file, less the ending."""
    return f"net-{number:06d}"


def net_path(folder: Path, number: int) -> Path:
    """Return the file of a network."""
    return folder / f"{label_of(number)}.safetensors"


def published_nets(folder: Path) -> dict[int, Path]:
    """Return the files in a folder by number, the oldest network first; none if there is no folder."""
    if not folder.exists():
        return {}
    found = {int(match[1]): path for path in folder.iterdir() if (match := _FILE.fullmatch(path.name))}
    return dict(sorted(found.items()))
