"""Networks from files of any format: ours, or KataGo's."""

from pathlib import Path
from typing import TypeAlias

from miai.engine.go.points import MAX_SIZE, MIN_SIZE
from miai.nets.config import NetConfig
from miai.nets.katago.file_reader import ModelFileError
from miai.nets.katago.katago_net import KatagoConfig, KatagoNet
from miai.nets.katago.model_file import is_model_file, read_header, read_model
from miai.nets.net_files import LoadedNet, WeightsError, load_weights, read_config, read_sizes

Net: TypeAlias = LoadedNet | KatagoNet


def load_net(path: str | Path) -> Net:
    """Return the network that a file holds; `miai.nets.net_files.net_file` gives the file of a name.

    Raises:
        WeightsError: if it gives none; the text names the file and what is wrong.
    """
    path = Path(path)
    if not is_model_file(path):
        return load_weights(path)
    try:
        return KatagoNet(read_model(path))
    except (ModelFileError, OSError) as error:
        raise _error(path, error) from None


def read_net_config(path: str | Path) -> NetConfig | KatagoConfig:
    """Return the configuration of the network that a file holds.

    Raises:
        WeightsError: as `load_net`, but for the weights, which are not read.
    """
    path = Path(path)
    if not is_model_file(path):
        return read_config(path)
    try:
        header = read_header(path)
        return KatagoConfig(header.name, header.pass_alive_with_suicide)
    except (ModelFileError, OSError) as error:
        raise _error(path, error) from None


def read_net_sizes(path: str | Path) -> frozenset[int]:
    """Return the sizes of the boards that the network of a file is for.

    Raises:
        WeightsError: as `read_net_config`.
    """
    if not is_model_file(Path(path)):
        return read_sizes(path)
    read_net_config(path)
    return frozenset(range(MIN_SIZE, MAX_SIZE + 1))


def _error(path: Path, error: ModelFileError | OSError) -> WeightsError:
    if isinstance(error, FileNotFoundError):
        return WeightsError(f"{path}: there is no such file")
    if isinstance(error, OSError):
        return WeightsError(f"{path}: cannot be read: {error.strerror}")
    return WeightsError(f"{path}: no network of KataGo's that is known here: {error}")
