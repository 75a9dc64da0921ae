"""The course of a game: board, komi, moves."""

from collections.abc import Mapping

from miai.engine.go.drawing import draw
from miai.engine.go.game import Game, IllegalMove
from miai.engine.go.points import BLACK, MAX_SIZE, MIN_SIZE, PASS, RESIGN, WHITE, color_name, opponent, vertex_of
from miai.gtp.arguments import read_color, read_move, read_number
from miai.gtp.commands import gtp_command
from miai.gtp.graphics import show_live
from miai.gtp.protocol import CommandError, Exchange, SyntaxFault
from miai.gtp.session import Session
from miai.players.fallback import options_on
from miai.players.option_kinds import OptionError
from miai.players.status import Status, StoneBlock, find_blocks


@gtp_command("boardsize")
def set_board_size(session: Session, exchange: Exchange) -> str:
    """Begin a game on an empty board of the given size."""
    size = exchange.integer(0)
    if not MIN_SIZE <= size <= MAX_SIZE:
        raise CommandError("unacceptable size")
    try:
        options_on(session.player_options, size)
    except OptionError as error:
        raise CommandError(f"unacceptable size: {error}") from None
    session.start_game(size)
    session.prepare_player()
    return ""


@gtp_command("clear_board")
def clear_board(session: Session, exchange: Exchange) -> str:
    """Begin a game on an empty board."""
    session.start_game()
    return ""


@gtp_command("komi")
def set_komi(session: Session, exchange: Exchange) -> str:
    """Set komi, from -1000 to 1000."""
    try:
        session.game.komi = read_number(exchange.argument(0))
    except ValueError as error:
        raise CommandError(str(error)) from None
    return ""


@gtp_command("play")
def play_move(session: Session, exchange: Exchange) -> str:
    """Play a move of either colour."""
    color, move = read_color(exchange.argument(0)), read_move(exchange.argument(1), session.game.size)
    try:
        session.game.play(color, move)
    except IllegalMove:
        raise CommandError("illegal move") from None
    if session.game.is_over:
        session.stop_pondering()
    return ""


@gtp_command("genmove")
def generate_move(session: Session, exchange: Exchange) -> str:
    """Choose a move and play it; `resign` changes no board."""
    color = read_color(exchange.argument(0))
    on_report, every = show_live(session)
    choice = session.choose(color, exchange.interrupted, on_report, every)
    session.commit(color, choice.move)
    return vertex_of(choice.move, session.game.size)


@gtp_command("reg_genmove")
def suggest_move(session: Session, exchange: Exchange) -> str:
    """Choose a move without playing it (`reg_genmove`)."""
    color = read_color(exchange.argument(0))
    choice = session.choose(color, exchange.interrupted, is_timed=False)
    return vertex_of(choice.move, session.game.size)


@gtp_command("kgs-genmove_cleanup")
def generate_cleanup_move(session: Session, exchange: Exchange) -> str:
    """Choose a move and play it, but pass only when no dead stone of the opponent is left (`kgs-genmove_cleanup`)."""
    color = read_color(exchange.argument(0))
    move, statuses = session.choose_cleanup(color, exchange.interrupted)
    if move in (PASS, RESIGN):
        move = _capturing_move(session.game, color, statuses)
    session.commit(color, move)
    return vertex_of(move, session.game.size)


def _capturing_move(game: Game, color: int, statuses: Mapping[StoneBlock, Status]) -> int:
    """Return a safe move that takes a liberty of a dead block, that with the fewest first; PASS if there is none."""
    dead = [block for block, status in statuses.items() if status == "dead" and block.color == opponent(color)]
    for block in sorted(dead, key=lambda block: len(block.liberties)):
        for liberty in sorted(block.liberties):
            if game.is_legal(color, liberty) and not _is_self_atari(game, color, liberty):
                return liberty
    return PASS


def _is_self_atari(game: Game, color: int, point: int) -> bool:
    after = game.copy()
    after.play(color, point)
    return any(point in block.points and len(block.liberties) == 1 for block in find_blocks(after))


@gtp_command("undo")
def undo_move(session: Session, exchange: Exchange) -> str:
    """Take back the last move."""
    _undo(session, 1)
    return ""


@gtp_command("gg-undo")
def undo_moves(session: Session, exchange: Exchange) -> str:
    """Take back a number of moves, all of them or none (`gg-undo`)."""
    count = exchange.integer(0) if exchange.arguments else 1
    if count < 0:
        raise SyntaxFault
    _undo(session, count)
    return ""


def _undo(session: Session, count: int) -> None:
    if count > len(session.game.moves):
        raise CommandError("cannot undo")
    for _ in range(count):
        session.game.undo()


@gtp_command("showboard")
def show_board(session: Session, exchange: Exchange) -> str:
    """Draw the position, with who is to move, what was captured, and komi."""
    game = session.game
    return "\n".join(
        [
            draw(game.board),
            f"{color_name(game.to_play).capitalize()} to play",
            f"Captured: {game.num_captured[BLACK]} black, {game.num_captured[WHITE]} white",
            f"Komi: {game.komi:g}",
        ]
    )
