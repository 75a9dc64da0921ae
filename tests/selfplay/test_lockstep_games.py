"""Games in lockstep with a network."""

from pathlib import Path

import numpy as np
import pytest

from miai.engine.search.root import RootStatistics
from miai.engine.search.tree import ROOT
from miai.players.options import PlayerOptions
from miai.players.player import Player
from miai.selfplay.generation.game import game_seed
from miai.selfplay.generation.generator import FinishedGame
from miai.selfplay.generation.player_generator import PlayerGenerator, make_generator
from miai.selfplay.generation.selfplay_recipe import SelfPlayRecipe
from miai.selfplay.generation.workers import LocalWorkers

pytest.importorskip("torch")
pytest.importorskip("safetensors")
RECIPE = SelfPlayRecipe(
    size=5, simulations=6, fast_simulations=2, full_search_fraction=0.5, games_at_once=4, net_version=3
)


def _options(folder: Path, **named: object) -> PlayerOptions:
    from tests.nets.tiny import save_tiny

    net = save_tiny(folder / "net.safetensors")
    return PlayerOptions(**{"select": "puct", "evaluator": "net", "net": net, "batch": 1, "memory": 16} | named)  # type: ignore[arg-type]


def _check(games: list[FinishedGame], number: int) -> None:
    assert sorted(game.number for game in games) == list(range(number))
    assert any(target is not None for game in games for target in game.record.targets)
    for game in games:
        record = game.record
        assert record.seed == game_seed(1, game.number) and record.net_version == 3
        searched = [value for value in record.root_values if not np.isnan(value)]
        assert searched and all(0.0 <= value <= 1.0 for value in searched)
        assert game.simulations >= 2 * len(searched)
    assert sum(game.evaluations for game in games) >= sum(len(game.record.moves) for game in games) / 2
    assert all(0.0 < game.network_seconds < game.seconds for game in games if game.evaluations)


@pytest.mark.parametrize("named", [{}, {"select": "gumbel"}, {"evaluator": "mixed"}])
def test_games_in_lockstep_are_whole_and_each_is_played_once(tmp_path: Path, named: dict[str, object]) -> None:
    _check(list(make_generator(_options(tmp_path, **named), RECIPE).play(range(7))), 7)


def test_fewer_games_than_places_are_played_too(tmp_path: Path) -> None:
    _check(list(make_generator(_options(tmp_path), RECIPE).play(range(2))), 2)


def test_games_in_lockstep_begin_as_those_of_a_single_player(tmp_path: Path) -> None:
    options = _options(tmp_path)
    together = {game.number: game.record for game in make_generator(options, RECIPE).play(range(4))}
    for game in PlayerGenerator(options, RECIPE).play(range(4)):
        other = together[game.number]
        assert game.record.komi == other.komi
        assert game.record.moves[:1] == other.moves[:1]


def test_processes_share_the_games(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2]))
    _check(list(LocalWorkers(_options(tmp_path), RECIPE, 2).play(range(11))), 11)


def test_only_searches_to_learn_from_have_noise(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []

    def read_root(player: Player, simulations: int) -> RootStatistics:
        tree = player.search_on(5).tree
        seen.append((simulations, bool(tree["noise"][tree.children(ROOT).start :][:5].any())))
        return kept(player, simulations)

    kept = Player.read_root
    monkeypatch.setattr(Player, "read_root", read_root)
    list(make_generator(_options(tmp_path, select="gumbel"), RECIPE).play(range(4)))
    assert set(seen) <= {(6, True), (2, False), (1, False)} and len(set(seen)) >= 2


def test_a_generator_plays_again(tmp_path: Path) -> None:
    generator = make_generator(_options(tmp_path), RECIPE)
    first = [game.record.moves for game in sorted(generator.play(range(3)))]
    second = [game.record.moves for game in sorted(generator.play(range(3)))]
    assert first == second
