"""Lines of matches that were played, read back from what was kept of them."""

import re

from miai.experiments.catalogue import KeptRun, rows_of_lines
from miai.experiments.matches.match_lines import MatchLine, MatchLinesPlan


def plan_of_kept(run: KeptRun) -> MatchLinesPlan:
    """Return the plan of match lines that were played."""
    lines = tuple(MatchLine(**fields) for fields in run.signature["lines"].values())
    games = rows_of_lines(run.results, [line.name for line in lines])
    rest = {name: run.signature[name] for name in ("experiment", "rules", "counting", "seed")}
    return MatchLinesPlan(lines=lines, chosen=tuple(games), games=max(games.values()), **rest)


def word_in(contestant: str, option: str) -> str | None:
    """Return the value of an option in the text of a contestant."""
    found = re.search(rf"[:,]{option}=([^,]+)", contestant)
    return found[1] if found else None


def number_in(contestant: str, option: str) -> float | None:
    """Return a number so."""
    word = word_in(contestant, option)
    return None if word is None else float(word)
