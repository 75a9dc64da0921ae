"""After two passes in a terminal: which stones are dead, as miai proposes and the person agrees."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from miai.engine.go.points import BLACK, WHITE, VertexError, move_at, vertex_of

if TYPE_CHECKING:
    from miai.engine.go.game import Game

_QUESTION = "Agreed? (Enter: yes; play: play on; D4 F6: these stones change between dead and alive) "


def agree_on_dead(
    game: "Game",
    proposed: set[int],
    ask: Callable[[str], str] | None,
    write: Callable[[str], None],
    describe_score: Callable[[float], str],
) -> set[int] | None:
    """Return the points of the stones that both players hold for dead; None if they play on.

    Args:
        game: where both have passed.
        proposed: the points of whole blocks.
        ask: shows a question and returns what a person answers; None = nobody is asked, the proposal holds.
        write: shows a line.
        describe_score: returns a score, Black's minus White's, in words.
    """
    from miai.players.dead_stones import score_without

    dead = set(proposed)
    while True:
        write(f"Dead stones: {_name_stones(game, dead)}. {describe_score(score_without(game, dead))} without them.")
        if ask is None:
            return dead
        answer = ask(_QUESTION).strip()
        if answer.lower() in ("", "y", "yes"):
            return dead
        if answer.lower() in ("n", "no", "play"):
            return None
        try:
            dead ^= _read_blocks(game, answer)
        except VertexError as error:
            write(f"{error}.")


def _name_stones(game: "Game", points: set[int]) -> str:
    colors = {BLACK: "Black", WHITE: "White"}
    return (
        ", ".join(f"{colors[game.color_at(point)]} {vertex_of(point, game.size)}" for point in sorted(points)) or "none"
    )


def _read_blocks(game: "Game", text: str) -> set[int]:
    """Return the points of the blocks with a stone on any of the vertices in a text.

    Raises:
        VertexError: for what is no vertex of this board or has no stone.
    """
    from miai.players.status import find_blocks

    block_at = {point: block for block in find_blocks(game) for point in block.points}
    found: set[int] = set()
    for word in text.replace(",", " ").split():
        point = move_at(word, game.size)
        if point not in block_at:
            raise VertexError(f"there is no stone at {word}")
        found |= block_at[point].points
    return found
