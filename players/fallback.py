"""The player for board sizes that a network was not trained on."""

import dataclasses

from miai.players.option_kinds import OptionError
from miai.players.options import NET_EVALUATORS, PlayerOptions
from miai.players.presets import PRESETS

_HOW_TO_SEARCH = ("select", "backup", "final", "evaluator", "policy", "parameters")
"""The options that a fallback preset decides, by its values or their defaults; those of time and so on stay."""


def options_on(options: PlayerOptions, size: int) -> PlayerOptions:
    """Return the options of who plays on boards of this size: these, or those of their fallback preset.

    Raises:
        OptionError: if the network cannot be read, or does not fit such boards and there is no fallback.
    """
    if options.evaluator not in NET_EVALUATORS:
        return options
    from miai.nets.config import ConfigError
    from miai.nets.loading import read_net_config, read_net_sizes
    from miai.nets.net_files import WeightsError, net_file

    file = net_file(options.net)
    try:
        if options.fallback is None:
            read_net_config(file).check_size(size)
            return options
        sizes = read_net_sizes(file)
    except (WeightsError, ConfigError) as error:
        raise OptionError(f"net: {error}") from None
    if size in sizes:
        return options
    values = PRESETS[options.fallback].values
    defaults = dataclasses.asdict(PlayerOptions())
    return dataclasses.replace(options, **{name: values.get(name, defaults[name]) for name in _HOW_TO_SEARCH})


def describe_fallback(options: PlayerOptions, size: int) -> str:
    """Return the sentence that tells of the fallback."""
    return f"miai: the network has not learned {size}x{size}; {options.fallback} plays"
