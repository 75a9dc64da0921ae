"""Players, reports, policies, networks and matches through the front door."""

import xml.etree.ElementTree
from pathlib import Path

import numpy as np
import pytest

import miai
from miai.players.player import Budget
from miai.players.player import Player as EnginePlayer


@pytest.fixture(scope="module")
def player() -> miai.Player:
    return miai.Player("fuego", simulations=60, seed=1)


def test_a_search_reports_and_leaves_the_game_alone(player: miai.Player) -> None:
    game = miai.Game(5)
    report = player.search(game)
    assert game.moves == ()
    assert report.simulations == 60
    assert report.best is report.candidates[0]
    assert game.is_legal(report.best.move)
    assert report.best.variation[0] == report.best.move
    assert sum(one.visits for one in report.candidates) <= 61
    assert report.ownership.shape == (5, 5)
    assert report.to_play == "black"


def test_the_same_seed_searches_the_same() -> None:
    game = miai.Game(5).play("C3")
    first, second = (miai.Player("fuego", simulations=60, seed=7).search(game) for _ in range(2))
    assert [(one.move, one.visits) for one in first.candidates] == [(one.move, one.visits) for one in second.candidates]


def test_a_budget_of_the_call_takes_the_place_of_the_players(player: miai.Player) -> None:
    player.new_game()
    assert player.search(miai.Game(5), simulations=10).simulations == 10


def test_a_limit_that_the_call_does_not_name_stays_the_players(monkeypatch: pytest.MonkeyPatch) -> None:
    given = []
    report = miai.Player("fuego", simulations=1).search(miai.Game(5)).detail
    monkeypatch.setattr(EnginePlayer, "search", lambda self, game, color, budget: given.append(budget) or report)
    for options, called in (
        ({"time": 0.5}, {"simulations": 10}),
        ({"simulations": 10}, {"time": 0.5}),
        ({}, {"time": 0.5}),
        ({"time": 0.5, "simulations": 10}, {}),
    ):
        miai.Player("fuego", **options).search(miai.Game(5), **called)
    assert given == [Budget(10, 0.5), Budget(10, 0.5), Budget(None, 0.5), Budget(10, 0.5)]


@pytest.mark.parametrize(
    "limit", [{"simulations": 0}, {"simulations": -5}, {"time": 0}, {"time": -1.0}, {"time": "long"}]
)
def test_a_limit_of_the_call_that_is_none_is_refused(player: miai.Player, limit) -> None:
    with pytest.raises(ValueError, match=f"{next(iter(limit))}: .* is not allowed"):
        player.search(miai.Game(5), **limit)


def test_a_report_shows_a_table_and_a_board(player: miai.Player) -> None:
    report = player.search(miai.Game(5))
    assert report.best.move in str(report)
    assert "win rate" in str(report)
    html = report._repr_html_()
    picture = html[html.index("<svg") : html.index("</svg>") + len("</svg>")]
    assert xml.etree.ElementTree.fromstring(picture).tag.endswith("svg")
    assert "<table>" in html


def test_two_players_play_a_game_to_its_end() -> None:
    game = miai.Game(5)
    with miai.Player("fuego", simulations=30, seed=1, resign_below=0.0) as player:
        while not game.is_over and len(game.moves) < 75:
            assert player.play(game) != "resign"
    assert game.is_over


def test_wrong_options_are_named() -> None:
    for options, words in (
        ({"preset": "fuegoo"}, "did you mean 'fuego'"),
        ({"simulations": 0}, "simulations"),
        ({"colour": "red"}, "colour"),
        ({"parameters": {"rave.nothing": 1}}, "rave.nothing"),
        ({"select": "uct", "size": 5}, "size"),
    ):
        with pytest.raises(ValueError, match=words):
            miai.Player(**options).search(miai.Game(5))


def test_a_policy_tells_its_exact_probabilities() -> None:
    game = miai.Game(5).set_up(black=["C3"], white=["C4", "B3", "D3"], to_play="black")
    policy = miai.Policy("random")
    probabilities = policy.probabilities(game)
    assert sum(probabilities.values()) == pytest.approx(1.0)
    assert set(probabilities) <= set(game.legal_moves())
    assert policy.layer(game) == "random"
    summary = policy.playouts(game, 20)
    assert len(summary.scores) == 20
    with pytest.raises(ValueError, match="fuego"):
        miai.Policy("aggressive")


def test_a_network_says_what_it_thinks_of_positions() -> None:
    network = miai.Network("miai")
    games = [miai.Game(9), miai.Game(9).play("E5")]
    first, second = network.evaluate_many(games)
    for game, said in zip(games, (first, second), strict=True):
        assert set(said.policy) == set(game.legal_moves())
        assert sum(said.policy.values()) == pytest.approx(1.0)
        assert said.win + said.draw + said.loss == pytest.approx(1.0, abs=1e-3)
        assert said.ownership.shape == (9, 9) and np.isfinite(said.score)
    assert list(first.policy.values()) == sorted(first.policy.values(), reverse=True)
    with pytest.raises(ValueError, match="one size"):
        network.evaluate_many([miai.Game(9), miai.Game(7)])
    with pytest.raises(ValueError, match="no such file"):
        miai.Network("nowhere.safetensors")


def test_a_match_is_played_and_kept(tmp_path: Path) -> None:
    a, b = "uct-random:simulations=4", "uct-random:simulations=2"
    summary = miai.play_match(a, b, games=2, output=tmp_path / "match", parallel=1, size=5, komi=0.5)
    assert summary.total.games == 2
    assert len(list((tmp_path / "match").rglob("*.sgf"))) == 2
    with pytest.raises(ValueError, match="nobody"):
        miai.play_match("nobody", b)
