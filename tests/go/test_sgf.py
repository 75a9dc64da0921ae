"""Reading and writing game records."""

import os
import random
from pathlib import Path

import pytest

from miai.engine.go.diagram import game_from_diagram
from miai.engine.go.drawing import draw
from miai.engine.go.game import Game
from miai.engine.go.points import BLACK, PASS, WHITE, move_at
from miai.engine.go.rules import RULES, Rules
from miai.engine.go.sgf import MAX_BYTES, MAX_MOVES, MAX_NODES, GameInfo, SgfError, load_game, save_game, sgf_of


def at(vertex: str, size: int = 9) -> int:
    return move_at(vertex, size)


def test_moves_komi_names_result_and_comments_are_read() -> None:
    game, info = load_game(
        b"(;GM[1]FF[4]CA[UTF-8]SZ[9]KM[6.5]RU[Chinese]PB[Ichi]PW[Ni \\] San]RE[B+2.5]DT[2020-01-02]EV[Cup]RO[3]"
        b"C[start];B[ee]C[centre];W[cc];B[tt];W[])"
    )
    assert game.moves == [(BLACK, at("E5")), (WHITE, at("C7")), (BLACK, PASS), (WHITE, PASS)]
    assert (game.size, game.komi, game.rules) == (9, 6.5, RULES["chinese"])
    assert info == GameInfo(
        black="Ichi",
        white="Ni ] San",
        result="B+2.5",
        rules="Chinese",
        date="2020-01-02",
        event="Cup",
        round="3",
        comments={0: "start", 1: "centre"},
    )


@pytest.mark.parametrize(
    ("charset", "encoding", "name"),
    [
        ("", "utf-8", "柯洁"),
        ("", "latin-1", "Müller"),
        ("CA[UTF-8]", "utf-8", "Müller"),
        ("CA[ISO-8859-1]", "latin-1", "Müller"),
        ("CA[GB18030]", "gb18030", "柯洁"),
        ("CA[unheard-of]", "utf-8", "柯洁"),
        ("CA[unheard-of]", "latin-1", "Müller"),
        ("CA[rot13]", "utf-8", "柯洁"),
        ("CA[]", "utf-8", "柯洁"),
    ],
)
def test_names_are_read_in_the_encoding_of_the_file(charset: str, encoding: str, name: str) -> None:
    info = load_game(f"(;SZ[9]{charset}PB[{name}];B[ee]C[{name}])".encode(encoding))[1]
    assert (info.black, info.comments) == (name, {1: name})


def test_names_are_one_line_that_does_not_steer_a_terminal() -> None:
    info = load_game(b"(;CA[UTF-8]SZ[9]PB[\x1b[31mRed\x1b\\]0;x\x07\nline 2]RE[\x1b[2J]EV[\xe7\xa2\x81 cup])")[1]
    assert info.black == "[31mRed ]0;x line 2" and info.result == "[2J" and info.event == "碁 cup"


def test_the_main_line_counts_among_variations_and_the_first_among_games() -> None:
    game, _ = load_game(b"(;SZ[9];B[ee](;W[cc](;B[aa])(;B[bb]))(;W[dd]))(;SZ[5];B[aa])")
    assert game.moves == [(BLACK, at("E5")), (WHITE, at("C7")), (BLACK, at("A9"))]


def test_position_before_a_move_number_as_in_loadsgf() -> None:
    content = b"(;SZ[9];B[ee];W[cc];B[dd])"
    for number, played in ((None, 3), (1, 0), (2, 1), (4, 3), (99, 3), (0, 0)):
        game, _ = load_game(content, number)
        assert len(game.moves) == played
    game, _ = load_game(b"(;SZ[9];W[ee];W[cc])", 2)
    assert game.to_play == WHITE


def test_setup_stones_and_player_begin_a_game() -> None:
    game, _ = load_game(b"(;SZ[5]AB[aa:bb]AW[ee][de]PL[W])")
    assert game.setup_stones == {at(v, 5): BLACK for v in ("A5", "B5", "A4", "B4")} | {
        at("E1", 5): WHITE,
        at("D1", 5): WHITE,
    }
    assert game.to_play == WHITE and game.handicap == 0


def test_setup_in_mid_game_begins_anew_from_that_position() -> None:
    game, info = load_game(b"(;SZ[5]C[gone];B[aa];W[bb];AE[aa]AB[cc]PL[W]C[here];W[dd])")
    assert game.setup_stones == {at("B4", 5): WHITE, at("C3", 5): BLACK}
    assert game.moves == [(WHITE, at("D2", 5))]
    assert info.comments == {0: "here"}


def test_handicap_is_read() -> None:
    game, _ = load_game(b"(;SZ[9]HA[2]AB[gc][cg];W[ee])")
    assert game.handicap == 2 and game.setup_stones == {at("G7"): BLACK, at("C3"): BLACK}
    game, _ = load_game(b"(;SZ[9]HA[2]AB[gc][cg])")
    assert game.to_play == WHITE
    game, _ = load_game(b"(;SZ[9]HA[]AB[gc][cg];W[ee])")
    assert game.handicap == 0 and len(game.setup_stones) == 2


def test_size_is_19_unless_given_and_unknown_rules_mean_simple_ko() -> None:
    game, info = load_game(b"(;RU[Our own];B[aa])")
    assert game.size == 19 and game.rules == Rules("none", False) and info.rules == "Our own"
    assert load_game(b"(;B[aa])", rules=RULES["cgos"])[0].rules == RULES["cgos"]


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"", "no SGF file"),
        (b"hello", "no SGF file"),
        (bytes(range(256)) * 100, "no SGF file"),
        (b"(;SZ[9];B[ee]", "no SGF file"),
        (b"(;SZ[9];B[e", "no SGF file"),
        (b"(;" * 50_000, "no SGF file"),
        (b"(;SZ[" + b"9" * 10_000 + b"])", "no SGF file"),
        (b"(;SZ[9:7])", "no SGF file"),
        (b"(;SZ[25])", "unacceptable size 25: allowed are 2 to 19"),
        (b"(;SZ[1])", "unacceptable size 1"),
        (b"(;GM[2]SZ[9])", "no game of Go"),
        (b"(;SZ[9]KM[many])", "bad komi 'many'"),
        (b"(;SZ[9]KM[1e308])", "komi 1e.308 is not allowed"),
        (b"(;SZ[9]" + b";" * (MAX_NODES + 1) + b")", "more than 50000 nodes"),
        (b"[" * MAX_BYTES, "no SGF file"),
        (b"[" * (MAX_BYTES - 1) + b"\\", "no SGF file"),
        (b"(;SZ[9]" + b"(;B[aa])" * (MAX_NODES + 1) + b")", "more than 50000 nodes"),
        (b"(;SZ[9]" + b";AB[aa];AE[aa]" * MAX_MOVES + b";)", "main line of more than 10000 nodes"),
        (b"(;SZ[9]HA[x]AB[aa])", "bad handicap 'x'"),
        (b"(;SZ[9];B[zz])", "move 1: 'zz' is no point of a 9x9 board"),
        (b"(;SZ[9];B[abc])", "move 1: 'abc' is no point"),
        (b"(;SZ[9];B[ee];W[ee])", "move 2: E5 is illegal: occupied"),
        (b"(;SZ[9]RU[Chinese]AB[ab][ba];W[aa])", "move 1: A9 is illegal: suicide"),
        (b"(;SZ[9];B[ee]W[cc])", "move 1: both colours move at once"),
        (b"(;SZ[9]AB[zz])", "bad set-up after 0 moves"),
        (b"(;SZ[9]AB[aa]AW[aa])", "bad set-up after 0 moves: two colours on one point"),
        (b"(;SZ[2]AB[aa][ab][ba][bb])", "bad set-up after 0 moves: the position has a block without a liberty"),
        (b"(;SZ[9]PL[x])", "bad set-up after 0 moves"),
        (b"(;SZ[9]" + b";B[]" * 6000 + b")", "more than 5000 moves"),
        (b"(;SZ[9])" + b" " * MAX_BYTES, "more than"),
    ],
)
def test_wrong_content_gives_one_clear_error(content: bytes, complaint: str) -> None:
    with pytest.raises(SgfError, match=complaint) as error:
        load_game(content)
    assert "\n" not in str(error.value) and len(str(error.value)) < 300


def test_ko_retaken_in_a_file_is_illegal() -> None:
    content = b"(;SZ[5]RU[Chinese]AB[ba][ab][bc][cb]AW[ca][db][cc];W[bb];B[cb])"
    before = game_from_diagram(". X O . .\nX . X O .\n. X O . .\n. . . . .\n. . . . .", WHITE)
    assert load_game(content, 1)[0].stones() == before.stones()
    assert load_game(content, 2)[0].num_captured == {BLACK: 1, WHITE: 0}
    with pytest.raises(SgfError, match="move 2: C4 is illegal: ko"):
        load_game(content)


def test_wrong_paths_give_one_clear_error(tmp_path: Path) -> None:
    with pytest.raises(SgfError, match="No such file"):
        load_game(tmp_path / "missing.sgf")
    with pytest.raises(SgfError, match=r"not a file|directory"):
        load_game(tmp_path)
    with pytest.raises(SgfError, match="null"):
        load_game("a\0b")
    with pytest.raises(SgfError, match="cannot read"):
        load_game("x" * 5000)
    huge = tmp_path / "huge.sgf"
    with huge.open("wb") as file:
        file.truncate(1 << 32)
    with pytest.raises(SgfError, match="more than"):
        load_game(huge)
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe")
        with pytest.raises(SgfError, match="not a file"):
            load_game(tmp_path / "pipe")


def test_truncated_and_damaged_files_never_raise_anything_else() -> None:
    game, _ = load_game(b"(;SZ[9]HA[2]KM[0.5]RU[cgos]AB[gc][cg]C[a];W[ee](;B[cc]C[b\\]])(;B[dd]))")
    content = sgf_of(game, GameInfo(black="x", comments={1: "ü]:\\"}))
    rng = random.Random(5)
    for _ in range(2000):
        damaged = bytearray(content[: rng.randrange(len(content) + 1)])
        for _ in range(rng.randrange(4)):
            if damaged:
                damaged[rng.randrange(len(damaged))] = rng.randrange(256)
        try:
            load_game(bytes(damaged))
        except SgfError as error:
            assert str(error)


def random_game(rng: random.Random, size: int, rules: Rules) -> Game:
    game = Game(size, rng.choice((7.0, 0.5, -3.25, 0.0)), rules)
    if rng.random() < 0.3:
        points = rng.sample(game.legal_points(BLACK), 2)
        game.place_handicap(points)
    for _ in range(rng.randrange(60)):
        color = game.to_play if rng.random() < 0.9 else 3 - game.to_play
        game.play(color, rng.choice([*game.legal_points(color), PASS]))
    if rng.random() < 0.3:
        game.set_up(game.stones(), rng.choice((BLACK, WHITE)))
        for _ in range(rng.randrange(9)):
            game.play(game.to_play, rng.choice([*game.legal_points(game.to_play), PASS]))
    return game


@pytest.mark.parametrize("rules", [Rules(ko, suicide) for ko in ("positional", "none") for suicide in (False, True)])
def test_games_survive_saving_and_loading(rules: Rules, tmp_path: Path) -> None:
    rng = random.Random(str(rules))
    for number in range(40):
        game = random_game(rng, rng.choice((2, 5, 9)), rules)
        comments = {
            n: rng.choice(("[x] \\ y", "line\nline", "黒:白")) for n in range(len(game.moves) + 1) if n % 7 == 0
        }
        info = GameInfo(black="黒 [1]", white="a\\b", result="W+R", event="e:f", comments=comments)
        path = tmp_path / f"{number}.sgf"
        save_game(game, path, info)
        loaded, loaded_info = load_game(path)
        assert loaded.moves == game.moves
        assert loaded.setup_stones == game.setup_stones
        assert (loaded.to_play, loaded.handicap) == (game.to_play, game.handicap)
        assert (loaded.size, loaded.komi, loaded.rules) == (game.size, game.komi, game.rules)
        assert draw(loaded.board) == draw(game.board)
        assert loaded_info.comments == comments
        assert (loaded_info.black, loaded_info.white, loaded_info.event) == (info.black, info.white, info.event)
        assert sgf_of(loaded, loaded_info) == path.read_bytes()
    assert sorted(path.suffix for path in tmp_path.iterdir()) == [".sgf"] * 40


def test_a_file_that_cannot_be_written_leaves_the_old_one(tmp_path: Path) -> None:
    target = tmp_path / "game.sgf"
    target.mkdir()
    with pytest.raises(SgfError, match="cannot write"):
        save_game(Game(9), target)
    with pytest.raises(SgfError, match="cannot write"):
        save_game(Game(9), tmp_path / "nowhere" / "game.sgf")
    assert [path.name for path in tmp_path.iterdir()] == ["game.sgf"]


def test_a_file_without_komi_takes_the_default():
    record = b"(;GM[1]SZ[9];B[ee])"
    assert load_game(record)[0].komi == 0.0
    assert load_game(record, default_komi=6.5)[0].komi == 6.5
    assert load_game(b"(;GM[1]SZ[9]KM[5.5];B[ee])", default_komi=6.5)[0].komi == 5.5
