"""The end of a game: its score and which stones live."""

from gtp.arguments import write_vertices
from gtp.commands import Handler
from gtp.protocol import CommandError, Exchange
from gtp.session import Session
from gtp.status import STATUSES, judge_blocks


def format_score(score: float) -> str:
    """Return a result: `B+3.5`, `W+12`, or `0` for a draw; `score` is Black's minus White's."""
    if abs(score) < 1e-9:
        return "0"
    return f"{'B' if score > 0 else 'W'}+{abs(score):.10g}"


def answer_final_score(session: Session, exchange: Exchange) -> str:
    """Count the position as it stands: by Tromp-Taylor rules every stone on the board is alive."""
    return format_score(session.game.score())


def list_final_status(session: Session, exchange: Exchange) -> str:
    """List the stones of one status, a block a line."""
    status = exchange.argument(0)
    if status not in STATUSES:
        raise CommandError(f"invalid status (allowed: {' '.join(STATUSES)})")
    game = session.game
    if not game.stones():
        return ""
    report = session.glance()
    judged = judge_blocks(game, report.ownership, report.color)
    return "\n".join(
        write_vertices(sorted(block.points), game.size) for block, found in judged.items() if found == status
    )


HANDLERS: dict[str, Handler] = {
    "final_score": answer_final_score,
    "final_status_list": list_final_status,
}
