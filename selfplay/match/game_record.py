"""A played game as SGF."""

from collections.abc import Mapping

from sgfmill.sgf import Sgf_game

from engine.go.points import BLACK, PASS, location_of
from selfplay.match.referee import GameSettings, PlayedGame
from selfplay.match.schedule import other_side


def record_game(played: PlayedGame, settings: GameSettings, labels: Mapping[str, str]) -> bytes:
    """Return the game as SGF, with the players, the result and the engines' words on their moves."""
    result = played.result
    sgf = Sgf_game(size=settings.size)
    root = sgf.get_root()
    root.set("KM", settings.komi)
    root.set("RU", settings.rules)
    root.set("PB", labels[result.black])
    root.set("PW", labels[other_side(result.black)])
    root.set("RE", result.result)
    for index, (color, move) in enumerate(played.moves):
        node = sgf.extend_main_sequence()
        location = None
        if move != PASS:
            row, column = location_of(move, settings.size)
            location = (settings.size - 1 - row, column)
        node.set_move("b" if color == BLACK else "w", location)
        if index in played.comments:
            node.set("C", played.comments[index])
    if result.reason:
        sgf.get_last_node().add_comment_text(result.reason)
    return bytes(sgf.serialise())
