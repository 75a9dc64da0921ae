"""A network's own word on the position, without a search, as KataGo's `kata-raw-nn` gives it."""

import math
from typing import TYPE_CHECKING

from miai.engine.go.points import BLACK
from miai.gtp.arguments import is_color, read_color
from miai.gtp.commands import gtp_command
from miai.gtp.protocol import CommandError, Exchange
from miai.gtp.session import Session
from miai.nets.symmetry import NUM_SYMMETRIES

if TYPE_CHECKING:
    from miai.nets.raw_evaluation import RawEvaluation

_ALLOWED = f"[COLOR] SYMMETRY [OPTIMISM]: a symmetry is 0 to {NUM_SYMMETRIES - 1} or all, optimism 0 to 1"


@gtp_command("kata-raw-nn")
def show_raw_outputs(session: Session, exchange: Exchange) -> str:
    """Tell what the player's network says of the position: `[COLOR] SYMMETRY [OPTIMISM]`; all = in all symmetries."""
    words = list(exchange.arguments)
    game = session.game
    color = read_color(words.pop(0)) if words and is_color(words[0]) else game.to_play
    symmetries = _read_symmetries(words.pop(0) if words else "")
    optimism = _read_optimism(words.pop(0)) if words else 0.0
    if words:
        raise CommandError(f"{words[0][:40]!r} is one argument too many (allowed: {_ALLOWED})")
    try:
        network = session.player.evaluation.raw_network
        if network is None:
            raise CommandError("this player has no network")
        found = [network.evaluate(game, color, symmetry, optimism) for symmetry in symmetries]
    except ValueError as error:
        raise CommandError(str(error)) from None
    return "\n".join(_write(*one, color, game.size) for one in zip(found, symmetries, strict=True))


def _read_symmetries(word: str) -> range:
    if word.lower() == "all":
        return range(NUM_SYMMETRIES)
    if not (word.isascii() and word.isdigit() and len(word) == 1 and int(word) < NUM_SYMMETRIES):
        raise CommandError(f"symmetry {word[:40]!r} is not allowed (allowed: {_ALLOWED})")
    return range(int(word), int(word) + 1)


def _read_optimism(word: str) -> float:
    try:
        optimism = float(word)
    except ValueError:
        optimism = math.nan
    if not 0.0 <= optimism <= 1.0:
        raise CommandError(f"optimism {word[:40]!r} is not allowed (allowed: {_ALLOWED})")
    return optimism


def _write(evaluation: "RawEvaluation", symmetry: int, color: int, size: int) -> str:
    """Return it in KataGo's words, from White's view."""
    sign = -1.0 if color == BLACK else 1.0
    win, loss = evaluation.win + evaluation.draw / 2, evaluation.loss + evaluation.draw / 2
    if color == BLACK:
        win, loss = loss, win
    lines = [
        f"symmetry {symmetry}",
        f"whiteWin {win:.6f}",
        f"whiteLoss {loss:.6f}",
        f"noResult {evaluation.no_result:.6f}",
        f"whiteLead {_or_nan(sign * evaluation.lead, '.3f')}",
        f"whiteScoreSelfplay {_or_nan(sign * evaluation.score, '.3f')}",
        f"whiteScoreSelfplaySq {_or_unknown(evaluation.squared_score)}",
        f"varTimeLeft {_or_unknown(evaluation.variance_time)}",
        f"shorttermWinlossError {_or_unknown(evaluation.value_error)}",
        f"shorttermScoreError {_or_unknown(evaluation.score_error)}",
        "policy",
        *_grid(evaluation.policy[:-1].tolist(), size, "8.6f"),
        f"policyPass {evaluation.policy[-1]:8.6f}",
        "whiteOwnership",
        *_grid((sign * evaluation.ownership).tolist(), size, "9.7f"),
    ]
    return "\n".join(lines)


def _or_nan(value: float, form: str) -> str:
    return "NAN" if math.isnan(value) else format(value, form)


def _or_unknown(value: float) -> str:
    """Return a value that cannot be negative, or KataGo's -1 for one that is not known."""
    return format(-1.0 if math.isnan(value) else value, ".3f")


def _grid(values: list[float], size: int, form: str) -> list[str]:
    rows = (values[first : first + size] for first in range(0, size * size, size))
    return [" ".join(_or_nan(value, form).rjust(8) for value in row) for row in rows]
