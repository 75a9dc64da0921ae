"""`miai web`: play, analyse and watch the search in the browser."""

import contextlib
import errno
import functools
import os
import threading
import webbrowser
from typing import Any

import click

from miai.cli.option_flags import FiniteFloat
from miai.cli.player_flags import take_options
from miai.engine.search.rule_names import is_own
from miai.players.compiling import check_parameters
from miai.players.options import GameOptions, PlayerOptions, to_toml

DEFAULT_PORT = 8361
_TAKEN = (errno.EADDRINUSE, errno.EACCES)


def _check_rules(context: click.Context, option: click.Parameter, rules: tuple[str, ...]) -> tuple[str, ...]:
    for rule in rules:
        if not is_own(rule):
            raise click.BadParameter(f"{rule!r} is not allowed (allowed: FILE.py:NAME; the page knows miai's own)")
    return rules


def _sort_rules(rules: tuple[str, ...]) -> tuple[list[str], list[str]]:
    """Return the selection rules and the backup rules among a user's; loads them, as only that tells."""
    if not rules:
        return [], []
    from miai.engine.search.own_rules import RuleError, find_backup_rule, find_selection_rule

    found: tuple[list[str], list[str]] = ([], [])
    for rule in rules:
        path, _, name = rule.rpartition(":")
        absolute = f"{os.path.abspath(path)}:{name}"
        try:
            find_selection_rule(absolute)
            found[0].append(absolute)
        except RuleError as error:
            if "has no selection rule" not in str(error):
                raise click.UsageError(str(error)) from None
            try:
                find_backup_rule(absolute)
            except RuleError:
                raise click.UsageError(str(error)) from None
            found[1].append(absolute)
    return found


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    help=f"Port to listen on; 0 = any that is free. [default: {DEFAULT_PORT}, or any that is free if that is taken]",
)
@click.option("--browser/--no-browser", default=True, show_default=True, help="Open the page in the browser.")
@click.option(
    "--sessions", type=click.IntRange(1, 64), default=4, show_default=True, help="Pages with an engine, at most."
)
@click.option(
    "--idle",
    type=FiniteFloat(0.1, 1440.0),
    default=10.0,
    show_default=True,
    metavar="MINUTES",
    help="End an engine that has been idle this long; its game is kept.",
)
@click.option(
    "--own-rule",
    "own_rules",
    multiple=True,
    metavar="FILE.py:NAME",
    callback=_check_rules,
    help="A selection or backup rule of your own that the page may watch; more than once for more.",
)
@functools.partial(take_options, without=("ponder",))
def command(
    host: str,
    port: int | None,
    browser: bool,
    sessions: int,
    idle: float,
    own_rules: tuple[str, ...],
    player_options: PlayerOptions,
    game_options: GameOptions,
) -> None:
    """Play against miai, analyse games and watch searches in the browser.

    The server listens on this machine alone, or on the address that --host names. The address it prints holds a token:
    without it nobody gets in. Player options set the player that analyses, and that plays at level 10.
    """
    from miai.web.access import LOOPBACK, load_token, url_host
    from miai.web.server import ServerOptions, open_port, serve

    check_parameters(player_options, game_options.size)
    selections, backups = _sort_rules(own_rules)
    listener = _listen(open_port, host, port)
    token = load_token()
    address = f"http://{url_host(host)}:{listener.getsockname()[1]}/?token={token}"
    if host not in LOOPBACK:
        click.echo(
            f"miai: {host} can be reached from other machines, and nothing is encrypted. Whoever has the address below "
            "can use this machine to search.",
            err=True,
        )
    options = ServerOptions(
        host,
        sessions,
        idle * 60.0,
        {"options": to_toml(player_options, game_options)},
        game_options,
        tuple(selections),
        tuple(backups),
    )

    def announce() -> None:
        click.echo(f"miai is at {address}\nCtrl-C ends it.")
        if browser:
            threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()

    with contextlib.suppress(KeyboardInterrupt):
        serve(options, token, listener, announce)


def _listen(open_port: Any, host: str, port: int | None) -> Any:
    wanted = DEFAULT_PORT if port is None else port
    try:
        return open_port(host, wanted)
    except OSError as error:
        if port is None and error.errno in _TAKEN:
            return open_port(host, 0)
        raise click.ClickException(f"cannot listen on {host} port {wanted}: {error.strerror}") from None
