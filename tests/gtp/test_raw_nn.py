"""`kata-raw-nn`: KataGo's words, and KataGo's numbers for random networks of its format."""

import dataclasses
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from miai.engine.go.points import BLACK, vertex_of
from miai.gtp.in_process import engine_loop
from miai.gtp.session import Session
from miai.players.options import GameOptions, PlayerOptions
from tests.gtp.conversation import Conversation
from tests.gtp.fake_player import FakePlayer
from tests.nets.katago.model_writer import ModelWriter, spec_named
from tests.nets.katago.record_katago import RECORD, TEXT_RECORD, position

GAMES = json.loads(RECORD.read_text())
RECORDS = {record["network"]: record for record in json.loads(TEXT_RECORD.read_text())}
TOLERANCE = 0.002
_LABELS = [
    *("symmetry", "whiteWin", "whiteLoss", "noResult", "whiteLead", "whiteScoreSelfplay", "whiteScoreSelfplaySq"),
    *("varTimeLeft", "shorttermWinlossError", "shorttermScoreError", "policy", "policyPass", "whiteOwnership"),
]


def options_with(net: str, backend: str | None = "openvino-float32") -> PlayerOptions:
    return PlayerOptions(evaluator="net", net=net, net_backend=backend, simulations=10, seed=1, memory=16)


def words_of(lines: list[str]) -> list[list[str]]:
    return [line.split() for line in lines if line.strip()]


@pytest.fixture(params=list(RECORDS))
def talk(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[dict, Conversation]]:
    """A network that was recorded, behind an engine in its position."""
    pytest.importorskip("openvino")
    record = RECORDS[request.param]
    path = ModelWriter(spec_named(record["network"])).write(tmp_path)
    recorded = GAMES[record["game"]]
    game = position(recorded, record["moves"])
    session = Session(options_with(str(path)), GameOptions(size=game.size))
    with Conversation(engine_loop(session)) as client:
        client.ask(f"kata-set-rules {recorded['rules']}")
        client.ask(f"komi {game.komi:g}")
        if recorded["handicap"]:
            client.ask("set_free_handicap " + " ".join(recorded["handicap"]))
        for color, move in game.moves:
            vertex = vertex_of(move, game.size)
            assert client.ask(f"play {'b' if color == BLACK else 'w'} {vertex}").startswith("=")
        yield record, client


def test_answers_are_those_of_katago(talk: tuple[dict, Conversation]) -> None:
    record, client = talk
    for command, recorded in record["answers"].items():
        found, expected = words_of(client.ask(command).removeprefix("=").splitlines()), words_of(recorded)
        assert [len(words) for words in found] == [len(words) for words in expected], command
        for ours, katagos in zip(found, expected, strict=True):
            for one, other in zip(ours, katagos, strict=True):
                if other[-1].isdigit() and one != other:
                    assert len(one.partition(".")[2]) == len(other.partition(".")[2])
                    assert float(one) == pytest.approx(float(other), rel=1e-5, abs=TOLERANCE), (command, ours, katagos)
                else:
                    assert one == other, (command, ours, katagos)


def test_each_symmetry_gives_something_else_and_all_gives_them_in_turn(talk: tuple[dict, Conversation]) -> None:
    _, client = talk
    answers = [client.ask(f"kata-raw-nn {symmetry}").removeprefix("=").strip() for symmetry in range(8)]
    assert len({text.partition("\n")[2] for text in answers}) == 8
    assert client.ask("kata-raw-nn all").removeprefix("=").strip() == "\n".join(answers)
    assert client.ask("kata-raw-nn ALL 0").removeprefix("=").strip() == "\n".join(answers)


def test_the_player_to_move_may_be_named_and_optimism_is_none_unless_given(talk: tuple[dict, Conversation]) -> None:
    record, client = talk
    game = position(GAMES[record["game"]], record["moves"])
    own, other = ("black", "W") if game.to_play == BLACK else ("white", "B")
    plain = client.ask("kata-raw-nn 2")
    assert client.ask(f"kata-raw-nn {own} 2 0.0") == plain
    assert client.ask(f"kata-raw-nn {other} 2") != plain
    has_second = spec_named(record["network"]).version >= 12
    assert (client.ask("kata-raw-nn 2 1") != plain) == has_second


@pytest.mark.parametrize(
    ("net", "unknown"),
    [
        ("miai", {"whiteScoreSelfplaySq", "varTimeLeft", "shorttermWinlossError", "shorttermScoreError"}),
        ("li-lim", None),
    ],
)
def test_our_networks_answer_too(net: str, unknown: set[str] | None) -> None:
    pytest.importorskip("openvino")
    session = Session(options_with(net))
    with Conversation(engine_loop(session)) as client:
        client.ask("play b C3")
        lines = words_of(client.ask("kata-raw-nn 6 0.5").removeprefix("=").splitlines())
        assert [words[0] for words in lines if words[0][0].isalpha() and words[0] != "NAN"] == _LABELS
        values = {words[0]: words[1] for words in lines if len(words) == 2}
        assert float(values["whiteWin"]) + float(values["whiteLoss"]) == pytest.approx(1.0, abs=2e-6)
        assert values["noResult"] == "0.000000"
        start = lines.index(["policy"]) + 1
        policy = lines[start : start + 9]
        assert [column for row in policy for column, word in enumerate(row) if word == "NAN"] == [2]
        assert policy[6][2] == "NAN"
        total = sum(float(word) for row in policy for word in row if word != "NAN") + float(values["policyPass"])
        assert total == pytest.approx(1.0, abs=1e-4)
        owners = [word for row in lines[-9:] for word in row]
        assert len(owners) == 81
        if unknown is None:
            assert set(owners) == {"NAN"}
            assert values["whiteLead"] == values["whiteScoreSelfplay"] == "NAN"
        else:
            assert all(-1.0 <= float(owner) <= 1.0 for owner in owners)
            assert values["whiteLead"] == values["whiteScoreSelfplay"]
            assert {name for name, value in values.items() if value == "-1.000"} == unknown


def test_where_a_fallback_plays_there_is_no_network() -> None:
    options = dataclasses.replace(options_with("li-lim", None), fallback="uct-random")
    with Conversation(engine_loop(Session(options))) as client:
        assert client.ask("boardsize 7") == "=\n\n"
        assert client.ask("kata-raw-nn 0") == "? this player has no network\n\n"


def test_a_player_without_a_network_says_so() -> None:
    with Conversation(engine_loop(Session(make_player=FakePlayer))) as client:
        assert client.ask("kata-raw-nn 0") == "? this player has no network\n\n"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ("", "symmetry '' is not allowed"),
        ("8", "symmetry '8' is not allowed"),
        ("-1", "symmetry '-1' is not allowed"),
        ("b", "symmetry '' is not allowed"),
        ("green 1", "symmetry 'green' is not allowed"),
        ("0 2", "optimism '2' is not allowed"),
        ("0 nan", "optimism 'nan' is not allowed"),
        ("w all much", "optimism 'much' is not allowed"),
        ("0 0.5 1", "'1' is one argument too many"),
    ],
)
def test_other_arguments_are_refused(arguments: str, says: str) -> None:
    with Conversation(engine_loop(Session(make_player=FakePlayer))) as client:
        reply = client.ask(f"kata-raw-nn {arguments}")
        assert reply.startswith(f"? {says} (allowed: [COLOR] SYMMETRY [OPTIMISM]: a symmetry is 0 to 7 or all, ")
