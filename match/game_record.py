"""A played game as SGF."""

from collections.abc import Mapping

from miai.engine.go.sgf import GameInfo, sgf_of
from miai.match.referee import PlayedGame
from miai.match.schedule import other_side


def record_game(played: PlayedGame, rules: str, labels: Mapping[str, str]) -> bytes:
    """Return the game as SGF, with the players, the result and the engines' words on their moves."""
    result = played.result
    comments = dict(played.comments)
    if result.reason:
        last = len(played.game.moves)
        comments[last] = "\n".join(filter(None, [comments.get(last), result.reason]))
    info = GameInfo(
        black=labels[result.black],
        white=labels[other_side(result.black)],
        result=result.result,
        rules=rules,
        round=str(result.number),
        comments=comments,
    )
    return sgf_of(played.game, info)
