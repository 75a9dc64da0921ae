"""The service: exactly one final answer for each position, by priority, with what the query asked for."""

import dataclasses
import io
import json
import random
import threading
from collections import Counter
from collections.abc import Iterable
from typing import Any

import pytest

from miai.analysis.queries import Defaults, read_query
from miai.analysis.searchers import LockstepSearcher, make_searcher
from miai.analysis.service import LONGEST_LINE, Service
from miai.analysis.tasks import AnalysisTask
from miai.engine.go.game import Game
from miai.engine.go.points import BLACK, vertex_of
from miai.engine.go.rules import RULES
from miai.players.options import PlayerOptions, resolve_options
from miai.players.player import Budget, Player

SIZE = 5
PLAIN: dict[str, Any] = {
    "moves": [],
    "rules": "chinese",
    "komi": 7,
    "boardXSize": SIZE,
    "boardYSize": SIZE,
    "maxVisits": 30,
}
RANDOM = resolve_options("uct-random", given={"seed": 1, "memory": 16})[0]


class Answers(list[dict[str, Any]]):
    """What a service wrote."""

    def of(self, name: str) -> list[dict[str, Any]]:
        return [answer for answer in self if answer.get("id") == name and "warning" not in answer]


def converse(
    lines: Iterable[bytes | str | dict[str, Any]], options: PlayerOptions = RANDOM, places: int = 1, waits: bool = True
) -> Answers:
    text = b"\n".join(
        line if isinstance(line, bytes) else (line if isinstance(line, str) else json.dumps(line)).encode()
        for line in lines
    )
    answers, lock = Answers(), threading.Lock()

    def write(answer: dict[str, Any]) -> None:
        with lock:
            answers.append(json.loads(json.dumps(answer, allow_nan=False)))

    service = Service(options, Defaults(visits=30), places, write, "1.2.3")
    service.run(io.BufferedReader(io.BytesIO(text)), waits)  # type: ignore[arg-type]
    return answers


@pytest.fixture(scope="module")
def net(tmp_path_factory: pytest.TempPathFactory) -> str:
    pytest.importorskip("torch")
    from tests.nets.tiny import save_tiny

    return save_tiny(tmp_path_factory.mktemp("net") / "tiny.safetensors")


def net_options(net: str) -> PlayerOptions:
    return PlayerOptions(select="puct", evaluator="net", net=net, net_backend="torch", seed=1, memory=16, batch=4)


def test_each_turn_gets_one_answer_with_the_fields_of_the_protocol() -> None:
    moves = [["B", "C3"], ["W", "B2"], ["B", "pass"]]
    query = PLAIN | {"id": "q", "moves": moves, "analyzeTurns": [0, 1, 3], "includeOwnership": True}
    answers = converse([query | {"includePolicy": True, "includePVVisits": True, "analysisPVLen": 1}], places=2)
    assert sorted(answer["turnNumber"] for answer in answers) == [0, 1, 3]
    for answer in answers:
        assert answer["isDuringSearch"] is False
        root = answer["rootInfo"]
        assert root["visits"] == 30 and root["currentPlayer"] == "BW"[answer["turnNumber"] % 2]
        assert 0 <= root["winrate"] <= 1 and {"scoreLead", "thisHash", "symHash"} <= root.keys()
        assert [move["order"] for move in answer["moveInfos"]] == list(range(len(answer["moveInfos"])))
        for move in answer["moveInfos"]:
            assert move["visits"] >= 1 and move["pv"][0] == move["move"] and len(move["pv"]) <= 2
            assert len(move["pvVisits"]) == len(move["pv"]) and move["lcb"] is not None
        assert len(answer["ownership"]) == SIZE**2 and len(answer["policy"]) == SIZE**2 + 1
        occupied = [index for index, one in enumerate(answer["policy"]) if one == -1]
        assert len(occupied) == min(2, answer["turnNumber"])
        assert sum(one for one in answer["policy"] if one >= 0) == pytest.approx(1, abs=1e-6)


def test_a_score_that_is_not_known_is_left_out() -> None:
    options = dataclasses.replace(resolve_options("holden")[0], memory=16)
    answer = converse([PLAIN | {"id": "q"}], options)[0]
    assert "winrate" in answer["rootInfo"]
    for part in (answer["rootInfo"], *answer["moveInfos"]):
        assert not {"scoreLead", "scoreMean", "scoreSelfplay"} & part.keys()


def test_positions_that_are_symmetric_share_a_hash() -> None:
    answers = converse([PLAIN | {"id": point, "moves": [["B", point]], "maxVisits": 2} for point in ("B2", "D2", "C1")])
    corner, other, side = (answers.of(point)[0]["rootInfo"] for point in ("B2", "D2", "C1"))
    assert corner["symHash"] == other["symHash"] != side["symHash"]
    assert corner["thisHash"] != other["thisHash"]


def test_views_are_mirror_images() -> None:
    query = PLAIN | {"moves": [["B", "C3"]], "includeOwnership": True}
    names = ("BLACK", "WHITE", "SIDETOMOVE")
    answers = converse([query | {"id": name, "overrideSettings": {"reportAnalysisWinratesAs": name}} for name in names])
    black, white, mover = (answers.of(name)[0] for name in names)
    assert white["moveInfos"] == mover["moveInfos"] and white["rootInfo"] == mover["rootInfo"]
    for one, other in [(black["rootInfo"], white["rootInfo"]), (black["moveInfos"][0], white["moveInfos"][0])]:
        assert one["winrate"] == pytest.approx(1 - other["winrate"]) and one["scoreLead"] == -other["scoreLead"]
    assert black["ownership"] == [-owner for owner in white["ownership"]]
    assert black["moveInfos"][0]["lcb"] == pytest.approx(1 - white["moveInfos"][0]["lcb"])


@pytest.mark.parametrize("kind", ["playouts", "net"])
def test_an_analysis_is_the_search_of_a_player_with_the_same_seed(kind: str, request: pytest.FixtureRequest) -> None:
    options = RANDOM if kind == "playouts" else net_options(request.getfixturevalue("net"))
    answer = converse([PLAIN | {"id": "q", "maxVisits": 120}], options, places=1)[0]
    player = Player(options)
    player.set_seed(1)
    game = Game(SIZE, 7.0, RULES["chinese"])
    report = player.analyze(game, BLACK, lambda _: None, 0.0, threading.Event(), Budget(120))
    moves = [(vertex_of(move.move, SIZE), move.visits) for move in report.moves if move.visits]
    assert [(move["move"], move["visits"]) for move in answer["moveInfos"]] == moves
    assert answer["rootInfo"]["winrate"] == pytest.approx(report.value, abs=1e-4)
    assert answer["rootInfo"]["scoreLead"] == pytest.approx(report.score, abs=1e-3)


def test_the_policy_is_the_networks_and_many_positions_share_its_batches(net: str) -> None:
    queries = [PLAIN | {"id": str(number), "includePolicy": True, "maxVisits": 20 + number} for number in range(6)]
    together = converse([*queries, {"id": "c", "action": "clear_cache"}], net_options(net), places=3)
    for number in range(6):
        (answer,) = together.of(str(number))
        assert answer["rootInfo"]["visits"] == 20 + number
        assert {"rawWinrate", "rawLead"} <= answer["rootInfo"].keys()
        assert len(answer["policy"]) == SIZE**2 + 1
        for move in answer["moveInfos"]:
            row, column = SIZE - int(move["move"][1:]) if move["move"] != "pass" else 0, "ABCDE".find(move["move"][0])
            index = SIZE**2 if move["move"] == "pass" else row * SIZE + column
            assert answer["policy"][index] == pytest.approx(move["prior"], abs=1e-5)


def test_the_highest_priority_goes_first_and_then_the_earliest() -> None:
    given = {"a": 0, "b": 5, "c": -1, "d": 5}
    queries = [PLAIN | {"id": name, "priority": priority} for name, priority in given.items()]
    turns = PLAIN | {"id": "t", "moves": [["B", "C3"]], "analyzeTurns": [0, 1], "priorities": [7, 8]}
    answers = converse([*queries, turns])
    assert [(answer["id"], answer["turnNumber"]) for answer in answers] == [
        ("t", 1),
        ("t", 0),
        ("b", 0),
        ("d", 0),
        ("a", 0),
        ("c", 0),
    ]


@pytest.mark.parametrize("kind", ["playouts", "net"])
def test_moves_can_be_forbidden_and_allowed(kind: str, request: pytest.FixtureRequest) -> None:
    options = RANDOM if kind == "playouts" else net_options(request.getfixturevalue("net"))
    points = ["C3", "B3", "pass"]
    entry = {"player": "B", "moves": points, "untilDepth": 1}
    white = entry | {"player": "W"}
    given = {"avoid": {"avoidMoves": [entry, white]}, "allow": {"allowMoves": [entry]}, "free": {"avoidMoves": [white]}}
    given["none"] = {"allowMoves": [entry | {"moves": []}]}
    answers = converse([PLAIN | {"id": name, "maxVisits": 200} | fields for name, fields in given.items()], options)
    found = {name: {move["move"] for move in answers.of(name)[0]["moveInfos"]} for name in given}
    assert found["avoid"] and not found["avoid"] & set(points)
    assert found["allow"] == set(points) and found["none"] == set()
    assert {"C3", "B3"} <= found["free"]
    visits = sum(move["visits"] for move in answers.of("allow")[0]["moveInfos"])
    assert visits in (198, 199, 200)


def test_the_actions_answer_with_their_own_fields() -> None:
    answers = converse(
        [
            {"id": "v", "action": "query_version", "x": 1},
            {"id": "m", "action": "query_models"},
            {"id": "c", "action": "clear_cache"},
            {"id": "t", "action": "terminate", "terminateId": "gone", "turnNumbers": [1]},
            {"id": "a", "action": "terminate_all"},
            {"id": "u", "action": "dance"},
            {"id": "w", "action": "terminate"},
            {"id": "y", "action": "terminate_all", "turnNumbers": ["x"]},
        ]
    )
    assert answers.of("v") == [
        {"id": "v", "action": "query_version", "x": 1, "version": "1.2.3", "git_hash": "<omitted>"}
    ]
    assert answers.of("m") == [{"id": "m", "action": "query_models", "models": []}]
    assert answers.of("c") == [{"id": "c", "action": "clear_cache"}]
    assert answers.of("t")[0]["terminateId"] == "gone"
    assert answers.of("a") == [{"id": "a", "action": "terminate_all"}]
    assert [answers.of(name)[0]["field"] for name in "uwy"] == ["action", "terminateId", "turnNumbers"]


def test_the_network_is_told_as_a_model(net: str) -> None:
    (answer,) = converse([{"id": "m", "action": "query_models"}], net_options(net))
    assert [model["name"] for model in answer["models"]] == ["tiny.safetensors"]


@pytest.mark.parametrize("kind", ["playouts", "net"])
def test_a_terminated_search_tells_what_it_found_and_a_waiting_one_nothing(
    kind: str, request: pytest.FixtureRequest
) -> None:
    options = RANDOM if kind == "playouts" else net_options(request.getfixturevalue("net"))
    endless = PLAIN | {"maxVisits": 1 << 40, "reportDuringSearchEvery": 0.02}
    answers, reported = Answers(), threading.Event()

    def write(answer: dict[str, Any]) -> None:
        answers.append(answer)
        if answer.get("isDuringSearch"):
            reported.set()

    class Input(io.RawIOBase):
        """Two queries; once the first reports, the end of both."""

        def __init__(self) -> None:
            self.chunks = [
                b"".join(json.dumps(endless | {"id": name}).encode() + b"\n" for name in "ab"),
                b'{"id":"t","action":"terminate","terminateId":"b"}\n{"id":"u","action":"terminate_all"}\n',
            ]

        def readable(self) -> bool:
            return True

        def readinto(self, buffer: Any) -> int:
            if not self.chunks:
                return 0
            if len(self.chunks) == 1:
                assert reported.wait(120)
            chunk = self.chunks.pop(0)
            buffer[: len(chunk)] = chunk
            return len(chunk)

    Service(options, Defaults(visits=30), 1, write, "1").run(io.BufferedReader(Input()))
    assert [answer["id"] for answer in answers if answer.get("action")] == ["t", "u"]
    assert answers.of("b") == [{"id": "b", "turnNumber": 0, "isDuringSearch": False, "noResults": True}]
    *partial, final = answers.of("a")
    assert partial and all(answer["isDuringSearch"] for answer in partial)
    assert not final["isDuringSearch"] and final["rootInfo"]["visits"] >= partial[-1]["rootInfo"]["visits"] > 0


def test_time_limits_a_search() -> None:
    query = PLAIN | {"id": "q", "maxVisits": 1 << 40, "overrideSettings": {"maxTime": 0.05}}
    (answer,) = converse([query]).of("q")
    assert answer["rootInfo"]["visits"] > 0


def test_the_end_without_waiting_leaves_what_is_queued() -> None:
    endless = PLAIN | {"maxVisits": 1 << 40}
    assert converse([endless | {"id": name} for name in "abc"], waits=False) == []


@pytest.mark.parametrize(
    "line", [b"\xff", b"[1]", b"null", b"{", b'{"id":1}', b"{}", b"[" * 100_000, b'{"id":"a","komi":NaN}', b"9" * 5000]
)
def test_what_is_no_query_is_an_error_without_an_id(line: bytes) -> None:
    (answer,) = converse([line])
    assert "error" in answer and "id" not in answer


def test_a_line_that_is_too_long_is_one_error_and_the_next_is_read() -> None:
    answers = converse([b'{"id":"' + b"x" * (2 * LONGEST_LINE) + b'"}', {"id": "v", "action": "query_version"}])
    assert ["error" in answer for answer in answers] == [True, False]


def _spoil(rng: random.Random, line: str) -> bytes:
    data = bytearray(line.encode())
    for _ in range(rng.randint(1, 4)):
        place = rng.randrange(len(data))
        choice = rng.randrange(3)
        if choice == 0:
            data[place] = rng.choice(b'{}[]",:0179eE-.NaBWtrue \\')
        elif choice == 1:
            del data[place : place + rng.randint(1, 5)]
        else:
            data[place:place] = bytes([rng.randrange(32, 256)])
        data = data or bytearray(b" ")
    return bytes(data).replace(b"\n", b" ").replace(b"\r", b" ")


def _fuzzed_lines(rng: random.Random, number: int) -> list[bytes]:
    odd: list[Any] = [
        None,
        True,
        -1,
        0,
        3,
        1.5,
        1e300,
        1 << 70,
        "",
        "B",
        "C3",
        "pass",
        [],
        {},
        [[]],
        [["B", "C3"]],
        [1],
    ]
    fields = [
        "moves",
        "rules",
        "komi",
        "boardXSize",
        "boardYSize",
        "analyzeTurns",
        "priority",
        "priorities",
        "maxVisits",
    ]
    fields += [
        "initialStones",
        "initialPlayer",
        "avoidMoves",
        "allowMoves",
        "overrideSettings",
        "includePolicy",
        "action",
    ]
    fields += ["reportDuringSearchEvery", "analysisPVLen", "includeOwnership", "whiteHandicapBonus", "terminateId"]
    lines = []
    for index in range(number):
        query = PLAIN | {"id": f"q{index}", "maxVisits": rng.randint(1, 3)}
        query["moves"] = [
            [rng.choice("BW"), rng.choice(["C3", "B2", "D4", "pass", "A1"])] for _ in range(rng.randint(0, 3))
        ]
        for _ in range(rng.randint(0, 2)):
            query[rng.choice(fields)] = rng.choice(odd)
        if query.get("boardXSize") == query.get("boardYSize") == 3:
            query["boardXSize"] = SIZE  # every size is compiled anew
        line = json.dumps(query)
        lines.append(_spoil(rng, line) if rng.random() < 0.5 else line.encode())
    return lines


def _id_of(line: bytes) -> str | None:
    try:
        content = json.loads(line.decode())
    except (ValueError, RecursionError):
        return None
    name = content.get("id") if isinstance(content, dict) else None
    return name if isinstance(name, str) else None


def test_fuzzed_lines_get_exactly_one_final_answer_each() -> None:
    lines = _fuzzed_lines(random.Random(20260101), 2000)
    expected = Counter(name for line in lines if (name := _id_of(line)) is not None)
    answers = converse(lines, places=2)
    final = Counter(
        answer["id"]
        for answer in answers
        if "id" in answer and "warning" not in answer and not answer.get("isDuringSearch")
    )
    nan = {name for line in lines if b"NaN" in line and (name := _id_of(line)) is not None}
    for name in expected.keys() - nan:
        assert final[name] == expected[name], name
    assert sum("rootInfo" in answer for answer in answers) > 300
    assert sum("error" in answer for answer in answers) > 300


def test_a_cleared_cache_asks_the_network_again(net: str) -> None:
    searcher = make_searcher(net_options(net), SIZE, 1, lambda _: None, lambda _: None)
    assert isinstance(searcher, LockstepSearcher)
    query, _ = read_query(PLAIN | {"id": "q"}, Defaults(visits=30))

    def num_evaluated() -> int:
        before = searcher.network_usage.evaluations
        searcher.start(AnalysisTask(query, 0, 0, 0))
        while searcher.tasks:
            searcher.step()
        return searcher.network_usage.evaluations - before

    first = num_evaluated()
    assert first > 0 and num_evaluated() == 0
    searcher.clear_cache()
    assert num_evaluated() == first
    searcher.close()


def test_a_network_that_cannot_be_read_is_an_error_of_its_query(net: str) -> None:
    queries = [PLAIN | {"id": str(size), "boardXSize": size, "boardYSize": size} for size in (SIZE, 19)]
    with_file = dataclasses.replace(net_options(net), net=f"{net}.gone")
    answers = converse(queries, with_file)
    assert [sorted(answer) for answer in answers] == [["error", "id", "turnNumber"]] * 2
    assert all("gone" in answer["error"] for answer in answers)
