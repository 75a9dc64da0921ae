"""`miai experiment fair-komi`: sampled positions, fair komi, annotated positions, and what policies lose in them."""

import io
import math
import sys
import tarfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result
from sgfmill.sgf import Sgf_game

from miai.cli.experiments.fair_komi import command
from miai.engine.go.game import Game
from miai.engine.go.points import BLACK, PASS, WHITE
from miai.engine.go.rules import RULES
from miai.engine.go.sgf import GameInfo, SgfError, load_game, sgf_of
from miai.experiments.fernando_muller.annotations import (
    AnnotatedPosition,
    after_action,
    digest_of_positions,
    from_sgf,
    legal_actions,
    read_annotations,
    stones_of,
    to_sgf,
    write_annotations,
)
from miai.experiments.fernando_muller.blunder_runs import play_policy
from miai.experiments.fernando_muller.fair_komi import FairKomi, find_fair_komi, score_if_over
from miai.experiments.fernando_muller.game_samples import SampledGame, choose_games, read_games
from miai.experiments.fernando_muller.mcts_of_policies import PAPERS_READING, MctsReading, mcts_options
from miai.experiments.fernando_muller.oracles import EngineOracle, OracleChoice, OracleFailed, SearchOracle
from miai.experiments.fernando_muller.policy_errors import (
    ShortSearchPlan,
    action_probabilities,
    errors_of,
    phase_rows,
)
from miai.match.contestants import Contestant, read_contestant
from tests.nets.katago.model_writer import ModelWriter, spec_named

CGOS = (
    b"(;GM[1]FF[4]CA[UTF-8]\nRU[Chinese]SZ[9]KM[7.5]TM[300]\nPW[MyBot-1]PB[Other 2]WR[1800?]BR[2000]"
    b"DT[2011-06-01]PC[http://cgos.boardspace.net]RE[B+R]GN[1616263]\n"
)


def game_of(number: int, komi: float = 7.0) -> Game:
    """Return a game of a policy with itself."""
    game = Game(9, komi, RULES["chinese"])
    for move in play_policy("fuego", (number,)):
        game.play(game.to_play, move)
    return game


def write_games(folder: Path, number: int) -> None:
    (folder / "06").mkdir(parents=True)
    for index in range(number):
        (folder / "06" / f"{1616263 + index}.sgf").write_bytes(sgf_of(game_of(index)))


def annotated(moves: str, fair: float, after: dict[str, float], komi: float = 7.0) -> AnnotatedPosition:
    """Return a position on 9x9 after some moves in which only the moves of `after` have values."""
    game = Game(9, komi, RULES["chinese"])
    for vertex in moves.split():
        game.play(game.to_play, vertex)
    values = np.full((82, 3), np.nan)
    for vertex, value in after.items():
        values[_action(vertex)] = (value, value - 1, value + 1)
    return AnnotatedPosition("a.sgf", 3, game, FairKomi(fair, fair - 1, fair + 1), values)


def _action(vertex: str) -> int:
    if vertex == "pass":
        return 81
    row, column = 9 - int(vertex[1:]), "ABCDEFGHJ".index(vertex[0])
    return 9 * row + column


@pytest.mark.parametrize("true_komi", [-81.0, -30.2, 0.0, 6.9, 7.1, 80.0])
@pytest.mark.parametrize("guess", [-20.0, 0.0, 33.5])
def test_the_fair_komi_of_a_smooth_curve_is_where_it_passes_one_half(true_komi: float, guess: float) -> None:
    asked: list[float] = []

    def chances(komi: float) -> float:
        asked.append(komi)
        return 1.0 / (1.0 + math.exp((komi - true_komi) / 3.0))

    found = find_fair_komi(chances, 81, guess)
    reach = 3.0 * math.log(0.6 / 0.4)
    if abs(true_komi) < 75:
        assert found.fair == pytest.approx(true_komi, abs=0.05)
        assert (found.sixty, found.forty) == pytest.approx((true_komi - reach, true_komi + reach), abs=0.05)
    assert len(asked) == len(set(asked)) <= 24
    assert all(komi % 1.0 == 0.5 for komi in asked)


def test_a_certain_score_is_found_to_half_a_point() -> None:
    for score in (-81, -7, 0, 3, 81):
        found = find_fair_komi(lambda komi, score=score: float(score > komi), 81, 7.0)
        assert found.fair == pytest.approx(score, abs=1e-9)


def test_positions_are_sampled_as_the_paper_says(tmp_path: Path) -> None:
    lengths = [20, 21, 19, 60]
    for index, length in enumerate(lengths):
        moves = b"".join(b";%s[%c%c]" % (b"BW"[i % 2 : i % 2 + 1], 97 + i % 9, 97 + i // 9) for i in range(length))
        (tmp_path / f"{998 + index}.sgf").write_bytes(CGOS + moves + b")")
    (tmp_path / "1000000.sgf").write_bytes((CGOS + b";B[aa];W[bb])").replace(b"SZ[9]", b"SZ[19]"))
    games = read_games(tmp_path, 9)
    assert [(game.name, game.label) for game in games] == [("998.sgf", 1), ("999.sgf", 2), ("1001.sgf", 3)]
    # 10 + (i mod (n - 19)): n = 20 leaves one position, n = 21 two, n = 60 those after 10 to 50 moves
    assert [game.move_number for game in games] == [10, 10, 13]
    assert SampledGame("", 81, 60, b"").move_number == 10 + 81 % 41 <= 50
    position = games[2].position()
    assert len(position.moves) == 13 and position.to_play == WHITE and position.komi == 7.5


def test_a_real_archive_is_read_as_it_is(tmp_path: Path) -> None:
    content = CGOS + b";B[ee]BL[299];W[ge]WL[298]" + b";B[];W[]" * 10 + b")"
    with tarfile.open(tmp_path / "cgos.tar.bz2", "w:bz2") as archive:
        for name in ("2011/06/01/1616264.sgf", "2011/06/01/1616263.sgf", "2011/06/01/readme.txt"):
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    games = read_games(tmp_path / "cgos.tar.bz2", 9)
    assert [game.name for game in games] == ["2011/06/01/1616263.sgf", "2011/06/01/1616264.sgf"]
    assert games[0].num_moves == 22


def test_a_file_is_a_game_by_itself(tmp_path: Path) -> None:
    (tmp_path / "5.sgf").write_bytes(CGOS + b";B[ee];W[ge]" * 11 + b")")
    assert read_games(tmp_path / "5.sgf", 9) == read_games(tmp_path, 9)
    assert [game.name for game in read_games(tmp_path / "5.sgf", 9)] == ["5.sgf"]
    (tmp_path / "6.sgf").write_text("no game")
    with pytest.raises(ValueError, match="6.sgf holds no game on 9x9 of at least 20 moves among its 1 SGF file$"):
        read_games(tmp_path / "6.sgf", 9)


def test_moves_are_counted_whatever_a_file_says_beside_them(tmp_path: Path) -> None:
    game = game_of(24)
    told = {number: f"a (comment; W[aa] \\ ;B[bb]\\] of move {number}" for number in range(0, 25, 2)}
    (tmp_path / "1.sgf").write_bytes(sgf_of(game, GameInfo(comments=told)))
    head = b"(;SZ[9]AB[aa][bb]PB[W];BL[1] B\n[ee]C[x]" + b";C[a]W[];\nB[]" * 11
    (tmp_path / "2.sgf").write_bytes(head + b")")
    (tmp_path / "3.sgf").write_bytes(head + b"(;W[ge])(;W[];B[]))")
    assert [one.num_moves for one in read_games(tmp_path, 9)] == [len(game.moves), 23, 24]


def test_every_stone_of_a_position_counts_whatever_the_rules_of_its_game() -> None:
    moves = b"".join(b";%s[%c%c]" % (b"BW"[n % 2 : n % 2 + 1], 97 + n % 9, 97 + n // 9) for n in range(20))
    position = SampledGame("1.sgf", 1, 20, b"(;GM[1]FF[4]SZ[9]KM[7]RU[Chinese]" + moves + b")").position()
    assert position.rules == RULES["chinese"] and not position.rules.removes_dead


def test_what_cannot_be_sampled_is_named(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="holds no game on 9x9 of at least 20 moves among its 0 SGF files"):
        read_games(tmp_path, 9)
    (tmp_path / "no.tar").write_bytes(b"nothing")
    with pytest.raises(
        ValueError, match="no.tar: it is neither a folder of SGF files, nor an SGF file, nor a whole .tar"
    ):
        read_games(tmp_path / "no.tar", 9)
    write_games(tmp_path / "games", 2)
    games = read_games(tmp_path / "games", 9)
    with pytest.raises(ValueError, match="--positions 3 is not allowed .allowed: 1 to 2"):
        choose_games(games, 3, 0)
    assert choose_games(games, 2, 5)[:1] == choose_games(games, 1, 5)


def test_the_games_of_the_papers_figure_come_first() -> None:
    content = CGOS + b";B[ee];W[ge]" + b";B[];W[]" * 30 + b")"
    games = [SampledGame(f"{1616345 + label}.sgf", label, 62, content) for label in range(1, 9)]
    assert [choose_games(games, 2, seed)[0].name for seed in range(3)] == ["1616349.sgf"] * 3
    assert len({choose_games(games, 2, seed)[1].name for seed in range(9)}) > 1


def test_points_lost_and_blunders_are_the_movers() -> None:
    black = annotated("E5 E4", 9.0, {"D4": 9.5, "A1": 6.5, "B1": 3.5, "pass": -3.0})
    assert black.losses[[_action(vertex) for vertex in ("D4", "A1", "B1", "pass")]].tolist() == [-0.5, 2.5, 5.5, 12.0]
    # komi 7: A1 loses the game, but no five points
    assert np.flatnonzero(black.is_blunder(5.0)).tolist() == [_action("B1"), _action("pass")]
    white = annotated("E5", 3.0, {"D4": 2.0, "A1": 9.0, "pass": 7.5})
    assert white.losses[[_action(vertex) for vertex in ("D4", "A1", "pass")]].tolist() == [-1.0, 6.0, 4.5]
    assert np.flatnonzero(white.is_blunder(5.0)).tolist() == [_action("A1")]
    lost = annotated("E5", 9.0, {"D4": 9.0, "A1": 20.0})
    assert not lost.is_blunder(5.0).any()


def test_a_policys_loss_is_the_mean_over_its_distribution() -> None:
    position = annotated("E5", 3.0, {"D4": 2.0, "A1": 9.0, "pass": 7.5})
    row = np.zeros(82)
    row[[_action("D4"), _action("A1"), _action("B2")]] = 0.25, 0.25, 0.5  # B2 has no value
    found = errors_of([position], row[np.newaxis])
    assert found.losses[0] == pytest.approx(2.5) and found.losses_to_best[0] == pytest.approx(3.5)
    assert found.blunders[0] == pytest.approx(0.5)


def test_a_position_in_which_superko_forbids_all_proposals_is_left_out_of_the_policys_means() -> None:
    positions = [annotated("E5", 3.0, {"D4": 2.0, "A1": 9.0})] * 3
    rows = np.zeros((3, 82))
    rows[0, _action("D4")] = rows[1, _action("B2")] = rows[2, _action("A1")] = 1.0  # B2 has no value
    found = errors_of(positions, rows)
    assert [bool(np.isnan(column[1])) for column in found] == [True] * 3
    assert found.mean_and_error("losses") == pytest.approx((2.5, 3.5))
    assert found.mean_and_error("blunders")[0] == 0.5


def test_probabilities_of_actions_are_the_policys() -> None:
    game = Game(9)
    found = action_probabilities("random", game)
    assert found[:81] == pytest.approx(1 / 81) and found[81] == 0.0
    game.play(BLACK, "E5")
    assert action_probabilities("random", game)[_action("E5")] == 0.0


def test_annotated_positions_are_the_same_after_writing_and_reading(tmp_path: Path) -> None:
    game = game_of(1)
    while len(game.moves) > 37:
        game.undo()
    rng = np.random.default_rng(1)
    after = np.full((82, 3), np.nan)
    after[legal_actions(game)] = np.round(rng.normal(7, 9, (len(legal_actions(game)), 3)), 4)
    position = AnnotatedPosition("06/1616264.sgf", 12, game, FairKomi(3.25, 1.0, 5.5), after)
    again = from_sgf(to_sgf(position))
    assert (again.name, again.label, again.value) == (position.name, 12, position.value)
    assert again.game.moves == game.moves and again.game.to_play == game.to_play == WHITE
    for name in game.board.dtype.names:  # what lies between fields is not part of them
        np.testing.assert_array_equal(again.game.board[name], game.board[name], err_msg=name)
    np.testing.assert_array_equal(again.after, after)
    write_annotations([position, annotated("E5", 3.0, {"pass": 7.5})], {"miai": {}}, tmp_path)
    assert [one.name for one in read_annotations(tmp_path)] == ["06/1616264.sgf", "a.sgf"]
    with np.load(tmp_path / "annotations.npz") as data:
        np.testing.assert_array_equal(data["fair_after"][0], after[:, 0])
        np.testing.assert_array_equal(data["stones"][0], stones_of(game))
        assert data["forty"].tolist() == [5.5, 4.0] and data["to_play"].tolist() == [WHITE, WHITE]
        assert data["stones"][1].reshape(9, 9)[4, 4] == BLACK and data["move_numbers"].tolist() == [37, 1]


def test_a_run_of_fewer_positions_takes_none_away(tmp_path: Path) -> None:
    position = annotated("E5", 3.0, {"pass": 7.5})
    write_annotations([position] * 3, {"miai": {}}, tmp_path)
    (tmp_path / "annotations" / "mine.sgf").write_bytes(to_sgf(position))
    write_annotations([position] * 2, {"miai": {}}, tmp_path)
    stems = sorted(path.stem for path in (tmp_path / "annotations").iterdir())
    assert stems == ["000000", "000001", "000002", "mine"]
    with np.load(tmp_path / "annotations.npz") as data:
        assert len(data["names"]) == 3
    write_annotations([position] * 4, {"miai": {}}, tmp_path)
    assert len(read_annotations(tmp_path)) == 5


def test_other_sets_of_positions_and_other_searches_have_other_names() -> None:
    first, second, third = (annotated(moves, 3.0, {"pass": 7.5}) for moves in ("E5", "D4", "C3"))
    digests = [digest_of_positions(some) for some in ([first, second], [first, third], [first])]
    assert len(set(digests)) == 3

    def name(**changes: Any) -> str:
        fields = {"simulations": (1,), "digest": digests[0], "reading": PAPERS_READING, "seed": 0}
        return ShortSearchPlan((first,), ("random",), **(fields | changes)).name

    names = [name(), name(simulations=(1, 2)), name(digest=digests[1]), name(reading=MctsReading("learned"))]
    assert len(set(names)) == 4 and name() == names[0]


def test_other_programs_see_the_values_as_sgf_properties() -> None:
    record = Sgf_game.from_bytes(to_sgf(annotated("E5 E4", 9.0, {"D4": 9.5, "pass": -3.0})))
    node = record.get_main_sequence()[2]
    assert float(node.get("V")) == 9.0
    found = {child.get("B"): float(child.get("V")) for child in node}
    assert found == {(3, 3): 9.5, None: -3.0}


def test_a_file_without_annotations_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SgfError, match="no position of this file is annotated"):
        from_sgf(sgf_of(game_of(0)))
    with pytest.raises(ValueError, match="holds no annotated positions"):
        read_annotations(tmp_path)
    (tmp_path / "one.sgf").write_bytes(sgf_of(game_of(0)))
    with pytest.raises(ValueError, match="one.sgf: no position of this file is annotated"):
        read_annotations(tmp_path)


def test_the_values_of_all_legal_moves_are_asked_for() -> None:
    game = Game(9)
    game.play(BLACK, "E5")
    assert len(legal_actions(game)) == 81 and legal_actions(game)[-1] == 81
    following = after_action(game, 81)
    assert following.moves[-1] == (WHITE, PASS) and score_if_over(following) is None
    over = after_action(following, 81)
    assert score_if_over(over) == FairKomi(81.0, 81.0, 81.0)


def test_an_engine_says_what_the_same_search_says() -> None:
    program = (sys.executable, "-m", "miai", "gtp", "--preset", "fuego", "--simulations", "400", "--seed", "3")
    engine = EngineOracle(program)
    search = SearchOracle(Contestant("F", options=mcts_options("fuego", 400, MctsReading("learned", "miai"))))
    game, _ = load_game(sgf_of(game_of(2)), 41)
    for oracle in (engine, search):
        oracle.load(game)
    for komi in (-60.5, 60.5):
        for color in (BLACK, WHITE):
            game.to_play = color
            for oracle in (engine, search):
                oracle.load(game)
            told = engine.chances(komi, 1), search.chances(komi, 1)
            assert all((value > 0.8) == (komi < 0) and (value < 0.2) == (komi > 0) for value in told), (komi, told)


def test_oracles_that_do_not_know_komi_or_tell_nothing_are_refused() -> None:
    with pytest.raises(ValueError, match="network 'li-lim' does not see komi"):
        OracleChoice(read_contestant("net:net=li-lim")).check()
    OracleChoice(read_contestant("net")).check()
    with pytest.raises(OracleFailed, match="cannot start"):
        EngineOracle(("no-such-engine",))


def test_one_of_katagos_networks_is_an_oracle(tmp_path: Path) -> None:
    pytest.importorskip("openvino")
    file = ModelWriter(spec_named("v15-learned")).write(tmp_path)
    choice = OracleChoice(read_contestant(f"net:simulations=1,net={file},net_backend=openvino-float32"))
    choice.check()
    oracle = choice.make()
    oracle.load(game_of(20))
    assert 0.0 < oracle.chances(6.5, 1) < 1.0


def test_phases_hold_every_position_once() -> None:
    positions = [annotated("E5 E4", 0.0, {})] * 3
    assert {name: rows.tolist() for name, rows in phase_rows(positions).items()} == {"first 24 moves": [0, 1, 2]}


def run_command(*arguments: str) -> Result:
    return CliRunner().invoke(command, ["--parallel", "1", "--simulations", "2", *arguments])


def test_the_command_annotates_reuses_and_compares(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    write_games(tmp_path / "games", 3)
    shared = ["--from", str(tmp_path / "games"), "--search", "1", "--search", "3"]
    first, other = tmp_path / "first", tmp_path / "other"
    result = run_command(*shared, "--positions", "1", "--output", str(first))
    assert result.exit_code == 0, result.output
    piece = first / "pieces" / "000000.npz"
    kept = piece.stat().st_mtime_ns
    result = run_command(*shared, "--positions", "2", "--output", str(first))
    assert result.exit_code == 0, result.output
    assert piece.stat().st_mtime_ns == kept
    assert len(list((first / "annotations").glob("*.sgf"))) == 2
    table = (first / "table.md").read_text()
    assert "4.14" in table and "By phase of the game" in table and "the full size of 56,968 positions" in table
    again = [*shared[:2], "--search", "2", "--positions", "2", "--output", str(first)]
    result = run_command(*again)
    assert result.exit_code == 0, "other searches of the same positions: " + result.output
    assert "MCTS(P), 2" in (first / "table.md").read_text()
    names = ("moves", "curves", "values", "errors", "searches")
    assert all((first / f"{name}.svg").stat().st_size > 1000 for name in names)

    arguments = ["--annotations", str(first), "--search", "1", "--against", str(first), "--output", str(other)]
    result = run_command(*arguments)
    assert result.exit_code == 0, result.output
    told = (other / "table.md").read_text()
    assert "this oracle's minus the other's +0.00 ± 0.00" in told and "less than R by this oracle" in told
    with np.load(first / "errors.npz") as one, np.load(other / "errors.npz") as two:
        np.testing.assert_allclose(one["losses"], two["losses"], atol=2e-4)


def test_the_command_says_what_it_needs(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    result = run_command()
    assert result.exit_code == 2 and "say either --from" in result.output
    result = run_command("--from", str(tmp_path))
    assert result.exit_code == 2 and "holds no game on 9x9" in result.output
    write_games(tmp_path / "games", 1)
    result = run_command("--from", str(tmp_path / "games"), "--oracle", "nobody")
    assert result.exit_code == 2 and "is neither a preset" in result.output
    result = run_command(
        *("--from", str(tmp_path / "games"), "--positions", "1", "--oracle", f"{sys.executable} -c ''"),
        *("--output", str(tmp_path / "out")),
    )
    assert result.exit_code == 1 and result.output.startswith(f"Error: {sys.executable}: the engine ended")
