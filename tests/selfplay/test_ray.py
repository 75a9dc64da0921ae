"""Self-play on a Ray cluster of several nodes, one of which is lost on the way."""

import hashlib
from pathlib import Path

import pytest

from miai.players.options import PlayerOptions
from miai.selfplay.generation.player_generator import PlayerGenerator
from miai.selfplay.generation.selfplay_recipe import SelfPlayRecipe
from miai.selfplay.generation.workers import WorkersFailed

ray = pytest.importorskip("ray")
ROOT = Path(__file__).parents[2]
OPTIONS = PlayerOptions(simulations=12, memory=16)
RECIPE = SelfPlayRecipe(size=5, simulations=12, fast_simulations=4, full_search_fraction=0.5)


@pytest.mark.slow
def test_games_of_a_lost_node_are_played_again(monkeypatch: pytest.MonkeyPatch) -> None:
    from ray.cluster_utils import Cluster

    from miai.selfplay.generation.ray_workers import RayWorkers

    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
    try:
        other = cluster.add_node(num_cpus=1)
        finished = {}
        for game in RayWorkers(OPTIONS, RECIPE, cluster.address).play(range(40)):
            assert game.number not in finished
            finished[game.number] = game.record
            if len(finished) == 3:
                cluster.remove_node(other, allow_graceful=False)
    finally:
        cluster.shutdown()
    assert sorted(finished) == list(range(40))
    for game in PlayerGenerator(OPTIONS, RECIPE).play(range(0, 40, 7)):
        assert finished[game.number].moves == game.record.moves


@pytest.mark.slow
def test_an_error_in_a_game_ends_the_run_with_the_reason() -> None:
    from miai.selfplay.generation.ray_workers import RayWorkers

    options = PlayerOptions(parameters={"rave.nothing": 1})
    with pytest.raises(WorkersFailed, match="there is no search parameter 'rave.nothing'"):
        list(RayWorkers(options, RECIPE, "local").play(range(2)))


def test_a_cluster_that_is_not_there_is_named() -> None:
    from miai.selfplay.generation.ray_workers import RayWorkers

    with pytest.raises(WorkersFailed, match="no Ray cluster|cannot connect to a Ray cluster at 'auto'"):
        RayWorkers(OPTIONS, RECIPE, "auto")


@pytest.mark.parametrize("name", ["net.safetensors", "folder/b10.bin.gz"])
def test_a_network_becomes_a_file_on_every_machine_of_the_same_format(name: str) -> None:
    from miai.engine.ray_cluster import local_copy

    content = b"weights of a test"
    path = local_copy(name, content)
    try:
        assert path.read_bytes() == content and hashlib.sha256(content).hexdigest()[:16] in path.name
        assert path.name.endswith(Path(name).name)
    finally:
        path.unlink()
