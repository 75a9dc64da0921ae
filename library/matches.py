"""Matches between players from a program."""

from pathlib import Path
from typing import Any

from miai.match.contestants import read_contestant
from miai.match.match import Match
from miai.match.match_options import MatchOptions
from miai.match.opening_choice import OpeningChoice
from miai.match.playing import play_match as play_and_keep
from miai.match.schedule import build_schedule
from miai.match.summary import MatchSummary
from miai.players.option_kinds import unknown_name
from miai.players.options import GAME_FIELDS


def play_match(
    a: str, b: str, games: int = 100, output: str | Path | None = None, parallel: int | None = None, **game: Any
) -> MatchSummary:
    """Let two players play a match and return how A did: wins, draws, losses, score and Elo with 95 % intervals.

    Every opening is played twice, with colours swapped. The same call again continues a match that was interrupted.

    Args:
        a: a preset with options after a colon, `"fuego:simulations=100"`, a config file, or the command line of any
            program that speaks GTP.
        b: the opponent, likewise.
        games: to play; even.
        output: folder of the games and results; by default one below `matches/`.
        parallel: games at a time; by default as many as there are cores for.
        game: `size`, `komi`, `rules`, and `seed` of the openings.

    Raises:
        ValueError: for players or options that there are not; says which.
        MatchAborted: if a player does not work.
        MatchFolderError: if the folder holds another match, is in use, or cannot be written.
    """
    for name in game:
        if name not in (*GAME_FIELDS, "seed"):
            raise unknown_name(name, (*GAME_FIELDS, "seed"), "setting of a match")
    seed = game.pop("seed", 1)
    contestants = {"A": read_contestant(a), "B": read_contestant(b)}
    asked = MatchOptions(games=games, parallel=parallel, game_settings=game, seed=seed)
    options = asked.with_game_of(contestants.values())
    choice = OpeningChoice(options)
    match = Match(contestants, options.settings, choice.description, parallel, schedule=[])
    folder = Path("matches") / match.folder_name() if output is None else Path(output)
    match.schedule = build_schedule(games, choice.draw(folder))
    return play_and_keep(match, folder, choice, None)[0]
