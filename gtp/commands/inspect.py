"""Looking inside: the playout policy, the search's parameters, and why a move was played."""

import dataclasses

from miai.engine.go.points import color_name, vertex_of
from miai.gtp.arguments import read_color, write_vertices
from miai.gtp.commands import gtp_command
from miai.gtp.commands.core import ENGINE_NAME, engine_version
from miai.gtp.graphics import LIVE_VIEWS
from miai.gtp.protocol import CommandError, Exchange
from miai.gtp.session import Session
from miai.players.fallback import options_on
from miai.players.option_kinds import OptionError
from miai.players.options import SEED
from miai.players.presets import STRENGTHS

_LIVE_GRAPHICS = "live_gfx"
_NUM_EXPLAINED = 5


@gtp_command("miai-policy_moves", "string/Playout Policy Moves/miai-policy_moves")
def list_policy_moves(session: Session, exchange: Exchange) -> str:
    """List the playout policy's moves for the player to move or COLOR: vertex, chance, and the subpolicy it is from."""
    game = session.game
    color = read_color(exchange.arguments[0]) if exchange.arguments else game.to_play
    moves = sorted(session.player.playout_moves_at(game, color), key=lambda move: -move.probability)
    return "\n".join(f"{vertex_of(move.move, game.size)} {move.probability:.4f} {move.layer}" for move in moves)


@gtp_command("miai-param", "param/Search Parameters/miai-param")
def show_or_set_parameter(session: Session, exchange: Exchange) -> str:
    """List all parameters as GoGui wants to edit them, or set `NAME VALUE`."""
    if not exchange.arguments:
        return _list_parameters(session)
    name, value = exchange.argument(0), exchange.text.partition(" ")[2].strip(" ")
    if name == _LIVE_GRAPHICS:
        allowed = ("none", *LIVE_VIEWS)
        if value not in allowed:
            raise CommandError(f"{name}: {value[:40]!r} is not allowed (allowed: {', '.join(allowed)})")
        session.live_graphics = value
        return ""
    try:
        session.player.set_parameter(name, value)
    except ValueError as error:
        raise CommandError(str(error)) from None
    session.last_report = None
    return ""


def _list_parameters(session: Session) -> str:
    lines = [f"[list/none/{'/'.join(LIVE_VIEWS)}] {_LIVE_GRAPHICS} {session.live_graphics}"]
    for name, parameter in session.player.parameters().items():
        lines.append(f"{_gogui_type(parameter.value)} {name} {_gogui_value(parameter.value)}")
    return "\n".join(lines)


def _gogui_type(value: object) -> str:
    return "[bool]" if isinstance(value, bool) else "[string]"


def _gogui_value(value: object) -> str:
    return str(int(value)) if isinstance(value, bool) else str(value)


@gtp_command("level")
def show_or_set_level(session: Session, exchange: Exchange) -> str:
    """Tell the level for people, or play at LEVEL from now on, 1 to 10; 10 is as the options say."""
    if not exchange.arguments:
        return str(session.strength)
    level = exchange.integer(0)
    if level not in STRENGTHS:
        raise CommandError(f"level {level} is not allowed (allowed: {min(STRENGTHS)} to {max(STRENGTHS)})")
    try:
        session.set_strength(level)
    except ValueError as error:
        raise CommandError(f"level {level} cannot be played here: {error}") from None
    return ""


@gtp_command("gomill-explain_last_move", "string/Explain Last Move/gomill-explain_last_move")
def explain_last_move(session: Session, exchange: Exchange) -> str:
    """Tell what the search thought before the last move generated in this game."""
    explanation = session.explanation()
    if explanation is None:
        return "no move was generated in this game"
    report, size = explanation.report, explanation.game.size
    per_second = f", {report.simulations / report.seconds:.0f}/s" if report.seconds > 0 else ""
    lines = [
        f"{color_name(report.color).capitalize()}: {100 * report.value:.1f}%, {report.score:+.1f} points",
        f"{report.simulations} simulations in {report.seconds:.2f} s{per_second}; {report.visits} visits of the root",
    ]
    for move in report.moves[:_NUM_EXPLAINED]:
        lines.append(
            f"{vertex_of(move.move, size)}: {100 * move.value:.1f}%, {move.score:+.1f} points, {move.visits} visits,"
            f" prior {100 * move.prior:.1f}%; {write_vertices(move.variation, size)}"
        )
    return "\n".join(lines)


@gtp_command("gomill-describe_engine", "string/Describe Engine/gomill-describe_engine")
def describe_engine(session: Session, exchange: Exchange) -> str:
    """Tell name, version and options."""
    lines = [f"{ENGINE_NAME} {engine_version()}"]
    for name, value in dataclasses.asdict(options_on(session.player_options, session.game.size)).items():
        if value is not None and value != {}:
            lines.append(f"{name.replace('_', '-')}: {value}")
    return "\n".join(lines)


@gtp_command("set_random_seed")
def set_random_seed(session: Session, exchange: Exchange) -> str:
    """Begin the random numbers anew from an integer, and forget the tree: the same seed gives the same game."""
    try:
        seed = SEED.read(exchange.argument(0))
    except OptionError as error:
        raise CommandError(f"seed: {error}") from None
    assert seed is not None
    session.set_seed(seed)
    return ""
