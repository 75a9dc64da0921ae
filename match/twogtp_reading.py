"""Results that `gogui-twogtp` or a match of miai wrote, read as games between two players.

Taken as `gogui-twogtp -analyze` takes them: games with an error and duplicates are left out. The referee says who won;
where there is none or it knows no winner, both programs must claim the same.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from miai.match.results import RESULTS_FILE, GameResult
from miai.match.schedule import other_side
from miai.match.twogtp import TWOGTP_FILE, properties_of

_NEEDED = ("GAME", "RES_B", "RES_W", "RES_R", "ALT", "DUP", "ERR")
_WINNERS = {"B+": "A", "W+": "B"}


class TwogtpError(Exception):
    """A file that holds no results of gogui-twogtp; the text says what is wrong with it."""


@dataclass(frozen=True)
class TwogtpResults:
    """The games of a file."""

    players: tuple[str, str]
    """What gogui-twogtp calls Black and White, whoever had the stones: their labels, else their names."""
    conditions: str
    """Size and komi."""
    results: Sequence[GameResult]
    """Without their moves; side A is the first player."""


def find_tables(paths: Iterable[Path]) -> list[Path]:
    """Return the tables of paths, each once: files, those of matches' folders, and of all pairings of tournaments."""
    tables: dict[Path, Path] = {}
    for path in paths:
        own = path / TWOGTP_FILE if path.is_dir() else path
        found = [own] if own.exists() else sorted(path.glob(f"*/{TWOGTP_FILE}"))
        tables |= {one.resolve(): one for one in found or [own]}
    return list(tables.values())


def find_incomplete(paths: Iterable[Path]) -> list[Path]:
    """Return the folders of matches, tournaments' among them, with games that their tables lack, as after a kill."""
    files = [file for path in paths for name in (RESULTS_FILE, f"*/{RESULTS_FILE}") for file in sorted(path.glob(name))]
    folders = dict.fromkeys(file.parent for file in files)
    return [one for one in folders if _count_lines(one / RESULTS_FILE) > _count_lines(one / TWOGTP_FILE)]


def _count_lines(path: Path) -> int:
    """Return how many games a file has, a line each; 0 if there is none."""
    try:
        return sum(not line.startswith(b"#") for line in path.read_bytes().splitlines())
    except OSError:
        return 0


def read_twogtp(path: Path) -> TwogtpResults:
    """Return the games of a file.

    Raises:
        TwogtpError: if it cannot be read or is no such file.
    """
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError as error:
        raise TwogtpError(f"cannot read {path}: {error.strerror}") from error
    properties = properties_of(lines)
    comments = (line[1:] for line in lines if line.startswith("#"))
    columns = next((line.strip().split("\t") for line in comments if line.lstrip().startswith("GAME\t")), None)
    if columns is None or not set(_NEEDED) <= set(columns):
        raise TwogtpError(f"{path} has no table of gogui-twogtp: a line '#' with the columns {', '.join(_NEEDED)}")
    results = []
    for number, line in enumerate(lines, start=1):
        if line and not line.startswith("#"):
            cells = dict(zip(columns, line.split("\t"), strict=False))
            try:
                results.append(_result_of(cells))
            except (KeyError, ValueError):
                raise TwogtpError(f"{path}, line {number}: {line[:60]!r} is no game of gogui-twogtp") from None
    players = tuple(_player(properties, color) for color in ("Black", "White"))
    conditions = f"{properties.get('Size', '?')}x{properties.get('Size', '?')}, komi {properties.get('Komi', '?')}"
    return TwogtpResults((players[0], players[1]), conditions, results)


def join_results(files: Sequence[TwogtpResults]) -> tuple[list[str], Mapping[tuple[int, int], list[GameResult]]]:
    """Return all players of some files by name, and the games of each two who met, numbered anew.

    Raises:
        TwogtpError: if the two players of a file have the same name.
    """
    labels: list[str] = []
    games: dict[tuple[int, int], list[GameResult]] = {}
    for file in files:
        if file.players[0] == file.players[1]:
            raise TwogtpError(f"both players are called {file.players[0]!r}: they cannot be told apart")
        labels += [name for name in file.players if name not in labels]
        first, second = (labels.index(name) for name in file.players)
        pairing = (min(first, second), max(first, second))
        known = games.setdefault(pairing, [])
        begin = 2 * max((result.pair for result in known), default=0)
        turned = file.results if (first, second) == pairing else [_turn(result) for result in file.results]
        known += [replace(result, number=begin + result.number) for result in turned]
    return labels, games


def _player(properties: Mapping[str, str], color: str) -> str:
    return properties.get(f"{color}Label") or properties.get(color) or color


def _result_of(cells: Mapping[str, str]) -> GameResult:
    is_exchanged = int(cells["ALT"]) != 0
    winner, text = _winner(cells)
    reason = ""
    if int(cells["ERR"]) != 0:
        reason = cells.get("ERR_MSG", "").strip() or "error"
    elif cells["DUP"].strip() not in ("", "-"):
        reason = "the moves of an earlier game"
    elif winner is None:
        reason = "no result, or two that differ"
    return GameResult(
        number=int(cells["GAME"]) + 1,
        black="B" if is_exchanged else "A",
        winner=None if reason else winner,
        result="Void" if reason else text,
        ending="void" if reason else "resignation" if text.endswith("+R") else "score",
        reason=reason,
    )


def _winner(cells: Mapping[str, str]) -> tuple[str | None, str]:
    """Return who won, `draw` or None, and the result that says so."""
    for column in ("RES_R", "RES_B"):
        text = cells[column].strip()
        winner = "draw" if text.startswith("0") else _WINNERS.get(text[:2])
        if winner is not None and (column == "RES_R" or cells["RES_W"].strip()[:2] == text[:2]):
            return winner, text
    return None, "?"


def _turn(result: GameResult) -> GameResult:
    """Return a game with the sides exchanged."""
    winner = other_side(result.winner) if result.winner in ("A", "B") else result.winner
    return replace(result, black=other_side(result.black), winner=winner)
