"""GoGui: set-up, sequences, interruption, and its analysis commands."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from miai.engine.go.game import Game, IllegalMove
from miai.engine.go.points import PASS, RESIGN, vertex_of
from miai.gtp import graphics
from miai.gtp.arguments import VertexFault, read_color, read_colored_moves
from miai.gtp.commands import TOPICS, Handler, commands_of, gtp_command
from miai.gtp.protocol import CommandError, Exchange
from miai.gtp.session import Session

if TYPE_CHECKING:
    from miai.engine.search.report import SearchReport

_ENTRY_TYPES = ("gfx", "string", "plist", "param", "none")
"""In the order in which GoGui shows them."""
_LAYER_COLORS = ("#e6194b", "#f58231", "#ffe119", "#3cb44b", "#46f0f0", "#4363d8", "#911eb4", "#f032e6", "#a9a9a9")


@gtp_command("gogui-analyze_commands")
def list_analyze_commands(session: Session, exchange: Exchange) -> str:
    """List what GoGui offers in its analyze window: type/title/command, miai's own commands before GTP's."""
    lines = [line for topic in reversed(TOPICS) for command in commands_of(topic) for line in command.gogui]
    return "\n".join(sorted(lines, key=lambda line: _ENTRY_TYPES.index(line.partition("/")[0])))


@gtp_command("gogui-play_sequence")
def play_sequence(session: Session, exchange: Exchange) -> str:
    """Play moves one after the other, all of them or none."""
    moves = read_colored_moves(exchange, session.game.size)

    def play_all(game: Game) -> None:
        for color, move in moves:
            game.play(color, move)

    try:
        session.change_game(play_all)
    except IllegalMove:
        raise CommandError("illegal move") from None
    return ""


@gtp_command("gogui-setup")
def set_up_stones(session: Session, exchange: Exchange) -> str:
    """Begin from a position; only on an empty board."""
    placed = read_colored_moves(exchange, session.game.size)
    stones = {point: color for color, point in placed}
    if PASS in stones:
        raise VertexFault
    if len(stones) < len(placed):
        raise CommandError("repeated vertex")
    if session.game.stones() or session.game.moves:
        raise CommandError("board not empty")

    def set_up(game: Game) -> None:
        game.set_up(stones, game.to_play)

    try:
        session.change_game(set_up)
    except ValueError as error:
        raise CommandError(str(error)) from None
    return ""


@gtp_command("gogui-setup_player")
def set_player(session: Session, exchange: Exchange) -> str:
    """Say whose turn it is in a set-up position."""
    session.game.to_play = read_color(exchange.argument(0))
    return ""


@gtp_command("gogui-interrupt", "none/Interrupt/gogui-interrupt")
def agree_to_interrupts(session: Session, exchange: Exchange) -> str:
    """Say that the comment `# interrupt` is understood."""
    return ""


def _view(paint: "Callable[[SearchReport, int], str]") -> Handler:
    """Make a command of a picture."""

    def show(session: Session, exchange: Exchange) -> str:
        return paint(session.report_position(), session.game.size)

    return show


gtp_command("miai-priors", "gfx/Priors/miai-priors")(_view(graphics.paint_priors))
gtp_command("miai-visits", "gfx/Visits/miai-visits")(_view(graphics.paint_visits))
gtp_command("miai-winrates", "gfx/Winrates/miai-winrates")(_view(graphics.paint_winrates))
gtp_command("miai-ownership", "gfx/Ownership/miai-ownership")(_view(graphics.paint_ownership))
gtp_command("miai-variation", "gfx/Principal Variation/miai-variation")(_view(graphics.paint_variation))


@gtp_command("miai-policy", "gfx/Playout Policy/miai-policy")
def show_policy(session: Session, exchange: Exchange) -> str:
    """Label the playout policy's moves with their chances in percent, coloured by the subpolicy that gave them."""
    game = session.game
    moves = [move for move in session.player.playout_moves_at(game, game.to_play) if move.move not in (PASS, RESIGN)]
    layers = list(dict.fromkeys(move.layer for move in moves))
    lines = [
        f"COLOR {_LAYER_COLORS[index % len(_LAYER_COLORS)]} "
        + " ".join(vertex_of(move.move, game.size) for move in moves if move.layer == layer)
        for index, layer in enumerate(layers)
    ]
    if moves:
        labels = (f"{vertex_of(move.move, game.size)} {100 * move.probability:.0f}" for move in moves)
        lines.append("LABEL " + " ".join(labels))
    return "\n".join([*lines, f"TEXT {', '.join(layers) or 'no moves'}"])
