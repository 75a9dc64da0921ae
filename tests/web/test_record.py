"""A game with its variations, to SGF and back."""

import pytest

from miai.engine.go.game import Game, IllegalMove
from miai.engine.go.points import BLACK, PASS, WHITE, move_at, vertex_of
from miai.engine.go.sgf import SgfError, load_game
from miai.web.record import ROOT, RecordError, RecordTree, read_record

BRANCHED = b"(;GM[1]SZ[9]KM[6.5]PB[Ann];B[ee]C[first];W[gc](;B[cc];W[dd](;B[dc])(;B[cd];W[de]))(;B[cg]C[third];W[cc]))"


def moves_to(record: RecordTree, node: int) -> list[str]:
    return [vertex_of(record.nodes[one].move, record.game.size) for one in record.path_to(node)[1:]]


def leaves(record: RecordTree) -> list[list[str]]:
    return [moves_to(record, number) for number, node in enumerate(record.nodes) if not node.children]


def test_variations_are_read_the_main_line_first() -> None:
    record, left_out = read_record(BRANCHED)
    assert left_out == "" and record.node == ROOT and record.info.black == "Ann"
    assert leaves(record) == [
        ["E5", "G7", "C7", "D6", "D7"],
        ["E5", "G7", "C7", "D6", "C6", "D5"],
        ["E5", "G7", "C3", "C7"],
    ]
    assert [node.comment for node in record.nodes if node.comment] == ["first", "third"]
    assert record.line() == [0, 1, 2, 3, 4, 5]


def test_a_record_survives_writing_and_reading() -> None:
    record, _ = read_record(BRANCHED)
    record.go_to(7)
    again, _ = read_record(record.to_sgf().encode())
    assert again.nodes == record.nodes and again.info.black == "Ann" and again.game.komi == 6.5
    assert record.order() == list(range(len(record.nodes)))


def test_nodes_keep_their_numbers_though_a_file_has_them_in_another_order() -> None:
    record, _ = read_record(BRANCHED)
    record.go_to(1)
    record.add(WHITE, move_at("A1", 9))
    record.go_to(3)
    added = record.add(BLACK, PASS)
    assert record.order() != list(range(len(record.nodes)))
    again, _ = read_record(record.to_sgf().encode())
    assert again.nodes != record.nodes
    again.go_to(4)
    here = moves_to(again, 4)
    again.renumber(record.order())
    assert again.nodes == record.nodes and moves_to(again, again.node) == here
    again.go_to(added)
    assert again.game.moves == record.game.moves


@pytest.mark.parametrize("order", [[], [0], [*range(9), 0], [1, 0, *range(2, 10)], list(range(11))])
def test_an_order_of_other_nodes_is_refused(order: list[int]) -> None:
    record, _ = read_record(BRANCHED)
    nodes = list(record.nodes)
    with pytest.raises(RecordError, match=f"the order is none of {len(nodes)} nodes"):
        record.renumber(order)
    assert record.nodes == nodes


@pytest.mark.parametrize(
    ("charset", "encoding"),
    [("", "utf-8"), ("CA[UTF-8]", "utf-8"), ("CA[GB18030]", "gb18030"), ("CA[big5]", "big5")],
)
def test_names_and_comments_keep_their_signs_in_any_encoding(charset: str, encoding: str) -> None:
    text = f"(;SZ[9]{charset}PB[柯洁];B[ee]C[天元](;W[gc]C[小目])(;W[cc]C[三三]))"
    record, _ = read_record(text.encode(encoding))
    again, _ = read_record(record.to_sgf().encode())
    assert again.info.black == "柯洁"
    assert [node.comment for node in again.nodes] == ["", "天元", "小目", "三三"]


def test_what_is_written_is_the_main_line_for_other_readers() -> None:
    record, _ = read_record(BRANCHED)
    game, info = load_game(record.to_sgf().encode())
    assert [vertex_of(move, 9) for _, move in game.moves] == ["E5", "G7", "C7", "D6", "D7"]
    assert info.comments == {1: "first"}


def test_going_to_a_node_shows_its_position_from_anywhere() -> None:
    record, _ = read_record(BRANCHED)
    for start in range(len(record.nodes)):
        for target in range(len(record.nodes)):
            record.go_to(start)
            record.go_to(target)
            fresh = Game(9)
            for vertex in moves_to(record, target):
                fresh.play(fresh.to_play, vertex)
            assert record.game.stones() == fresh.stones() and record.game.to_play == fresh.to_play


def test_a_move_that_is_there_is_not_added_twice() -> None:
    record, _ = read_record(BRANCHED)
    size = len(record.nodes)
    assert record.add(BLACK, move_at("E5", 9)) == 1 and len(record.nodes) == size
    assert record.add(WHITE, PASS) == size
    with pytest.raises(IllegalMove):
        record.add(BLACK, move_at("E5", 9))
    assert record.node == size


def test_deleting_a_variation_leaves_the_others() -> None:
    record, _ = read_record(BRANCHED)
    record.go_to(5)
    record.delete(3)
    assert leaves(record) == [["E5", "G7", "C3", "C7"]]
    assert moves_to(record, record.node) == ["E5", "G7"]
    with pytest.raises(RecordError, match="start"):
        record.delete(ROOT)
    with pytest.raises(RecordError, match="no node 99"):
        record.go_to(99)


def test_handicap_stones_stay_and_white_begins() -> None:
    start = Game(9, 0.5)
    start.place_handicap(["C3", "G7"])
    record = RecordTree(start)
    record.add(WHITE, move_at("E5", 9))
    again, _ = read_record(record.to_sgf().encode())
    assert again.game.to_play == WHITE and len(again.game.stones()) == 2
    again.go_to(1)
    assert len(again.game.stones()) == 3


def test_an_illegal_variation_is_left_out_and_an_illegal_main_line_refused() -> None:
    record, left_out = read_record(b"(;SZ[9];B[ee];W[gc](;B[cc])(;B[gc];W[aa]))")
    assert leaves(record) == [["E5", "G7", "C7"]] and left_out.startswith("1 variation was left out")
    with pytest.raises(SgfError, match="move 2"):
        read_record(b"(;SZ[9];B[ee];W[ee])")


def test_stones_that_are_set_up_later_leave_only_the_main_line() -> None:
    record, left_out = read_record(b"(;SZ[9];B[ee];AW[aa];W[gc](;B[cc])(;B[cg]))")
    assert "only its main line" in left_out and leaves(record) == [["G7", "C7"]]
    assert len(record.game.stones()) == 2


def test_stones_that_are_set_up_in_a_variation_leave_out_that_one() -> None:
    record, left_out = read_record(b"(;SZ[9];B[ee](;W[cc];B[dd])(;AW[ff];B[gg])(;W[gg];B[aa]))")
    assert leaves(record) == [["E5", "C7", "D6"], ["E5", "G3", "A9"]]
    assert left_out == "1 variation was left out: illegal, with stones set up, or too many moves."


def test_a_comment_with_a_wrong_byte_keeps_the_others() -> None:
    record, _ = read_record("(;SZ[9]CA[UTF-8]C[fine];B[ee]C[caf\xe9])".encode("latin-1"))
    assert [node.comment for node in record.nodes] == ["fine", "caf\ufffd"]
