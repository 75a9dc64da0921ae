"""The strength of a loop's networks: games against opponents that stay the same, and a curve of ratings.

Each rated network plays the opponents, which play each other too, and the network rated before it, from the same fair
openings, each with both colours. One rating for all follows from all games (`miai.match.ratings`); the first
opponent is zero.
"""

import contextlib
import dataclasses
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from miai.engine.files import save_figure
from miai.match.contestants import Contestant
from miai.match.engines import Engine
from miai.match.match import Match
from miai.match.match_options import MatchOptions
from miai.match.opening_choice import OpeningChoice
from miai.match.schedule import ScheduledGame, build_schedule
from miai.match.standings import Standings
from miai.match.standings_report import write_report
from miai.match.tables import check_engine, prepare_starters
from miai.match.tournament import Tournament
from miai.players.options import PlayerOptions
from miai.selfplay.training.published_nets import label_of


class RatingLadder:
    """The games of all networks that were rated, kept in a folder."""

    def __init__(
        self,
        folder: Path,
        options: MatchOptions,
        opponents: Sequence[Contestant],
        player: PlayerOptions,
        evaluator: str,
        every: int,
    ) -> None:
        """Say who plays whom.

        Args:
            folder: of the games and the ratings.
            options: of the games between two players.
            opponents: of every network; the first is rated zero.
            player: who plays with the networks.
            evaluator: what it values positions by, `net` or `mixed`.
            every: networks whose numbers are multiples of this are rated.
        """
        self.every = every
        """Networks whose numbers are multiples of this are rated."""
        self._folder = folder
        self._options = options
        self._opponents = list(opponents)
        self._player = player
        self._evaluator = evaluator
        self._openings = OpeningChoice(options)

    def draw_schedule(self) -> list[ScheduledGame]:
        """Return the games of two players with their openings, which are kept in the folder.

        Raises:
            OpeningError: if there are not enough fair openings.
        """
        self._folder.mkdir(parents=True, exist_ok=True)
        schedule = build_schedule(self._options.games, self._openings.draw(self._folder))
        self._openings.save(self._folder)
        return schedule

    def check_opponents(self) -> None:
        """Start every opponent once, so that one that cannot play is told before any game.

        Raises:
            MatchAborted: naming it.
        """
        settings = self._options.settings
        with tempfile.TemporaryDirectory() as folder:
            for opponent in self._opponents:
                start = prepare_starters({"opponent": opponent}, settings, Path(folder))["opponent"]
                with contextlib.closing(Engine(opponent.label, start)) as engine:
                    check_engine(engine, settings)

    def rate(self, nets: dict[int, Path], command: str, warn: Callable[[str], None]) -> Standings:
        """Play what is left of all games, rate the networks and write a report.

        Args:
            nets: the networks to rate, by number.
            command: shown in the report.
            warn: told in a line of two players whose games were given up, and why.

        Raises:
            KeyboardInterrupt: if the user interrupts.
            MatchAborted: if a player cannot be started.
            MatchFolderError: if results cannot be kept.
            OpeningError: if there are not enough fair openings.
        """
        contestants = [*self._opponents, *(self._contestant(number, path) for number, path in sorted(nets.items()))]
        num_opponents = len(self._opponents)
        schedule = self.draw_schedule()

        def match(first: int, second: int) -> Match:
            sides = {"A": contestants[first], "B": contestants[second]}
            return Match(sides, self._options.settings, self._openings.description, self._options.parallel, schedule)

        matches = {}
        for place in range(1, len(contestants)):
            for other in range(min(place, num_opponents)):
                matches[other, place] = match(other, place)
            if place > num_opponents:
                matches[place - 1, place] = match(place - 1, place)
        tournament = Tournament(contestants, self._options.settings, 0, matches)
        with contextlib.ExitStack() as stack:
            tournament.open_folders(self._folder, stack)
            if tournament.num_finished < tournament.num_games:
                given_up, interrupted = tournament.play(lambda: None)
                for text in given_up:
                    warn(text)
                if interrupted:
                    raise KeyboardInterrupt
            standings = tournament.add_up()
        write_report(standings, tournament.conditions, command, self._folder)
        return standings

    def _contestant(self, number: int, path: Path) -> Contestant:
        options = dataclasses.replace(self._player, evaluator=self._evaluator, net=str(path.resolve()))
        return Contestant(label_of(number), options=options)


def plot_curve(standings: Standings, positions: dict[str, int], path: Path) -> None:
    """Draw the networks' ratings over the positions they have learned from, if matplotlib is installed.

    Args:
        standings: of `RatingLadder.rate`.
        positions: by the networks' labels; others are drawn as lines across.
        path: of the PNG.
    """
    try:
        from matplotlib.figure import Figure
    except ModuleNotFoundError:
        return
    figure = Figure(figsize=(7, 5), layout="constrained")
    axes = figure.subplots()
    rated = [(standing.player.label, standing.elo) for standing in standings.contestants if standing.elo]
    curve = [(positions[label], elo) for label, elo in rated if label in positions]
    axes.errorbar(
        [place for place, _ in curve],
        [elo.value for _, elo in curve],
        [[elo.value - elo.low for _, elo in curve], [elo.high - elo.value for _, elo in curve]],
        marker="o",
        capsize=2,
    )
    for label, elo in rated:
        if label not in positions:
            axes.axhline(elo.value, color="gray", linestyle="--")
            axes.annotate(label, (0.01, elo.value), xycoords=("axes fraction", "data"), va="bottom", fontsize="small")
    axes.set(xlabel="positions played", ylabel="Elo (bars: 95 % intervals)")
    axes.grid(alpha=0.3)
    save_figure(figure, path, dpi=120)
