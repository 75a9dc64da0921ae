"""Games from and to SGF files."""

from miai.engine.go.sgf import GameInfo, SgfError, load_game, save_game, sgf_of
from miai.gtp.commands import gtp_command
from miai.gtp.protocol import CommandError, Exchange
from miai.gtp.session import Session


@gtp_command("loadsgf")
def load_sgf(session: Session, exchange: Exchange) -> str:
    """Go on from the end of a file's main line, or from before move MOVE_NUMBER (`loadsgf FILE [MOVE_NUMBER]`).

    The game is played by the session's rules, and by its komi where the file names none. A name may hold blanks; a
    number after it is the move's.
    """
    exchange.argument(0)
    path, move_number = exchange.text, None
    if len(exchange.arguments) > 1 and exchange.arguments[-1].isascii() and exchange.arguments[-1].isdigit():
        path, move_number = path.rpartition(" ")[0].strip(" "), exchange.integer(-1)
    try:
        game, _ = load_game(path, move_number, session.game.rules, session.game.komi)
    except SgfError as error:
        raise CommandError(f"cannot load file: {error}") from None
    session.replace_game(game)
    session.prepare_player()
    return ""


@gtp_command("printsgf")
def print_sgf(session: Session, exchange: Exchange) -> str:
    """Print the game as SGF, or write it to a file (`printsgf [FILE]`)."""
    game = session.game
    if not exchange.arguments:
        return sgf_of(game, GameInfo()).decode("utf-8")
    try:
        save_game(game, exchange.text, GameInfo())
    except SgfError as error:
        raise CommandError(f"cannot save file: {error}") from None
    return ""
