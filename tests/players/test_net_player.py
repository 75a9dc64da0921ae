"""Players with a network: through GTP, with every budget, and refused in one line where they cannot be."""

import threading
from pathlib import Path

import pytest

pytest.importorskip("torch")

import torch
from click.testing import CliRunner

from miai.cli import gtp as serve
from miai.engine.go.game import Game
from miai.engine.go.points import BLACK, RESIGN, WHITE
from miai.gtp.in_process import engine_loop
from miai.gtp.session import Session
from miai.match.contestants import read_contestant
from miai.players.options import GameOptions, PlayerOptions
from miai.players.player import Budget, Player
from tests.gtp.conversation import Conversation
from tests.nets.tiny import TINY, TINY_LI_LIM, save_tiny

SIZE = 5


@pytest.fixture(scope="module")
def net(tmp_path_factory) -> str:
    return save_tiny(tmp_path_factory.mktemp("net") / "tiny.safetensors")


def options(net: str, **given) -> PlayerOptions:
    chosen = {"select": "puct", "evaluator": "net", "net": net, "net_backend": "torch", "seed": 1, "memory": 16}
    return PlayerOptions(**{**chosen, **given})


@pytest.mark.parametrize("evaluator", ["net", "mixed"])
def test_a_game_over_gtp_is_the_same_again_from_the_same_seed(net: str, evaluator: str) -> None:
    games = []
    for _ in range(2):
        session = Session(options(net, evaluator=evaluator, simulations=40, batch=4), GameOptions(size=SIZE))
        with Conversation(engine_loop(session)) as conversation:
            moves = [conversation.ask(f"genmove {color}") for color in "bwbwbw"]
            assert all(move.startswith("= ") for move in moves), moves
            assert "net.virtual_loss" in conversation.ask("miai-param")
            assert conversation.ask("miai-param net.virtual_loss 3") == "=\n\n"
            assert conversation.ask("miai-param net.symmetries 1") == "=\n\n"
            for name in ("net.mix", "playouts.mercy"):
                assert (name in conversation.ask("miai-param")) == (evaluator == "mixed")
            moves.append(conversation.ask("genmove b"))
            conversation.send("lz-analyze w 1")
            assert conversation.read_line() == "="
            assert conversation.read_line().startswith("info move ")
            games.append(moves)
    assert games[0] == games[1]


@pytest.mark.parametrize(("visits_per_leaf", "collides"), [(16.0, False), (0.0, True)])
def test_batches_are_small_while_the_tree_is(net: str, visits_per_leaf: float, collides: bool) -> None:
    player = Player(options(net, batch=8, parameters={"net.visits_per_leaf": visits_per_leaf}))
    player.choose(Game(SIZE), BLACK, Budget(20))
    assert (player.search_on(SIZE).counts["collisions"] > 0) == collides


def test_budgets_interruption_and_the_kept_tree_work_as_with_playouts(net: str) -> None:
    player = Player(options(net, batch=4))
    game = Game(SIZE)
    report = player._search_position(game, BLACK, Budget(101), None, 0.0, None, early_stop=False)
    assert report.simulations == report.visits == 101
    assert sum(move.visits for move in report.moves) == 100
    assert sum(move.prior for move in report.moves) == pytest.approx(1.0, abs=1e-4)
    move = report.moves[0]
    game.play(BLACK, move.move)
    kept = player._search_position(game, WHITE, Budget(20), None, 0.0, None, early_stop=False)
    assert kept.visits == move.visits + 20
    stop = threading.Event()
    stop.set()
    player.new_game()
    assert 1 <= player.choose(game, WHITE, Budget(100_000), stop=stop).report.simulations < 100
    reports = []
    player.choose(game, WHITE, Budget(seconds=0.2), reports.append, 0.01)
    assert reports and reports[-1].ownership.any()
    decided = player.choose(game, WHITE, Budget(5000)).report
    assert decided.simulations <= 5000
    player.close()


def test_playouts_have_their_share_in_the_mixed_evaluator(net: str) -> None:
    def root_value(**given) -> float:
        player = Player(options(net, evaluator="mixed", batch=1, **given))
        return player._search_position(Game(SIZE), BLACK, Budget(1), None, 0.0, None, early_stop=False).value

    alone = Player(options(net))._search_position(Game(SIZE), BLACK, Budget(1), None, 0.0, None, early_stop=False).value
    assert root_value(mix=0.0) == pytest.approx(alone)
    playout = root_value(mix=1.0)
    assert playout in (0.0, 0.5, 1.0)
    assert root_value(mix=0.25) == pytest.approx(0.75 * alone + 0.25 * playout)


def test_rave_learns_from_the_playouts_of_the_mixed_evaluator(net: str) -> None:
    player = Player(options(net, select="rave", evaluator="mixed"))
    player._search_position(Game(SIZE), BLACK, Budget(30), None, 0.0, None, early_stop=False)
    tree = player._search.tree
    children = tree.children(0)
    assert tree["amaf_visits"][children.start : children.stop].sum() > 30 * 3
    player.close()


def test_what_cannot_be_is_refused_in_one_line(net: str, tmp_path: Path) -> None:
    broken = tmp_path / "broken.safetensors"
    broken.write_bytes(Path(net).read_bytes()[:200])
    other_size = save_tiny(tmp_path / "li-lim.safetensors", TINY_LI_LIM)
    base = ["--select", "puct", "--evaluator", "net", "--size", "5"]
    for arguments, words in (
        (["--net", "li-lim"], ["plays on 9x9 boards only, not 5x5"]),
        (["--net", str(tmp_path / "none")], ["none: there is no such file"]),
        (["--net", str(broken)], ["broken.safetensors", "damaged"]),
        (["--net", other_size, "--size", "9"], ["plays on 5x5 boards only, not 9x9"]),
        (["--net", net, "--batching", "waves"], ["waves need a search policy", "puct has not", "esprit"]),
        (
            ["--net", net, "--net-backend", "abacus"],
            ["abacus", "torch, torch-bfloat16, openvino, openvino-float32, openvino-int8, or none"],
        ),
        (["--preset", "net", "--net", str(broken)], ["broken.safetensors", "damaged"]),
        (["--net", net, "--batch", "0"], ["from 1 to 1024"]),
        (["--net", other_size, "--select", "crazystone", "--backup", "mix"], ["scores in points"]),
        (["--net", net, "--evaluator", "mixed", "--backup", "wdl-product"], ["win, draw and loss probabilities"]),
    ):
        result = CliRunner().invoke(serve.command, [*base, *arguments])
        assert result.exit_code == 2, (arguments, result.output)
        assert all(word in " ".join(result.output.split()) for word in words), result.output
        assert "Traceback" not in result.output


def test_a_size_the_network_does_not_do_is_refused_over_gtp(tmp_path: Path) -> None:
    li_lim = save_tiny(tmp_path / "li-lim.safetensors", TINY_LI_LIM)
    with Conversation(engine_loop(Session(options(li_lim, simulations=5), GameOptions(size=5)))) as conversation:
        assert "unacceptable size" in conversation.ask("boardsize 9") and "5x5" not in conversation.ask("showboard")
        assert conversation.ask("genmove b").startswith("= ")


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"conv.weight": torch.nan}, "array 'conv.weight' holds numbers that are not finite"),
        ({"conv.weight": 3e38}, "array 'conv.weight' holds 3e+38 to 3e+38"),
        ({"conv.weight": None}, "lacks array 'conv.weight'"),
        ({"conv.weight": None, "conv.weights": 0.0}, "lacks array 'conv.weight'"),
    ],
)
def test_damage_in_the_weights_is_told_at_the_start(changes, words: str, net: str, tmp_path: Path) -> None:
    from safetensors import safe_open
    from safetensors.torch import save_file

    with safe_open(net, framework="pt") as file:
        metadata = file.metadata()
        tensors = {name: file.get_tensor(name) for name in file.keys()}
    shape = tensors["conv.weight"].shape
    tensors |= {name: value if value is None else torch.full(shape, value) for name, value in changes.items()}
    spoilt = tmp_path / "spoilt.safetensors"
    save_file({name: tensor for name, tensor in tensors.items() if tensor is not None}, spoilt, metadata)
    result = CliRunner().invoke(serve.command, ["--preset", "net", "--net", str(spoilt), "--size", "5"])
    assert result.exit_code == 2
    assert f"spoilt.safetensors: {words}" in result.output.splitlines()[-1]


def test_a_contestant_takes_the_network_with_its_options(net: str) -> None:
    contestant = read_contestant(f"puct:evaluator=net,net={net},batch=16,batching=virtual-loss")
    assert contestant.options is not None
    assert contestant.options.batch == 16


def test_a_whole_game_ends(net: str) -> None:
    assert TINY.size is None
    player, game = Player(options(net, batch=4)), Game(SIZE)
    while not game.is_over and len(game.moves) < 120:
        move = player.choose(game, game.to_play, Budget(20)).move
        if move == RESIGN:
            break
        game.play(game.to_play, move)
    assert len(game.moves) < 120
