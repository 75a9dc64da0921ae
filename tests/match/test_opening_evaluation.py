"""Generated openings are fair: judged by a search, in the same way every time, and each no more than once."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from miai.cli.match import command
from miai.engine.go.points import move_at
from miai.match.opening_evaluation import OPENINGS_FILE, SIMULATIONS, WINDOW, OpeningEvaluator
from miai.match.openings import Opening, OpeningError, canonical_position, generate_openings
from miai.players.options import GameOptions
from tests.cli.test_match import fake, read_results


class FakeSearch:
    """Gives an opening a value that depends on its moves only, and counts."""

    def __init__(self) -> None:
        self.searched: list[Opening] = []

    def __call__(self, opening: Opening) -> float:
        """Return a number from 0 to 0.99."""
        self.searched.append(opening)
        return sum(7 * index * move for index, move in enumerate(opening, start=1)) % 100 / 100


def generate(count: int, search: FakeSearch, low: float = 0.4, high: float = 0.6, seed: int = 1) -> list[Opening]:
    evaluator = OpeningEvaluator(GameOptions(), search)
    return generate_openings(count, 9, (2, 4), seed, lambda opening: low <= evaluator.value(opening) <= high)


def test_only_openings_in_the_window_are_taken() -> None:
    search = FakeSearch()
    openings = generate(60, search)
    assert all(0.4 <= FakeSearch()(opening) <= 0.6 for opening in openings)
    assert 120 < len(search.searched) < 600


def test_fair_openings_are_those_of_all_openings_in_the_same_order() -> None:
    every = generate_openings(1000, 9, (2, 4), seed=1)
    fair = generate(60, FakeSearch())
    assert fair == [opening for opening in every if 0.4 <= FakeSearch()(opening) <= 0.6][:60]


def test_a_longer_list_begins_with_a_shorter_one() -> None:
    assert generate(80, FakeSearch())[:30] == generate(30, FakeSearch())
    assert generate(30, FakeSearch(), seed=2) != generate(30, FakeSearch())


def test_fair_openings_are_distinct_up_to_symmetry_and_none_is_judged_twice() -> None:
    search = FakeSearch()
    assert len({canonical_position(opening, 9) for opening in generate(300, search)}) == 300
    assert len({canonical_position(opening, 9) for opening in search.searched}) == len(search.searched)


def test_a_board_without_fair_openings_is_named() -> None:
    with pytest.raises(OpeningError, match=r"found only 0 fair openings of 1 ply on 3x3.*--opening-window 0 1$"):
        generate_openings(1, 3, (1, 1), 1, lambda opening: False)
    one = iter([True] + 5 * [False])
    with pytest.raises(OpeningError, match=r"found only 1 fair openings of 1 ply on 9x9.*at most 2 games"):
        generate_openings(2, 9, (1, 1), 1, lambda opening: next(one))


def test_a_window_that_nothing_falls_into_ends_the_judging() -> None:
    search = FakeSearch()
    with pytest.raises(OpeningError, match="found only 0 fair openings"):
        generate(1, search, 2.0, 3.0)
    assert len(search.searched) < 400


def test_kept_values_are_not_searched_again(tmp_path: Path) -> None:
    file = tmp_path / OPENINGS_FILE
    first = OpeningEvaluator(GameOptions(), FakeSearch())
    openings = generate_openings(20, 9, (2, 4), 1)
    values = [first.value(opening) for opening in openings]
    first.save(file)
    search = FakeSearch()
    second = OpeningEvaluator(GameOptions(), search)
    second.load(file)
    assert [second.value(opening) for opening in openings] == values
    assert search.searched == []
    before = file.read_bytes()
    second.save(file)
    assert file.read_bytes() == before


@pytest.mark.parametrize("game", [GameOptions(komi=5.5), GameOptions(size=7), GameOptions(rules="chinese")])
def test_values_of_other_games_are_left_aside(tmp_path: Path, game: GameOptions) -> None:
    opening = (move_at("E5", 9), move_at("C3", 9))
    first = OpeningEvaluator(GameOptions(), lambda opening: 0.25)
    first.value(opening)
    first.save(tmp_path / OPENINGS_FILE)
    second = OpeningEvaluator(game, lambda opening: 0.75)
    second.load(tmp_path / OPENINGS_FILE)
    assert second.value(opening) == 0.75


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"judge": 1, "values": 2}'])
def test_a_damaged_file_is_left_aside(tmp_path: Path, text: str) -> None:
    (tmp_path / OPENINGS_FILE).write_text(text)
    evaluator = OpeningEvaluator(GameOptions(), lambda opening: 0.75)
    evaluator.load(tmp_path / OPENINGS_FILE)
    assert evaluator.value((move_at("E5", 9),)) == 0.75


def test_the_search_judges_the_same_way_every_time_and_sees_who_is_ahead() -> None:
    fair, black, white = ((move_at(vertex, 9) for vertex in words.split()) for words in ("E5 E3", "E5 A1", "A1 E5"))
    values = [OpeningEvaluator(GameOptions()).value(tuple(moves)) for moves in (fair, black, white)]
    assert values[2] < values[0] < values[1]
    evaluator = OpeningEvaluator(GameOptions())
    again = [evaluator.value(tuple(move_at(vertex, 9) for vertex in words.split())) for words in ("A1 E5", "E5 E3")]
    assert again == [values[2], values[0]]


def test_komi_moves_the_values() -> None:
    opening = (move_at("E5", 9), move_at("E3", 9))
    low, high = (OpeningEvaluator(GameOptions(komi=komi)).value(opening) for komi in (15.0, 0.0))
    assert low < WINDOW[0] < WINDOW[1] < high


def test_a_match_judges_its_openings_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    search = FakeSearch()
    monkeypatch.setattr(OpeningEvaluator, "_search_opening", lambda self, opening: search(opening))
    words = [fake(), fake(), "--output", str(tmp_path), "--parallel", "2", "--opening-window", "0.4", "0.6", "--games"]
    assert CliRunner().invoke(command, [*words, "4"]).exit_code == 0
    expected = generate(4, FakeSearch())
    num_searched = len(search.searched)
    kept = json.loads((tmp_path / OPENINGS_FILE).read_text())
    assert len(kept["values"]) == num_searched
    assert f"{SIMULATIONS} simulations give Black 0.4 to 0.6" in (tmp_path / "settings.json").read_text()
    assert CliRunner().invoke(command, [*words, "4"]).exit_code == 0
    assert len(search.searched) == num_searched
    assert CliRunner().invoke(command, [*words, "8"]).exit_code == 0
    assert len(search.searched) == len(set(search.searched)) > num_searched
    played = {result.pair: result.moves[: result.opening_length] for result in read_results(tmp_path)}
    assert {pair: tuple(move_at(move, 9) for move in moves) for pair, moves in played.items()} == dict(
        enumerate(expected, start=1)
    )
    words[-2] = "0.7"
    ended = CliRunner().invoke(command, [*words, "4"])
    assert "holds a match with other settings" in ended.stderr


def test_who_interrupts_the_judging_loses_no_value(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    search = FakeSearch()

    def interrupted(self: OpeningEvaluator, opening: Opening) -> float:
        if len(search.searched) == 5:
            raise KeyboardInterrupt
        return search(opening)

    monkeypatch.setattr(OpeningEvaluator, "_search_opening", interrupted)
    words = [fake(), fake(), "--output", str(tmp_path / "new"), "--opening-window", "0.4", "0.6", "--games", "8"]
    assert CliRunner().invoke(command, words).exit_code == 1
    assert len(json.loads((tmp_path / "new" / OPENINGS_FILE).read_text())["values"]) == 5
    monkeypatch.setattr(OpeningEvaluator, "_search_opening", lambda self, opening: search(opening))
    assert CliRunner().invoke(command, words).exit_code == 0
    assert len(search.searched) == len(set(search.searched)) > 5
