"""What a search found at its root, as arrays."""

import numpy as np
import pytest

from miai.engine.go.game import Game
from miai.engine.go.points import BLACK, PASS
from miai.engine.search.tree import ROOT
from miai.players.options import PlayerOptions
from miai.players.player import Player


def _player(select: str) -> Player:
    return Player(PlayerOptions(select=select, seed=1, memory=16))


def test_shares_are_those_of_the_visits() -> None:
    player, game = _player("puct"), Game(5)
    found = player.search_root(game, BLACK, 100, early_stop=False)
    tree = player.search_on(5).tree
    children = tree.children(ROOT)
    visits = tree["visits"][children.start : children.stop]
    np.testing.assert_allclose(found.policy, visits / visits.sum())
    assert found.simulations == 100 and set(found.moves.tolist()) == {*game.legal_points(BLACK), PASS}
    assert found.priors.sum() == pytest.approx(1.0)
    assert 0.0 < found.value < 1.0 and -32.0 <= found.score <= 18.0


def test_gumbel_learns_its_own_shares_without_the_noise_on_its_choice() -> None:
    player = _player("gumbel")
    player.set_root_noise(np.random.default_rng(1))
    found = player.search_root(Game(5), BLACK, 32, early_stop=False)
    search = player.search_on(5)
    with_noise = search.policy(ROOT)
    assert not np.allclose(found.policy, with_noise)
    player.set_root_noise(None)
    found = player.search_root(Game(5), BLACK, 32, early_stop=False)
    np.testing.assert_allclose(found.policy, search.policy(ROOT))


def test_exploring_changes_the_prior_probabilities_of_the_root_until_it_ends() -> None:
    plain = _player("puct").search_root(Game(5), BLACK, 10, early_stop=False)
    player = _player("puct")
    player.set_root_noise(np.random.default_rng(1))
    noisy = player.search_root(Game(5), BLACK, 10, early_stop=False)
    assert not np.allclose(plain.priors, noisy.priors)
    assert noisy.priors.sum() == pytest.approx(1.0, abs=1e-4)
    player.set_root_noise(None)
    player.new_game()
    np.testing.assert_allclose(player.search_root(Game(5), BLACK, 10, early_stop=False).priors, plain.priors)


def test_so_many_simulations_are_done_as_are_asked_for_but_at_least_one() -> None:
    player = _player("rave")
    player.set_parameter("search.expand_at", "50")
    for asked, done in ((0, 1), (1, 1), (10, 10)):
        player.new_game()
        found = player.search_root(Game(5), BLACK, asked, early_stop=True)
        assert found.simulations == done and len(found.moves) == 26
