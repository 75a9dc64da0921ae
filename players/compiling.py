"""Compile what a player runs before its first move, once a machine; progress goes to stderr."""

import dataclasses
import time

from miai.engine.log import log
from miai.engine.search.rule_names import content_of
from miai.players.fallback import options_on
from miai.players.option_kinds import OptionError
from miai.players.options import NET_EVALUATORS, PlayerOptions
from miai.players.presets import PRESETS


def _what_is_compiled(options: PlayerOptions, size: int) -> str:
    options = options_on(options, size)
    rules = f"{content_of(options.select)}-{content_of(options.backup)}"
    parts = [rules, options.evaluator, options.policy, str(size)]
    if options.evaluator in NET_EVALUATORS:
        from miai.nets.loading import read_net_config
        from miai.nets.net_files import net_file

        parts[2:2] = [read_net_config(net_file(options.net)).planes, options.batching]
        if options.threads > 1:
            parts.append("threads")
    else:
        parts.append(options.prior)
    if options.final == "policy" or options.parameters.get("search.stop_probability"):
        parts.append("policy")
    return "-".join(parts)


def compile_all(options: PlayerOptions, size: int) -> None:
    """Compile whatever a player with these options runs on a board of `size`, with progress on stderr.

    Raises:
        OptionError: if there can be no such player.
    """
    from tqdm import tqdm

    from miai.engine.jit import mark_cache_warm
    from miai.players.warm_up import NUM_WARM_UP_STEPS, warm_up

    started = time.monotonic()
    with tqdm(total=NUM_WARM_UP_STEPS, desc="miai compiles for this machine", leave=False, disable=None) as bar:
        for number, step in enumerate(warm_up(options_on(options, size), size)):
            bar.set_postfix_str(step, refresh=False)
            bar.update(number - bar.n)
            bar.refresh()
    log(f"miai: compiled in {time.monotonic() - started:.0f} s")
    mark_cache_warm(_what_is_compiled(options, size))


def compile_if_cold(options: PlayerOptions, size: int) -> None:
    """Call `compile_all` unless this version of miai compiled the same on this machine before."""
    from miai.engine.jit import cache_is_new, cache_is_warm

    if not cache_is_warm(_what_is_compiled(options, size)):
        why = "first start" if cache_is_new() else f"first time on {size}x{size} with these options"
        log(f"miai: {why}, compiling once; later starts are quick.")
        compile_all(options, size)


def _is_known_to_work(options: PlayerOptions) -> bool:
    """Tell whether the rules are those of a preset, and so the parameters, and the network its own."""
    defaults = dataclasses.asdict(PlayerOptions())
    return any(
        all(
            getattr(options, name) == preset.values.get(name, defaults[name])
            for name in ("select", "backup", "final", "evaluator", "net", "net_backend", "batching", "parameters")
        )
        for preset in PRESETS.values()
    )


def check_parameters(options: PlayerOptions, size: int) -> None:
    """Refuse rules that do not go together or do not work, parameters that do not exist or are out of range, and
    networks that cannot be read or do not fit boards of this size.

    Loads compiled code unless the options are known to work.

    Raises:
        OptionError: naming what was wrong and what is allowed.
    """
    if _is_known_to_work(options):
        return
    from miai.players.player import Player

    try:
        Player(options_on(options, size))
    except ValueError as error:
        raise OptionError(str(error)) from None
