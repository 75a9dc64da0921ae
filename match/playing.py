"""Play a match, with its results in a folder, so that it can be continued."""

from pathlib import Path

from miai.engine.log import log
from miai.engine.progress import progress_bar
from miai.match.match import Match
from miai.match.opening_choice import OpeningChoice
from miai.match.referee import PlayedGame
from miai.match.results import MatchFolder
from miai.match.runner import interrupt_safely
from miai.match.statistics import SequentialTest
from miai.match.summary import MatchSummary, summarise
from miai.match.table import render_progress
from miai.match.tables import MatchAborted
from miai.match.twogtp import write_twogtp


def play_match(
    match: Match, path: Path, choice: OpeningChoice, test: SequentialTest | None
) -> tuple[MatchSummary, bool]:
    """Play what is left of a match behind a progress bar; return its summary and whether it was interrupted.

    Args:
        match: whose schedule is played.
        path: the folder of its results, new or that of an earlier run.
        choice: where the openings of the schedule are from.
        test: ends the match when it is decided.

    Raises:
        MatchAborted: if an engine does not work.
        MatchFolderError: if the folder belongs to another match or cannot be written.
    """
    names: dict[str, str] = {}
    with MatchFolder(path, match.describe()) as folder:
        choice.save(path)

        def summarise_now() -> MatchSummary:
            return summarise(match.scheduled(folder.results), len(match.schedule), match.labels, names, test)

        num_finished = len(folder.results)

        def finish() -> MatchSummary:
            write_twogtp(match, match.scheduled(folder.results), names, path)
            return summarise_now()

        remaining = match.remaining(folder.results)
        if not remaining or _is_decided(summarise_now()):
            return finish(), False
        log(f"results go to {path}" + (f", which holds {num_finished} games" if num_finished else ""))
        runner = match.prepare_runner(path, len(remaining))
        interrupted = False
        with interrupt_safely(runner), progress_bar(total=len(match.schedule), done=num_finished, unit="game") as bar:

            def keep_game(played: PlayedGame) -> bool:
                match.keep(folder, played)
                summary = summarise_now()
                bar.set_postfix_str(render_progress(summary), refresh=False)
                bar.update()
                return not _is_decided(summary)

            try:
                names.update(runner.check_engines())
                runner.play(remaining, keep_game)
            except KeyboardInterrupt:
                interrupted = True
            except MatchAborted:
                finish()
                raise
        return finish(), interrupted


def _is_decided(summary: MatchSummary) -> bool:
    return summary.verdict is not None and summary.verdict.accepted is not None
