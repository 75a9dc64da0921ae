"""`miai warmup`: compile now what would be compiled at the first start."""

import functools

import click

from miai.cli.player_flags import take_options
from miai.players.compiling import check_parameters, compile_all
from miai.players.options import GameOptions, PlayerOptions


@click.command()
@functools.partial(take_options, without=("ponder",))
def command(player_options: PlayerOptions, game_options: GameOptions) -> None:
    """Compile everything now, so that the first start is quick.

    Compiled code is kept in the user's cache folder, or in $MIAI_CACHE_DIR.
    """
    check_parameters(player_options, game_options.size)
    compile_all(player_options, game_options.size)
