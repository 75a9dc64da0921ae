"""Tree storage: one column an attribute, one row a node, the children of a node side by side.

Compiled code is handed the tree as one record of addresses and turns a column's address into an array where it
needs one (`visits(tree)[child]`). Passing the arrays themselves would count references at every call, with
atomic instructions that two threads would fight over.

A node's `value` and `score` are from the view of the player who moves at its **parent**: a selection rule
compares the children's numbers as they are. The root's are from its opponent's view.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numba
import numpy as np

from miai.engine.intrinsics import compare_and_swap, observe, publish, to_pointer
from miai.engine.jit import compiled

UNEXPANDED = 0
"""`first_child` of a node without children; the root, number 0, is no child."""
EXPANDING = -1
"""`first_child` while a thread makes the children."""
TERMINAL = -2
"""`first_child` of a node where the game is over."""

ROOT = 0
_NUMBERS = {"values": range(3), "domain": range(3, 5), "selection": range(5, 13), "backup": range(13, 21)}
"""The numbers of the columns that each part of a search may ask for. They depend on nothing but the part, so compiled
code is the same in every process, whatever rules it knows."""
_NUM_NUMBERS = 21


class Column(NamedTuple):
    """A float32 for each node, which takes memory only where a part of the search declares it."""

    name: str
    number: int


_COLUMNS: dict[str, type] = {
    "move": np.int16,  # the domain's number of the move that leads to the node
    "visits": np.int32,  # simulations that went through the node
    "value": np.float64,  # backed-up result, 0 to 1
    "score": np.float32,  # mean final score in points
    "prior": np.float32,  # probability among the siblings
    "first_child": np.int32,  # node, or UNEXPANDED, EXPANDING, TERMINAL
    "num_children": np.int16,
}

TREE_DTYPE = np.dtype(
    [
        ("capacity", "i8"),
        ("num_nodes", "i8", (1,)),  # how many are in use; an array for compare-and-swap
        *((name, "u8") for name in _COLUMNS),
        ("results", "u8"),
        ("columns", "u8", (_NUM_NUMBERS,)),  # by number, 0 if not asked for
    ],
    align=True,
)
"""What compiled code knows of a tree: the addresses of its columns."""


@compiled
def moves(tree):
    """Return the column `move`, int16."""
    return numba.carray(to_pointer(tree.move), (tree.capacity,), np.int16)


@compiled
def visits(tree):
    """Return the column `visits`, int32."""
    return numba.carray(to_pointer(tree.visits), (tree.capacity,), np.int32)


@compiled
def results(tree):
    """Return how many results were backed up through each node, int32: its visits without those under way.

    Where one thread searches nothing is under way then, and these are the visits themselves.
    """
    return numba.carray(to_pointer(tree.results), (tree.capacity,), np.int32)


@compiled
def values(tree):
    """Return the column `value`, float64, each from the view of the player who moves at the node's parent."""
    return numba.carray(to_pointer(tree.value), (tree.capacity,), np.float64)


@compiled
def scores(tree):
    """Return the column `score`, float32, in points, each from the view of the player who moves at the parent."""
    return numba.carray(to_pointer(tree.score), (tree.capacity,), np.float32)


@compiled
def priors(tree):
    """Return the column `prior`, float32: probabilities, which sum to 1 over siblings."""
    return numba.carray(to_pointer(tree.prior), (tree.capacity,), np.float32)


@compiled
def first_children(tree):
    """Return the column `first_child`, int32: a node, UNEXPANDED, EXPANDING or TERMINAL."""
    return numba.carray(to_pointer(tree.first_child), (tree.capacity,), np.int32)


@compiled
def child_counts(tree):
    """Return the column `num_children`, int16."""
    return numba.carray(to_pointer(tree.num_children), (tree.capacity,), np.int16)


@compiled
def column(tree, number):
    """Return a `Column`, float32, by its number."""
    return numba.carray(to_pointer(tree.columns[number]), (tree.capacity,), np.float32)


def make_columns(part: str, names: Sequence[str]) -> tuple[Column, ...]:
    """Return the columns of one part of a search: `selection` or `backup` (rules), `domain` or `values`.

    Raises:
        ValueError: if two have the same name, or there are more than that part may have.
    """
    numbers = _NUMBERS[part]
    if len(names) > len(numbers) or len(set(names)) < len(names):
        raise ValueError(f"columns {', '.join(names)} are not allowed (allowed: {len(numbers)} different names)")
    return tuple(map(Column, names, numbers))


def column_numbers(part: str, names: Sequence[str]) -> tuple[int, ...]:
    """Return the numbers of a part's columns, to be constants of compiled code; see `make_columns`."""
    return tuple(column.number for column in make_columns(part, names))


VALUE_COLUMNS = make_columns("values", ("outcome", "log_not_win", "log_loss"))
"""What the kind of values needs: the mean result, where values are points; win, draw and loss probabilities."""


class Children(NamedTuple):
    """The nodes `first` to `end - 1`."""

    first: int
    end: int


@compiled
def children_of(tree, node):
    """Return the children of a node as a range of node numbers, empty if it has none."""
    first = np.int64(first_children(tree)[node])
    if first <= 0:
        return Children(np.int64(0), np.int64(0))
    observe()
    return Children(first, first + np.int64(child_counts(tree)[node]))


@compiled
def follow_best(tree, nodes, lines, lengths):
    """Write each of `nodes` and the best play behind it to a row of `lines`, and how long it is to `lengths`.

    The best child has most visits, of these the greatest value; a line ends where none was visited or its row is full.
    """
    for row in range(nodes.shape[0]):
        node = np.int64(nodes[row])
        length = 0
        while node >= 0 and length < lines.shape[1]:
            lines[row, length] = node
            length += 1
            children = children_of(tree, node)
            best = np.int64(-1)
            for child in range(children.first, children.end):
                count = visits(tree)[child]
                if count == 0:
                    continue
                if best < 0 or count > visits(tree)[best]:
                    best = child
                elif count == visits(tree)[best] and values(tree)[child] > values(tree)[best]:
                    best = child
            node = best
        lengths[row] = length


@compiled
def claim_expansion(tree, node):
    """Tell whether this thread is the one to make the node's children."""
    return compare_and_swap(first_children(tree), node, np.int32(UNEXPANDED), np.int32(EXPANDING))


@compiled
def allocate(tree, count):
    """Take `count` nodes in a row from the pool; return the first, or 0 if there is no room."""
    while True:
        first = np.int64(tree.num_nodes[0])
        if first + count > tree.capacity:
            return np.int64(0)
        if compare_and_swap(tree.num_nodes, 0, first, first + np.int64(count)):
            return first


@compiled
def publish_children(tree, node, first, count):
    """Let other threads see the children, once everything in them is written."""
    child_counts(tree)[node] = count
    publish()
    first_children(tree)[node] = first


@compiled
def reset_node(tree, node, move, prior):
    """Write a fresh node; the rules' own columns are left to the rules."""
    moves(tree)[node] = move
    visits(tree)[node] = 0
    results(tree)[node] = 0
    values(tree)[node] = 0.0
    scores(tree)[node] = 0.0
    priors(tree)[node] = prior
    child_counts(tree)[node] = 0
    first_children(tree)[node] = UNEXPANDED


@compiled
def _copy_node(source, node, target, copy):
    moves(target)[copy] = moves(source)[node]
    visits(target)[copy] = visits(source)[node]
    results(target)[copy] = results(source)[node]
    values(target)[copy] = values(source)[node]
    scores(target)[copy] = scores(source)[node]
    priors(target)[copy] = priors(source)[node]
    for number in range(source.columns.shape[0]):
        if source.columns[number] != 0:
            column(target, number)[copy] = column(source, number)[node]
    child_counts(target)[copy] = 0
    # Until its children are copied, a copy remembers there which node it is a copy of.
    first_children(target)[copy] = node


@compiled
def copy_subtree(source, node, target, min_visits):
    """Copy the subtree below `node` to the empty tree `target`, breadth first, where `node` becomes the root.

    Children of nodes with fewer than `min_visits` visits are left out, as are those that find no room.
    """
    _copy_node(source, node, target, np.int64(ROOT))
    num_nodes = np.int64(1)
    copy = np.int64(0)
    while copy < num_nodes:
        origin = np.int64(first_children(target)[copy])
        first = np.int64(first_children(source)[origin])
        count = np.int64(child_counts(source)[origin])
        if first <= 0 or visits(source)[origin] < min_visits or num_nodes + count > target.capacity:
            first_children(target)[copy] = TERMINAL if first == TERMINAL else UNEXPANDED
        else:
            for offset in range(count):
                _copy_node(source, first + offset, target, num_nodes + offset)
            first_children(target)[copy] = num_nodes
            child_counts(target)[copy] = count
            num_nodes += count
        copy += 1
    target.num_nodes[0] = num_nodes


@compiled
def count_kept(tree, min_visits):
    """Return how many nodes would be left if the children of nodes with fewer than `min_visits` visits were freed."""
    count = np.int64(1)
    for node in range(tree.num_nodes[0]):
        if first_children(tree)[node] > 0 and visits(tree)[node] >= min_visits:
            count += child_counts(tree)[node]
    return count


class Tree:
    """Memory of one search tree. Pages that were never written to take no memory."""

    record: np.void
    """The addresses, for compiled code."""

    def __init__(self, capacity: int, columns: Iterable[Column] = (), results_apart: bool = False) -> None:
        """Reserve room for `capacity` nodes with these columns; begins with a bare root.

        Args:
            capacity: in nodes.
            columns: of the rules and the domain.
            results_apart: whether `results` are counted beside the visits, as several threads need it.
        """
        self._arrays: dict[str, np.ndarray] = {name: np.empty(capacity, dtype=kind) for name, kind in _COLUMNS.items()}
        if results_apart:
            self._arrays["results"] = np.empty(capacity, dtype=np.int32)
        self._records = np.zeros(1, dtype=TREE_DTYPE)
        self.record = self._records[0]
        self.address: int = self._records.ctypes.data
        """Where the record is, for compiled code that is handed many trees."""
        self.record["capacity"] = capacity
        for name, array in self._arrays.items():
            self.record[name] = array.ctypes.data
        if not results_apart:
            self.record["results"] = self.record["visits"]
        self.columns = tuple(columns)
        self._floats = {column: np.empty(capacity, dtype=np.float32) for column in self.columns}
        for column, array in self._floats.items():
            self.record["columns"][column.number] = array.ctypes.data
        self.clear()

    def clear(self) -> None:
        """Forget everything but a bare root."""
        self.record["num_nodes"][0] = 1
        reset_node(self.record, ROOT, 0, 1.0)
        for array in self._floats.values():
            array[ROOT] = 0.0

    def __getitem__(self, name: str) -> np.ndarray:
        """Return a column by name, for reports and tests; the first of that name."""
        if name in self._arrays:
            return self._arrays[name]
        return {column.name: array for column, array in reversed(self._floats.items())}[name]

    @property
    def num_nodes(self) -> int:
        """Nodes in use."""
        return int(self.record["num_nodes"][0])

    @property
    def capacity(self) -> int:
        """Nodes there is room for."""
        return int(self.record["capacity"])

    def children(self, node: int) -> range:
        """Return the children of a node."""
        first = int(self["first_child"][node])
        return range(first, first + int(self["num_children"][node])) if first > 0 else range(0)

    def keep_children(self, node: int, kept: Sequence[int]) -> None:
        """Forget all children of a node but some, at least one; none of the children may have children of its own."""
        children = self.children(node)
        rows = slice(children.start, children.start + len(kept))
        for array in (*self._arrays.values(), *self._floats.values()):
            array[rows] = array[list(kept)]
        total = float(self["prior"][rows].sum())
        if total > 0:
            self["prior"][rows] /= total
        self["num_children"][node] = len(kept)


def bytes_per_node(num_columns: int) -> int:
    """Return the memory of a node in bytes: 28, and 4 for each column of the rules' own or of counted results."""
    return sum(np.dtype(kind).itemsize for kind in _COLUMNS.values()) + 4 * num_columns


def full_threshold(tree: Tree) -> int:
    """Return the smallest power of two such that keeping nodes with so many visits frees at least half the tree."""
    threshold = 2
    while count_kept(tree.record, threshold) > tree.capacity // 2:
        threshold *= 2
    return threshold
