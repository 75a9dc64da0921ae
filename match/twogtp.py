"""The results of a match as GoGui's `gogui-twogtp` writes them, for `gogui-twogtp -analyze twogtp.dat`.

Tab-separated columns below comment lines with properties. *Black* is side A and *White* side B, whoever has the stones;
in games with colours exchanged (`ALT`) the results are turned round, so that `B+` always is a win of A. A game is a
duplicate (`DUP`) of an earlier one with the same moves by the same sides. The referee is miai, which alone says who
won; what the programs claim themselves is kept beside it.
"""

import socket
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path

from miai.engine.files import write_file
from miai.match.match import Match
from miai.match.results import GameResult
from miai.match.schedule import SIDES

TWOGTP_FILE = "twogtp.dat"
_COLUMNS = tuple("GAME RES_B RES_W RES_R ALT DUP LEN TIME_B TIME_W CPU_B CPU_W ERR ERR_MSG".split())
_TURNED = str.maketrans("BW", "WB")


def write_twogtp(match: Match, results: Sequence[GameResult], names: Mapping[str, str], folder: Path) -> None:
    """Write the file into a match's folder.

    Args:
        match: of which they are.
        results: of its games, in any order.
        names: the engines' own names and versions by side, where known; else those that the file has stay.
        folder: of the match.

    Raises:
        OSError: if it cannot be written.
    """
    labels = match.labels
    properties = {"Size": str(match.settings.size), "Komi": f"{match.settings.komi:g}", "Openings": match.openings}
    properties |= {"Date": date.today().isoformat(), "Host": socket.gethostname(), "Xml": "0"}
    properties |= {"Referee": "miai", "RefereeLabel": "miai", "RefereeCommand": "miai match"}
    kept = _kept_properties(folder / TWOGTP_FILE)
    for side, color in zip(SIDES, ("Black", "White"), strict=True):
        label = _on_one_line(labels[side])
        name = _on_one_line(names.get(side, "")) or kept.get(color) or label
        properties |= {color: name, f"{color}Label": label, f"{color}Command": label, f"{color}Version": ""}
    lines = [f"# {key}: {value}" for key, value in sorted(properties.items())]
    lines += ["#", "#" + "\t".join(_COLUMNS)]
    seen: dict[tuple[str, ...], int] = {}
    for result in sorted(results, key=lambda result: result.number):
        moves = (result.black, *result.moves)
        earlier = seen.setdefault(moves, result.number) if result.is_counted else result.number
        lines.append("\t".join(_row(result, "-" if earlier == result.number else str(earlier - 1))))
    write_file(folder / TWOGTP_FILE, "\n".join(lines) + "\n")


def _kept_properties(path: Path) -> dict[str, str]:
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return {}
    return properties_of(lines)


def properties_of(lines: Sequence[str]) -> dict[str, str]:
    """Return what the lines of a file say in its head, by name."""
    parted = (line[1:].partition(":") for line in lines if line.startswith("#"))
    return {name.strip(): value.strip() for name, colon, value in parted if colon}


def _row(result: GameResult, duplicate: str) -> list[str]:
    is_exchanged = result.black != "A"
    a, b, referee = (
        _turn(_of_gogui(text), is_exchanged)
        for text in (result.claimed_results.get("A", "?"), result.claimed_results.get("B", "?"), result.result)
    )
    seconds = [f"{result.efforts[side].seconds:.1f}" if side in result.efforts else "0" for side in SIDES]
    return [
        str(result.number - 1),
        a if result.is_counted else "?",
        b if result.is_counted else "?",
        referee if result.is_counted else "?",
        str(int(is_exchanged)),
        duplicate,
        str(len(result.moves)),
        *seconds,
        "0",
        "0",
        str(int(not result.is_counted)),
        "" if result.is_counted else _on_one_line(result.reason),
    ]


def _of_gogui(result: str) -> str:
    """Return a result as GoGui knows it: `B+R` for a resignation."""
    return _on_one_line(result).replace("+Resign", "+R")


def _turn(result: str, is_exchanged: bool) -> str:
    return result.translate(_TURNED) if is_exchanged else result


def _on_one_line(text: str) -> str:
    return " ".join(text.split())
