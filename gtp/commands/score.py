"""The end of a game: its score and which stones live."""

from miai.engine.go.points import format_score
from miai.gtp.arguments import write_vertices
from miai.gtp.commands import gtp_command
from miai.gtp.protocol import CommandError, Exchange
from miai.gtp.session import Session
from miai.players.dead_stones import dead_of, score_without
from miai.players.status import STATUSES, Status, StoneBlock, find_blocks


@gtp_command("final_score", "string/Final Score/final_score")
def answer_final_score(session: Session, exchange: Exchange) -> str:
    """Count the position without the stones that `final_status_list` calls dead."""
    return format_score(score_without(session.game, dead_of(_judge(session))))


@gtp_command(
    "final_status_list",
    "plist/Final Status List Dead/final_status_list dead",
    "plist/Final Status List Seki/final_status_list seki",
)
def list_final_status(session: Session, exchange: Exchange) -> str:
    """List the stones of one status, a block a line; all live where dead stones are not taken off by agreement."""
    status = exchange.argument(0)
    if status not in STATUSES:
        raise CommandError(f"invalid status (allowed: {' '.join(STATUSES)})")
    return "\n".join(
        write_vertices(sorted(block.points), session.game.size)
        for block, found in _judge(session).items()
        if found == status
    )


def _judge(session: Session) -> dict[StoneBlock, Status]:
    if session.game.rules.removes_dead:
        return session.judge_stones()
    return dict.fromkeys(find_blocks(session.game), "alive")
