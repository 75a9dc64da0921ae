"""Tree storage: columns, allocation, and what a copied subtree keeps."""

import numpy as np
import pytest

from miai.engine.search.tree import (
    EXPANDING,
    ROOT,
    TERMINAL,
    UNEXPANDED,
    VALUE_COLUMNS,
    Column,
    Tree,
    allocate,
    bytes_per_node,
    child_counts,
    children_of,
    claim_expansion,
    column,
    column_numbers,
    copy_subtree,
    count_kept,
    first_children,
    full_threshold,
    make_columns,
    moves,
    priors,
    publish_children,
    reset_node,
    scores,
    values,
    visits,
)
from tests.search.random_trees import COLUMNS, random_tree

OWN = (*make_columns("selection", ("one", "two")), *make_columns("backup", ("three",)))
ALL = (
    tuple(
        column
        for part, count in {"domain": 2, "selection": 8, "backup": 8}.items()
        for column in make_columns(part, [f"{part}_{number}" for number in range(count)])
    )
    + VALUE_COLUMNS
)
READERS = {
    "move": moves,
    "visits": visits,
    "value": values,
    "score": scores,
    "prior": priors,
    "first_child": first_children,
    "num_children": child_counts,
}


def test_compiled_code_and_python_see_the_same_columns() -> None:
    tree = random_tree(np.random.default_rng(1), 300, OWN)
    for name, reader in READERS.items():
        seen = reader(tree.record)
        assert seen.dtype == tree[name].dtype and seen.shape == (300,)
        np.testing.assert_array_equal(seen[: tree.num_nodes], tree[name][: tree.num_nodes])
        seen[5] = 77
        assert tree[name][5] == 77
    for place, (name, number) in enumerate(OWN):
        seen = column(tree.record, number)
        np.testing.assert_array_equal(seen[: tree.num_nodes], tree[name][: tree.num_nodes])
        seen[6] = -1.0 - place
    assert [float(tree[name][6]) for name, _ in OWN] == [-1.0, -2.0, -3.0]


def test_a_new_tree_is_a_bare_root_and_so_is_a_cleared_one() -> None:
    tree = random_tree(np.random.default_rng(2), 50, OWN)
    tree.clear()
    for bare in (tree, Tree(50, OWN)):
        assert bare.num_nodes == 1 and bare.capacity == 50
        assert [float(bare[name][ROOT]) for name in ("visits", "value", "score")] == [0.0] * 3
        assert bare["first_child"][ROOT] == UNEXPANDED and list(bare.children(ROOT)) == []
        assert [bare[name][ROOT] for name, _ in OWN] == [0.0] * 3


def test_a_reset_node_is_fresh_but_for_the_rules_own_columns() -> None:
    tree = random_tree(np.random.default_rng(3), 50, OWN[:1])
    tree["first_child"][4], tree["num_children"][4] = 9, 3
    own = tree["one"][4]
    reset_node(tree.record, 4, -3, 0.125)
    assert (tree["move"][4], tree["prior"][4], tree["one"][4]) == (-3, 0.125, own)
    assert [float(tree[name][4]) for name in ("visits", "value", "score", "num_children")] == [0.0] * 4
    assert tree["first_child"][4] == UNEXPANDED


def test_children_are_a_range_of_nodes_and_none_unless_published() -> None:
    tree = Tree(50)
    for state in (UNEXPANDED, EXPANDING, TERMINAL):
        tree["first_child"][ROOT] = state
        tree["num_children"][ROOT] = 5
        assert range(*children_of(tree.record, ROOT)) == range(0) == tree.children(ROOT)
    publish_children(tree.record, ROOT, 7, 4)
    assert range(*children_of(tree.record, ROOT)) == range(7, 11) == tree.children(ROOT)


def test_only_one_thread_may_expand_a_node() -> None:
    tree = Tree(50)
    assert claim_expansion(tree.record, ROOT)
    assert tree["first_child"][ROOT] == EXPANDING
    for state in (EXPANDING, TERMINAL, 3):
        tree["first_child"][ROOT] = state
        assert not claim_expansion(tree.record, ROOT)
        assert tree["first_child"][ROOT] == state


def test_allocation_is_refused_when_full_and_takes_nothing() -> None:
    tree = Tree(20)
    assert [allocate(tree.record, 9), allocate(tree.record, 9)] == [1, 10]
    assert tree.num_nodes == 19
    assert allocate(tree.record, 2) == 0 and tree.num_nodes == 19
    assert allocate(tree.record, 1) == 19 and tree.num_nodes == 20
    assert allocate(tree.record, 1) == 0 and tree.num_nodes == 20


def test_columns_of_different_parts_never_share_memory() -> None:
    assert sorted(number for _, number in ALL) == list(range(len(ALL)))
    assert column_numbers("backup", ("three",)) == (OWN[2].number,)


@pytest.mark.parametrize("names", [("one", "one"), [f"column_{number}" for number in range(9)]], ids=["twice", "nine"])
def test_wrong_columns_are_refused_with_what_is_allowed(names: list[str]) -> None:
    with pytest.raises(ValueError, match=rf"{names[-1]} are not allowed \(allowed: 8 different names\)"):
        make_columns("selection", names)


def test_memory_of_a_node_is_that_of_its_columns() -> None:
    assert [bytes_per_node(0), bytes_per_node(4)] == [28, 44]


def subtree_of(tree: Tree, node: int, min_visits: int) -> tuple[object, ...]:
    """Return all that a copy keeps, as nested tuples."""
    own = tuple(float(tree[name][node]) for name, _ in tree.columns)
    kept = tuple(float(tree[name][node]) for name in COLUMNS) + own
    children = tree.children(node) if tree["visits"][node] >= min_visits else range(0)
    state = int(tree["first_child"][node]) if tree["first_child"][node] == TERMINAL else UNEXPANDED
    return (*kept, state if not children else "expanded", tuple(subtree_of(tree, c, min_visits) for c in children))


def count_nodes(tree: Tree, node: int, min_visits: int) -> int:
    children = tree.children(node) if tree["visits"][node] >= min_visits else range(0)
    return 1 + sum(count_nodes(tree, child, min_visits) for child in children)


@pytest.mark.parametrize("columns", [(), OWN, ALL], ids=["none", "some", "all"])
@pytest.mark.parametrize("min_visits", [0, 1, 300])
def test_a_copied_subtree_is_the_subtree_with_all_its_columns(columns: tuple[Column, ...], min_visits: int) -> None:
    rng = np.random.default_rng(min_visits + len(columns))
    tree = random_tree(rng, 800, columns)
    before = subtree_of(tree, ROOT, 0)
    num_terminal = 0
    for node in [ROOT, *tree.children(ROOT), *rng.integers(0, tree.num_nodes, 20)]:
        target = Tree(800, columns)
        copy_subtree(tree.record, node, target.record, min_visits)
        assert subtree_of(target, ROOT, 0) == subtree_of(tree, int(node), min_visits)
        assert target.num_nodes == count_nodes(tree, int(node), min_visits)
        num_terminal += int(np.sum(target["first_child"][: target.num_nodes] == TERMINAL))
    assert num_terminal > 5
    assert subtree_of(tree, ROOT, 0) == before


def test_a_copy_that_finds_no_room_keeps_the_upper_part() -> None:
    tree = random_tree(np.random.default_rng(5), 800, OWN[:1], max_children=4)
    whole = Tree(800, OWN[:1])
    copy_subtree(tree.record, ROOT, whole.record, 0)
    for room in (1, 2, 5, 50, 300):
        target = Tree(room, OWN[:1])
        copy_subtree(tree.record, ROOT, target.record, 0)
        assert max(1, room - 3) <= target.num_nodes <= room or target.num_nodes == whole.num_nodes
        for node in range(target.num_nodes):
            assert target["first_child"][node] in (UNEXPANDED, TERMINAL) or target.children(node).stop <= room
        upper = min(target.num_nodes, max(1, room - 3))  # breadth first, so the order is that of the whole copy
        np.testing.assert_array_equal(target["visits"][:upper], whole["visits"][:upper])


def test_freed_nodes_are_counted_as_a_copy_would_free_them() -> None:
    tree = random_tree(np.random.default_rng(6), 2000)
    tree["visits"][ROOT] = 4000
    for node in range(tree.num_nodes):  # visits fall towards the leaves, as in a search
        for child in tree.children(node):
            tree["visits"][child] = tree["visits"][node] // 2
    sizes = []
    for min_visits in (0, 1, 2, 100, 1000, 10**6):
        target = Tree(2000)
        copy_subtree(tree.record, ROOT, target.record, min_visits)
        assert count_kept(tree.record, min_visits) == target.num_nodes
        sizes.append(target.num_nodes)
    assert sizes == sorted(sizes, reverse=True) and sizes[-1] == 1 and sizes[0] == tree.num_nodes


def chain_of_visits(capacity: int, visit_counts: list[int]) -> Tree:
    """Return a tree in which the first child of each node has two children, and so on, with these visits."""
    tree = Tree(capacity)
    node = ROOT
    for count in visit_counts:
        tree["visits"][node] = count
        first = int(allocate(tree.record, 2))
        for child in (first, first + 1):
            reset_node(tree.record, child, child, 0.5)
        publish_children(tree.record, node, first, 2)
        node = first
    return tree


@pytest.mark.parametrize(
    ("visit_counts", "expected"),
    [
        ([1024, 1, 1, 1], 2),  # of 9 nodes 3 stay
        ([100, 90, 1, 1], 2),  # 5 stay
        ([1024, 8, 3, 1], 4),  # at 2 there would be 7
        ([9, 8, 8, 7], 16),  # at 8 there would be 7, at 16 only the root stays
    ],
)
def test_a_full_tree_is_pruned_at_the_smallest_power_of_two_that_frees_half(
    visit_counts: list[int], expected: int
) -> None:
    tree = chain_of_visits(10, visit_counts)
    assert tree.num_nodes == 9
    assert full_threshold(tree) == expected
    assert count_kept(tree.record, expected) <= 5


def test_children_can_be_left_out_with_all_their_columns() -> None:
    tree = Tree(64, OWN)
    first = allocate(tree.record, 4)
    for index, node in enumerate(range(first, first + 4)):
        reset_node(tree.record, node, 10 + index, 0.1 * (index + 1))
        for number, own in enumerate(OWN):
            column(tree.record, own.number)[node] = 100 * number + index
    publish_children(tree.record, ROOT, first, 4)
    tree.keep_children(ROOT, [first + 1, first + 3])
    assert tree["move"][tree.children(ROOT)].tolist() == [11, 13]
    assert tree["prior"][tree.children(ROOT)] == pytest.approx([1 / 3, 2 / 3])
    for number, own in enumerate(OWN):
        assert tree[own.name][tree.children(ROOT)].tolist() == [100 * number + 1, 100 * number + 3]
