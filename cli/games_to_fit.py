"""What strengths are fitted to: games as they were played, or positions that a teacher has labelled."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

from miai.engine.go.actions import move_of_action
from miai.engine.go.game_files import positions_of_game, read_games
from miai.engine.log import log
from miai.fitting.fit_report import FitError
from miai.selfplay.data.format import DataError, GameFile, game_files
from miai.selfplay.data.format import read_games as read_data
from miai.selfplay.data.sgf import game_of_record
from miai.selfplay.training.samples import find_fault


class GameToFit(NamedTuple):
    """A game."""

    size: int
    positions: Callable[[], Iterator[tuple[np.void, int | None]]]
    """Yields each position, as a board that is overwritten by the next, and the move to learn: the one played, or the
    teacher's best; None where there is no label."""


def read_games_to_fit(folder: Path) -> tuple[list[GameToFit], int]:
    """Return the games of a folder, and how many files and labelled games could not be read; those are named.

    A folder of game data has labels; any other one is searched for SGF.

    Raises:
        FitError: if there are too few games to learn from some and to test on others, or no labels.
    """
    paths = game_files(folder)
    games, num_broken = _read_labelled(folder, paths) if paths else _read_sgf(folder)
    if len(games) < 2:
        raise FitError(f"{len(games)} readable games in {folder}, {num_broken} broken: too few")
    return games, num_broken


def _read_sgf(folder: Path) -> tuple[list[GameToFit], int]:
    games, num_broken = read_games(folder)
    return [GameToFit(game.size, partial(positions_of_game, game)) for _, game, _ in games], num_broken


def _read_labelled(folder: Path, paths: list[Path]) -> tuple[list[GameToFit], int]:
    games = []
    num_broken = num_unlabelled = 0
    for path in paths:
        try:
            file = read_data(path)
        except DataError as error:
            log(str(error))
            num_broken += 1
            continue
        if (fault := find_fault(file)) is not None:
            log(f"{path}: {fault}")
            num_broken += 1
            continue
        best = file.label_policy.argmax(axis=1)
        for index, head in enumerate(file.games):
            labels = file.label[head["first"] : head["first"] + head["num_moves"]]
            if not (labels >= 0).any():
                num_unlabelled += 1
                continue
            try:
                game_of_record(file.game(index))
            except ValueError as error:
                log(f"{path}: game {index + 1}: {error}")
                num_broken += 1
                continue
            actions = [int(best[label]) if label >= 0 else None for label in labels]
            games.append(GameToFit(int(head["size"]), partial(_labelled_positions, file, index, actions)))
    if not games and num_unlabelled:
        raise FitError(f"the games in {folder} have no labels: see miai label")
    return games, num_broken


def _labelled_positions(file: GameFile, index: int, actions: list[int | None]) -> Iterator[tuple[np.void, int | None]]:
    game = game_of_record(file.game(index))
    for (board, _), action in zip(positions_of_game(game), actions, strict=True):
        yield board, None if action is None else int(move_of_action(action, game.size))
