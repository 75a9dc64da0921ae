"""The openings that the options name: from files, none, or generated ones that a search judges fair."""

import hashlib
from pathlib import Path

from miai.engine.go.rules import RULES
from miai.engine.progress import progress_bar
from miai.match.match_options import MatchOptions
from miai.match.opening_evaluation import OPENINGS_FILE, WINDOW, OpeningEvaluator, describe_window, takes_all
from miai.match.openings import Opening, OpeningError, generate_openings, load_openings
from miai.match.schedule import count_pairs


class OpeningChoice:
    """Openings for as many games as were asked for."""

    def __init__(self, options: MatchOptions) -> None:
        """Read the files, if any.

        Raises:
            ValueError: if the openings cannot be had or the number of games is odd.
        """
        self._options = options
        self._count = count_pairs(options.games)
        self._plies = options.opening_plies or (2, 4)
        self._evaluator = OpeningEvaluator(options.game)
        self._of_files: list[Opening] = []
        self.description = self._read_files() if options.opening_files else self._describe_generated()
        """What the openings are, in words."""

    def draw(self, folder: Path) -> list[Opening]:
        """Return the openings, none for the empty board; what `save` kept in the folder is not evaluated again.

        Who interrupts it loses none of the values.

        Raises:
            OpeningError: if there are not as many.
        """
        if self._options.opening_files:
            return self._of_files
        self._evaluator.load(folder / OPENINGS_FILE)
        try:
            return self._generate()
        except KeyboardInterrupt:
            folder.mkdir(parents=True, exist_ok=True)
            self.save(folder)
            raise

    def save(self, folder: Path) -> None:
        """Keep in a folder how the openings were evaluated."""
        self._evaluator.save(folder / OPENINGS_FILE)

    def _describe_generated(self) -> str:
        fewest, most = self._plies
        return f"generated openings of {fewest}-{most} plies" + describe_window(self._options.opening_window)

    def _read_files(self) -> str:
        files, plies = self._options.opening_files, self._options.opening_plies
        if self._options.opening_window != WINDOW and not takes_all(self._options.opening_window):
            raise OpeningError("--opening-window: only generated openings are judged (allowed: without --openings)")
        if "none" in files:
            if len(files) > 1:
                raise OpeningError("--openings is either none or SGF files, not both")
            if plies:
                raise OpeningError("--opening-plies: the empty board has no moves (allowed: without --openings none)")
            return "no openings"
        if plies and plies[0] != plies[1]:
            raise OpeningError("--opening-plies: files' games are cut after a number of moves (allowed: such as 4)")
        paths = [path for name in files for path in _sgf_files(Path(name))]
        game = self._options.game
        openings = load_openings(paths, game.size, RULES[game.rules], plies[1] if plies else None)
        if self._count > len(openings):
            raise OpeningError(
                f"{2 * self._count} games need {self._count} openings, and --openings has {len(openings)}"
            )
        self._of_files = openings
        digest = hashlib.sha256(repr(openings).encode()).hexdigest()[:8]
        return f"{len(openings)} openings of files ({digest})"

    def _generate(self) -> list[Opening]:
        """Draw openings, with a progress bar if it takes long."""
        size, seed, window = self._options.game.size, self._options.seed, self._options.opening_window
        if takes_all(window):
            return generate_openings(self._count, size, self._plies, seed)
        with progress_bar(
            total=self._count, description="evaluating openings", unit="opening", is_fleeting=True
        ) as bar:

            def is_fair(opening: Opening) -> bool:
                fair = window[0] <= self._evaluator.value(opening) <= window[1]
                bar.update(fair)
                return fair

            return generate_openings(self._count, size, self._plies, seed, is_fair)


def _sgf_files(path: Path) -> list[Path]:
    """Return the SGF files of a folder, by name, as gogui-twogtp takes openings; a file is itself.

    Raises:
        OpeningError: if there are none.
    """
    if not path.is_dir():
        return [path]
    if found := sorted(path.glob("*.sgf")):
        return found
    raise OpeningError(f"{path} holds no SGF files")
