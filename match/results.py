"""The folder of a match: its settings, a line for each finished game, and the games as SGF.

    FOLDER/settings.json    the match's settings; a folder serves one match only
    FOLDER/results.jsonl    one line of JSON for each finished game, in order of finishing
    FOLDER/games/0001.sgf   the games
    FOLDER/twogtp.dat       the same results for GoGui's gogui-twogtp, written when a run ends
    FOLDER/.lock            held while games are played

A line is on the disk before the next game begins. A line cut short by a kill is dropped, its game played again.
"""

import contextlib
import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any

from miai.engine.files import write_file
from miai.engine.locking import take_lock
from miai.match.contestants import complete_description
from miai.match.engines import Effort

RESULTS_FILE = "results.jsonl"
_NEW_GAME_SETTINGS = {"adjudicate": False}
"""Settings of games that old folders do not name, as they were."""


class MatchFolderError(Exception):
    """A folder that cannot hold this match; the text tells why and what to do."""


@dataclass
class GameResult:
    """One finished game."""

    number: int
    """The game's number in the schedule, from 1."""
    black: str
    """The side that played Black."""
    winner: str | None
    """`A`, `B`, `draw`, or None for a void game."""
    result: str
    """As in SGF: `B+3.5`, `W+Resign`, `B+Forfeit`, `0` or `Void`."""
    ending: str
    """`score`, `resignation`, `adjudication`, `forfeit`, or `void`."""
    reason: str = ""
    """Why the game was forfeit or void, or its winner is proven."""
    failed_side: str | None = None
    """The side that forfeited."""
    failure: str | None = None
    """How it failed, one of `engines.FAILURES`."""
    moves: list[str] = field(default_factory=list)
    """All moves as GTP vertices, the opening's included."""
    opening_length: int = 0
    """How many of them are the opening's."""
    claimed_results: dict[str, str] = field(default_factory=dict)
    """Each side's own `final_score`, where it told one."""
    efforts: dict[str, Effort] = field(default_factory=dict)
    """What each side spent."""

    @property
    def is_counted(self) -> bool:
        """Whether the game says something about strength: neither void nor forfeit."""
        return self.ending in ("score", "resignation", "adjudication")

    @property
    def pair(self) -> int:
        """Number of the game's opening."""
        return (self.number + 1) // 2

    @property
    def score_of_a(self) -> float:
        """1, ½ or 0 for side A. Only for games with a winner or a draw."""
        return {"A": 1.0, "draw": 0.5, "B": 0.0}[self.winner or ""]

    def to_line(self) -> str:
        """Return the game as a line of JSON."""
        return json.dumps(asdict(self), ensure_ascii=False) + "\n"

    @classmethod
    def from_line(cls, line: str) -> "GameResult":
        """Read what `to_line` wrote; raises ValueError, KeyError or TypeError for anything else."""
        fields = json.loads(line)
        fields["efforts"] = {side: Effort(**effort) for side, effort in fields["efforts"].items()}
        result = cls(**fields)
        if result.winner not in ("A", "B", "draw", None) or result.black not in ("A", "B"):
            raise ValueError(f"there is no side {result.winner!r} or {result.black!r}")
        if type(result.number) is not int:
            raise ValueError(f"{result.number!r} is no number of a game")
        return result


def _match_networks(found: dict[str, Any], settings: dict[str, Any]) -> None:
    """Let files of the same content stand for each other in settings that were found; old ones name no content."""
    if "networks" not in settings:
        return
    known = found.setdefault("networks", settings["networks"])
    for side, digest in settings["networks"].items():
        if digest is not None and isinstance(known, dict) and known.get(side) == digest:
            with contextlib.suppress(KeyError, TypeError):
                found["sides"][side]["miai"]["net"] = settings["sides"][side]["miai"]["net"]


def differences(found: Any, wanted: Any, name: str = "") -> Iterator[str]:
    """Yield in words which settings differ."""
    if isinstance(found, dict) and isinstance(wanted, dict):
        for key in sorted({*found, *wanted}):
            yield from differences(found.get(key), wanted.get(key), f"{name}.{key}" if name else key)
    elif found != wanted:
        yield f"{name} was {found!r}, now {wanted!r}"


class MatchFolder:
    """A match's folder, locked while it is open."""

    def __init__(self, path: Path, settings: dict[str, Any]) -> None:
        """Open a new folder, or one that was made with the same settings.

        Raises:
            MatchFolderError: if the folder holds another match, is in use, or cannot be written.
        """
        self.path = path
        self._file = path / RESULTS_FILE
        try:
            (path / "games").mkdir(parents=True, exist_ok=True)
            lock = take_lock(path / ".lock", "games")
            if lock is None:
                raise MatchFolderError(f"{path} is in use by another miai match")
            self._lock = lock
            try:
                content = self._file.read_bytes() if self._file.exists() else b""
                self._check_settings(settings, has_results=bool(content))
                self.results = self._read_results(content)
            except BaseException:
                lock.release()
                raise
        except OSError as error:
            raise MatchFolderError(f"cannot write to {path}: {error.strerror}") from error

    def __enter__(self) -> "MatchFolder":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._lock.release()

    def append(self, result: GameResult, sgf: bytes) -> None:
        """Keep a finished game: its SGF first, so that every line has one.

        Raises:
            MatchFolderError: if it cannot be written.
        """
        try:
            write_file(self.path / "games" / f"{result.number:04d}.sgf", sgf)
            with open(self._file, "ab") as lines:
                lines.write(result.to_line().encode())
                lines.flush()
                os.fsync(lines.fileno())
        except OSError as error:
            raise MatchFolderError(
                f"cannot write to {self.path}: {error.strerror}; game {result.number} is lost, the same command "
                "plays it again"
            ) from error
        self.results.append(result)

    def _check_settings(self, settings: dict[str, Any], has_results: bool) -> None:
        file = self.path / "settings.json"
        if not file.exists():
            if has_results:
                raise MatchFolderError(f"{self.path} holds results but no settings.json: choose another --output")
            write_file(file, json.dumps(settings, indent=2, ensure_ascii=False) + "\n")
            return
        try:
            found = json.loads(file.read_text())
        except ValueError as error:
            raise MatchFolderError(f"{file} is not readable ({error}): choose another --output") from error
        if not isinstance(found, dict):
            raise MatchFolderError(f"{file} is not the settings of a match: choose another --output")
        if isinstance(found.get("sides"), dict):
            found["sides"] = {side: complete_description(told) for side, told in found["sides"].items()}
        if isinstance(found.get("game"), dict):
            found["game"] = _NEW_GAME_SETTINGS | found["game"]
        _match_networks(found, settings)
        if "own_rules" in settings:  # old folders do not tell what was in the user's files
            found.setdefault("own_rules", settings["own_rules"])
        if changes := "; ".join(differences(found, settings)):
            raise MatchFolderError(
                f"{self.path} holds a match with other settings ({changes}): repeat those, or choose another --output"
            )

    def _read_results(self, content: bytes) -> list[GameResult]:
        """Read the lines of the file; one cut short is removed from it."""
        end = content.rfind(b"\n") + 1
        if end < len(content):
            os.truncate(self._file, end)
        results: dict[int, GameResult] = {}
        for index, line in enumerate(content[:end].decode("utf-8", "replace").split("\n")[:-1]):
            try:
                result = GameResult.from_line(line)
            except (ValueError, KeyError, TypeError, AttributeError) as error:
                raise MatchFolderError(
                    f"line {index + 1} of {self._file} is damaged ({error}): "
                    "remove the line to have its game played again, or choose another --output"
                ) from error
            results[result.number] = result
        return list(results.values())


def group_pairs(results: Iterable[GameResult], count_forfeits: bool = False) -> list[list[float]]:
    """Return A's scores by opening, in the schedule's order; void games and, unless asked for, forfeits are out."""
    return list(scores_by_opening(results, count_forfeits).values())


def scores_by_opening(results: Iterable[GameResult], count_forfeits: bool = False) -> dict[int, list[float]]:
    """Return the same with the numbers of the openings."""
    pairs: dict[int, list[float]] = {}
    for result in sorted(results, key=lambda result: result.number):
        if result.is_counted or (count_forfeits and result.ending == "forfeit"):
            pairs.setdefault(result.pair, []).append(result.score_of_a)
    return pairs
