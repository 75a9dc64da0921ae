"""Every preset plays through GTP, and what makes no sense is refused before anything is loaded for long."""

import re

import pytest
from click.testing import CliRunner

from miai.cli import gtp as serve
from miai.engine.go.points import MAX_KOMI
from miai.gtp.in_process import engine_loop
from miai.gtp.session import Session
from miai.players.options import resolve_options
from miai.players.presets import PRESETS
from miai.players.warm_up import NUM_WARM_UP_STEPS, warm_up
from tests.gtp.conversation import Conversation


@pytest.mark.parametrize("preset", PRESETS)
def test_a_preset_plays_and_analyzes(preset: str) -> None:
    given = {"simulations": 60, "seed": 1, "memory": 32, "size": 5, "resign_below": 0.0, "time": 30.0}
    player_options, game_options = resolve_options(preset, None, given)
    assert len(list(warm_up(player_options, 5))) == NUM_WARM_UP_STEPS
    with Conversation(engine_loop(Session(player_options, game_options))) as conversation:
        moves = [conversation.ask(f"genmove {color}") for color in "bwbw"]
        assert all(re.fullmatch(r"= ([A-E][1-5]|pass)\n\n", move, re.IGNORECASE) for move in moves), moves
        assert len(set(moves)) >= 3
        conversation.send("lz-analyze b 1")
        assert conversation.read_line() == "="
        line = conversation.read_line()
        rates = [int(rate) for rate in re.findall(r"winrate (\d+)", line)]
        assert line.startswith("info move ") and rates and all(0 <= rate <= 10_000 for rate in rates)
        conversation.send("name")
        while not conversation.read_line().startswith("= miai"):
            pass


@pytest.mark.parametrize("komi", [MAX_KOMI, -MAX_KOMI])
@pytest.mark.parametrize("preset", PRESETS)
def test_numbers_stay_finite_under_the_greatest_komi(preset: str, komi: float) -> None:
    given = {"simulations": 60, "seed": 1, "memory": 32, "size": 5, "time": 30.0, "komi": komi}
    player_options, game_options = resolve_options(preset, None, given)
    assert len(list(warm_up(player_options, 5))) == NUM_WARM_UP_STEPS
    with Conversation(engine_loop(Session(player_options, game_options))) as conversation:
        for line in (
            "kata-genmove_analyze b 1 ownership true rootInfo true pvVisits true",
            "cgos-genmove_analyze w ownership true",
            "gomill-explain_last_move",
            *("miai-priors", "miai-visits", "miai-winrates", "miai-ownership", "miai-variation"),
            "final_score",
        ):
            reply = conversation.ask(line)
            assert reply.startswith("=") and not re.search(r"\b(nan|inf|infinity)\b", reply, re.IGNORECASE), reply
            scores = [float(score) for score in re.findall(r'(?:scoreLead |"score":)(-?[\d.]+)', reply)]
            assert all(abs(score) <= MAX_KOMI + 25 for score in scores), reply


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--select", "crazystone", "--backup", "softmax"], ["scores in points", "mix"]),
        (["--select", "dominance"], ["win, draw and loss", "wdl-product"]),
        (["--final", "payoff"], ["wdl-product"]),
        (["--select", "uct", "--final", "policy"], ["uct has not"]),
        (["--final", "luck"], ["visits, lcb, policy, value, payoff"]),
    ],
)
def test_rules_that_do_not_go_together_are_refused_at_the_start(arguments: list[str], words: list[str]) -> None:
    result = CliRunner().invoke(serve.command, arguments)
    assert result.exit_code == 2
    assert all(word in result.output for word in words), result.output
