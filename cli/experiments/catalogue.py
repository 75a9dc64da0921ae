"""All experiments that commands declare."""

import importlib
from collections.abc import Mapping

from miai.cli.lazy_group import LazyCommand
from miai.experiments.catalogue import Experiment


def declared_experiments(commands: Mapping[str, LazyCommand]) -> tuple[Experiment, ...]:
    """Return the experiments that the modules of commands declare, in the order of the commands."""
    modules = [importlib.import_module(lazy.module) for lazy in commands.values()]
    return tuple(one for module in modules for one in getattr(module, "experiments", ()))
