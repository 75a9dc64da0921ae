"""`miai warmup`, and what the other subcommands do at the first start of its kind: compile, and say so on stderr."""

import dataclasses
import sys
import time
from typing import TextIO

import click

from gtp.fallback import options_on
from gtp.flags import take_options
from gtp.option_values import OptionError
from gtp.options import NET_EVALUATORS, GameOptions, PlayerOptions
from gtp.presets import PRESETS

_BAR_WIDTH = 20


class ProgressLine:
    """A bar with the name of the current step: one line rewritten on a terminal, a line a step elsewhere."""

    def __init__(self, title: str, num_steps: int, stream: TextIO) -> None:
        self._title = title
        self._num_steps = num_steps
        self._stream = stream
        self._num_begun = 0
        self._start = time.monotonic()

    def begin(self, step: str) -> None:
        """Show that the next step has begun."""
        self._num_begun = min(self._num_begun + 1, self._num_steps)
        done = _BAR_WIDTH * (self._num_begun - 1) // self._num_steps
        bar = "#" * done + "." * (_BAR_WIDTH - done)
        self._write(f"{self._title} [{bar}] {self._num_begun}/{self._num_steps} {step}")

    def finish(self) -> None:
        """Show that all steps are done, and how long they took."""
        self._write(f"{self._title} [{'#' * _BAR_WIDTH}] done in {time.monotonic() - self._start:.0f} s")
        if self._stream.isatty():
            self._stream.write("\n")
            self._stream.flush()

    def _write(self, line: str) -> None:
        self._stream.write(f"\r\033[K{line}" if self._stream.isatty() else f"{line}\n")
        self._stream.flush()


def _what_is_compiled(options: PlayerOptions, size: int) -> str:
    from engine.search.own_rules import content_of

    options = options_on(options, size)
    rules = f"{content_of(options.select)}-{content_of(options.backup)}"
    parts = [rules, options.evaluator, options.policy, str(size)]
    if options.evaluator in NET_EVALUATORS:
        from nets.net_files import net_file, read_config

        parts[2:2] = [read_config(net_file(options.net)).planes, options.batching]
    return "-".join(parts)


def compile_all(options: PlayerOptions, size: int) -> None:
    """Compile whatever a player with these options runs on a board of `size`, with a progress line on stderr."""
    from engine.jit import mark_cache_warm
    from gtp.player import NUM_WARM_UP_STEPS, warm_up

    progress = ProgressLine("miai compiles for this machine", NUM_WARM_UP_STEPS, sys.stderr)
    try:
        for step in warm_up(options_on(options, size), size):
            progress.begin(step)
    except OptionError as error:
        raise click.UsageError(str(error)) from None
    progress.finish()
    mark_cache_warm(_what_is_compiled(options, size))


def _is_known_to_work(options: PlayerOptions) -> bool:
    """Tell whether the rules are those of a preset, and so the parameters, and the network its own."""
    defaults = dataclasses.asdict(PlayerOptions())
    return any(
        all(
            getattr(options, name) == preset.values.get(name, defaults[name])
            for name in ("select", "backup", "final", "evaluator", "net", "batching", "parameters")
        )
        for preset in PRESETS.values()
    )


def check_parameters(options: PlayerOptions, size: int) -> None:
    """Refuse rules that do not go together or do not work, parameters that do not exist or are out of range, and
    networks that cannot be read or do not fit boards of this size.

    Loads compiled code unless the options are known to work.

    Raises:
        click.UsageError: naming what was wrong and what is allowed.
    """
    if _is_known_to_work(options):
        return
    from gtp.player import Player

    try:
        Player(options_on(options, size))
    except ValueError as error:
        raise click.UsageError(str(error)) from None


def compile_if_cold(options: PlayerOptions, size: int) -> None:
    """Call `compile_all` unless this version of miai compiled the same on this machine before."""
    from engine.jit import cache_is_new, cache_is_warm

    if not cache_is_warm(_what_is_compiled(options, size)):
        why = "first start" if cache_is_new() else f"first time on {size}x{size} with these options"
        click.echo(f"miai: {why}, compiling once; later starts are quick.", err=True)
        compile_all(options, size)


@click.command()
@take_options
def command(player_options: PlayerOptions, game_options: GameOptions) -> None:
    """Compile everything now, so that the first start is quick.

    Compiled code is kept in the user's cache folder, or in $MIAI_CACHE_DIR.
    """
    check_parameters(player_options, game_options.size)
    compile_all(player_options, game_options.size)
