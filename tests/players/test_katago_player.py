"""Players with one of KataGo's networks: every evaluator, rule and batching, over GTP, and in lockstep."""

import importlib.util
import math
import subprocess
from pathlib import Path

import pytest

pytest.importorskip("openvino")

from click.testing import CliRunner

from miai.cli import gtp as serve
from miai.engine.go.game import Game
from miai.engine.go.points import BLACK
from miai.gtp.in_process import engine_loop
from miai.gtp.session import Session
from miai.players.options import GameOptions, PlayerOptions
from miai.players.player import Budget, Player
from miai.selfplay.generation.player_generator import make_generator
from miai.selfplay.generation.selfplay_recipe import SelfPlayRecipe
from tests.gtp.conversation import Conversation
from tests.nets.katago.model_writer import ModelWriter, packed, spec_named
from tests.processes import running_miai

SIZE = 5


@pytest.fixture(scope="module")
def net(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return ModelWriter(spec_named("v15-learned")).write(tmp_path_factory.mktemp("net"))


def options(net: Path, **given: object) -> PlayerOptions:
    chosen: dict[str, object] = {"select": "puct", "evaluator": "net", "net": str(net), "seed": 1, "memory": 16}
    return PlayerOptions(**(chosen | {"net_backend": "openvino-float32", "fallback": None} | given))  # type: ignore[arg-type]


@pytest.mark.parametrize("rules", ["tromp-taylor", "chinese"])
@pytest.mark.parametrize(
    ("evaluator", "select", "backup", "batching", "batch"),
    [
        ("net", "puct", "mean", "virtual-loss", 4),
        ("net", "puct", "mean", "virtual-loss", 1),
        ("net", "gumbel", "monotone", "virtual-loss", 4),
        ("net", "esprit", "mean", "waves", 8),
        ("net", "regularized-policy", "softmax", "waves", 8),
        ("net", "puct", "wdl-product", "virtual-loss", 4),
        ("net", "uct", "max", "virtual-loss", 2),
        ("mixed", "rave", "mean", "virtual-loss", 4),
        ("mixed", "esprit", "mean", "waves", 4),
    ],
)
def test_a_search_by_any_rules_gives_what_can_be(
    evaluator: str, select: str, backup: str, batching: str, batch: int, rules: str, net: Path
) -> None:
    from miai.engine.go.rules import RULES

    chosen = options(net, evaluator=evaluator, select=select, backup=backup, batching=batching, batch=batch)
    game = Game(SIZE, 0.5, RULES[rules])
    found = []
    for _ in range(2):
        player = Player(chosen)
        report = player.search(game, BLACK, Budget(60))
        found.append([(move.move, move.visits, move.value) for move in report.moves])
        assert report.simulations >= 60
        assert 0.0 <= report.value <= 1.0
        assert all(0.0 <= move.prior <= 1.0 and math.isfinite(move.score) for move in report.moves)
        assert sum(move.prior for move in report.moves) == pytest.approx(1.0, abs=1e-3)
        player.close()
    assert found[0] == found[1]


def test_rules_that_do_not_fit_are_refused(net: Path) -> None:
    with pytest.raises(ValueError, match="win, draw and loss probabilities"):
        Player(options(net, evaluator="mixed", backup="wdl-product"))
    with pytest.raises(ValueError, match="waves need a search policy"):
        Player(options(net, batching="waves"))


@pytest.mark.parametrize("optimism", [0.0, 0.4])
def test_a_root_is_valued_as_the_network_values_it(optimism: float, net: Path) -> None:
    game = Game(SIZE, 0.5)
    game.play(BLACK, "C3")
    player = Player(options(net, batch=1, parameters={"net.optimism": optimism}))
    network = player.evaluation.raw_network
    assert network is not None
    said, without = (network.evaluate(game, game.to_play, 0, share) for share in (optimism, 0.0))
    report = player.search(game, game.to_play, Budget(1))
    assert report.value == pytest.approx(said.win + said.no_result / 2, abs=1e-5)
    assert report.score == pytest.approx(said.lead, abs=1e-4)
    differences = []
    for move in report.moves:
        place = SIZE * SIZE if move.move == 0 else _index(move.move)
        assert move.prior == pytest.approx(said.policy[place], abs=1e-4)
        differences.append(abs(said.policy[place] - without.policy[place]))
    assert (max(differences) > 1e-3) == (optimism > 0.0)


def test_another_optimism_forgets_what_the_network_said(net: Path) -> None:
    game = Game(SIZE, 0.5)
    player = Player(options(net, batch=1))
    before = {move.move: move.prior for move in player.search(game, BLACK, Budget(1)).moves}
    player.set_parameter("net.optimism", "1")
    player.new_game()
    after = {move.move: move.prior for move in player.search(game, BLACK, Budget(1)).moves}
    assert max(abs(before[move] - after[move]) for move in before) > 1e-3


def _index(move: int) -> int:
    from miai.engine.go.actions import action_of_move

    return int(action_of_move(move, SIZE))


def test_games_over_gtp_on_boards_of_several_sizes(net: Path) -> None:
    with Conversation(engine_loop(Session(options(net, simulations=8, batch=4)))) as client:
        for size in (9, 13):
            assert client.ask(f"boardsize {size}") == "=\n\n"
            for color in "bwbw":
                assert client.ask(f"genmove {color}").startswith("= ")
            assert client.ask("kata-raw-nn 0").startswith("= symmetry 0\n")
        assert client.ask("miai-param net.symmetries 1") == "=\n\n"
        assert client.ask("genmove b").startswith("= ")


@pytest.mark.parametrize("named", [{}, {"select": "gumbel"}, {"evaluator": "mixed"}])
def test_self_play_in_lockstep(named: dict[str, object], net: Path) -> None:
    recipe = SelfPlayRecipe(size=SIZE, simulations=6, fast_simulations=2, games_at_once=3)
    games = list(make_generator(options(net, batch=3, **named), recipe).play(range(4)))
    assert sorted(game.number for game in games) == [0, 1, 2, 3]
    assert sum(game.evaluations for game in games) > sum(len(game.record.moves) for game in games) / 2 > 0


def test_a_network_without_suicide_and_one_with_are_told_apart(tmp_path: Path) -> None:
    for name, kind in (("v15-suicide", "katago-suicide"), ("v8", "katago")):
        path = ModelWriter(spec_named(name)).write(tmp_path)
        player = Player(options(path))
        assert player.search(Game(SIZE), BLACK, Budget(5)).simulations >= 5
        from miai.nets.loading import read_net_config

        assert read_net_config(path).planes == kind
        player.close()


@pytest.mark.parametrize("evaluator", ["net", "mixed"])
def test_a_bad_file_is_refused_in_one_line_on_the_command_line(evaluator: str, tmp_path: Path) -> None:
    pieces = ModelWriter(spec_named("v15-learned")).pieces
    for name, pieces_of_it, says in (
        ("short.bin.gz", pieces[:-5], "the file ends before its"),
        ("newer.bin.gz", [pieces[0], b"18\n", *pieces[2:]], "model version 18 is not known (known: 8 to 17)"),
        ("person.bin.gz", [*pieces[:11], b"1\n", *pieces[12:]], "it wants a human player's profile"),
    ):
        path = tmp_path / name
        path.write_bytes(packed(pieces_of_it))
        arguments = ["--select", "puct", "--evaluator", evaluator, "--net", str(path), "--size", "5"]
        result = CliRunner().invoke(serve.command, arguments)
        assert result.exit_code == 2
        assert f"{name}: no network of KataGo's that is known here: " in " ".join(result.output.split())
        assert says in " ".join(result.output.split())
        assert "Traceback" not in result.output


def test_torch_plays_where_it_is_installed_and_is_named_where_not(net: Path) -> None:
    words = ["gtp", "--preset", "net", "--net", str(net), "--net-backend", "torch", "--size", str(SIZE)]
    with running_miai(*words, "--simulations", "4", stdin=subprocess.PIPE) as process:
        told, errors = process.communicate("genmove b\nquit\n", timeout=600)
    if importlib.util.find_spec("torch"):
        assert process.returncode == 0 and told.startswith("= ") and "Traceback" not in errors
    else:
        assert process.returncode == 2 and "torch" in errors and "Traceback" not in errors


def test_a_file_spoilt_while_the_engine_runs_is_told_over_gtp(net: Path, tmp_path: Path) -> None:
    path = tmp_path / "net.bin.gz"
    path.write_bytes(net.read_bytes()[:3000])
    session = Session(options(path, simulations=5), GameOptions(size=SIZE))
    with Conversation(engine_loop(session)) as client:
        for command in ("genmove b", "kata-raw-nn 0", "reg_genmove w"):
            reply = client.ask(command)
            assert reply.startswith("? ") and reply.count("\n") == 2
            assert "net.bin.gz: no network of KataGo's that is known here: the gzip stream is cut short" in reply
        assert client.ask("name").startswith("= ")
