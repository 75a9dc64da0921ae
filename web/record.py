"""A game with its variations: a tree of moves with a current node, read from SGF and written to it."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from sgfmill.sgf import Node as SgfNode
from sgfmill.sgf import Sgf_game, Tree_node

from miai.engine.go.game import Game, IllegalMove
from miai.engine.go.points import EMPTY, PASS, vertex_of
from miai.engine.go.sgf import (
    COLORS,
    LETTERS,
    GameInfo,
    SgfError,
    load_game,
    place_of,
    point_of,
    read_tree,
    sgf_of,
    text_of,
)
from miai.web.messages import MAX_NODES

ROOT = 0


class RecordError(ValueError):
    """What cannot be done with a record; the text says why."""


@dataclass
class MoveNode:
    """A position, by the move that leads to it."""

    parent: int
    """Number of the node before; the root's is -1."""
    color: int
    """Of who moved; EMPTY at the root."""
    move: int
    """A point or PASS."""
    comment: str = ""
    children: list[int] = field(default_factory=list)
    """Numbers of the nodes behind it, the main line first."""


class RecordTree:
    """A tree of moves from a set-up position, and the node that is looked at."""

    def __init__(self, start: Game, info: GameInfo | None = None) -> None:
        """Begin with the set-up position of a game, which has no moves yet."""
        self.info = info or GameInfo()
        """Names, result and date."""
        self.nodes = [MoveNode(-1, EMPTY, PASS)]
        self.node = ROOT
        """Number of the node that is looked at."""
        self.game = start.copy()
        """The position there, with the moves that lead to it."""

    def add(self, color: int, move: int) -> int:
        """Make a move from here, an old variation or a new one; return its node.

        Raises:
            IllegalMove: if the rules forbid it; nothing is changed.
            RecordError: if the record is full.
        """
        for number in self.nodes[self.node].children:
            if (self.nodes[number].color, self.nodes[number].move) == (color, move):
                self.go_to(number)
                return number
        if len(self.nodes) > MAX_NODES:
            raise RecordError(f"the game has {MAX_NODES} moves, variations included, as many as may be")
        self.game.play(color, move)
        self.nodes.append(MoveNode(self.node, color, move))
        number = len(self.nodes) - 1
        self.nodes[self.node].children.append(number)
        self.node = number
        return number

    def path_to(self, node: int) -> list[int]:
        """Return the nodes from the root to one, both included."""
        path = [node]
        while path[-1] != ROOT:
            path.append(self.nodes[path[-1]].parent)
        return path[::-1]

    def go_to(self, node: int) -> None:
        """Look at another node.

        Raises:
            RecordError: if there is none of this number.
        """
        self._check(node)
        here, there = self.path_to(self.node), self.path_to(node)
        shared = sum(1 for _ in _common(here, there))
        for _ in here[shared:]:
            self.game.undo()
        for number in there[shared:]:
            self.game.play(self.nodes[number].color, self.nodes[number].move)
        self.node = node

    def delete(self, node: int) -> None:
        """Remove a node and what is behind it; nodes are numbered anew.

        Raises:
            RecordError: if there is none of this number, or it is the root.
        """
        self._check(node)
        if node == ROOT:
            raise RecordError("the start of the game cannot be removed")
        if node in self.path_to(self.node):
            self.go_to(self.nodes[node].parent)
        self.nodes[self.nodes[node].parent].children.remove(node)
        kept = sorted(self._below(ROOT))
        numbers = {old: new for new, old in enumerate(kept)}
        self.node = numbers[self.node]
        self.nodes = [self.nodes[old] for old in kept]
        for one in self.nodes:
            one.parent = numbers.get(one.parent, -1)
            one.children = [numbers[child] for child in one.children]

    def line(self) -> list[int]:
        """Return the nodes of the game as it is looked at: to this node, and on by the first variations."""
        path = self.path_to(self.node)
        while self.nodes[path[-1]].children:
            path.append(self.nodes[path[-1]].children[0])
        return path

    def order(self) -> list[int]:
        """Return the nodes as an SGF file has them: each before those behind it, the main line first."""
        found, waiting = [], [ROOT]
        while waiting:
            found.append(one := waiting.pop())
            waiting += reversed(self.nodes[one].children)
        return found

    def renumber(self, order: list[int]) -> None:
        """Give the nodes of a record that was read the numbers of the record that was written, by its `order()`.

        Raises:
            RecordError: if that is not the order of as many nodes.
        """
        if order[:1] != [ROOT] or sorted(order) != list(range(len(self.nodes))):
            raise RecordError(f"the order is none of {len(self.nodes)} nodes")
        numbers = dict(zip(self.order(), order, strict=True))
        nodes = {new: self.nodes[old] for old, new in numbers.items()}
        self.nodes = [nodes[number] for number in range(len(nodes))]
        for one in self.nodes:
            one.parent = numbers.get(one.parent, -1)
            one.children = [numbers[child] for child in one.children]
        self.node = numbers[self.node]

    def to_sgf(self) -> str:
        """Return the record with all variations and comments as SGF."""
        here = self.node
        self.go_to(ROOT)
        record = Sgf_game.from_bytes(sgf_of(self.game, replace(self.info, comments={0: self.nodes[ROOT].comment})))
        self.go_to(here)
        size = self.game.size
        waiting: list[tuple[int, Tree_node]] = [(ROOT, record.get_root())]
        while waiting:
            number, written = waiting.pop()
            for child in self.nodes[number].children:
                one = self.nodes[child]
                node = written.new_child()
                node.set_move(LETTERS[one.color], None if one.move == PASS else place_of(one.move, size))
                if one.comment:
                    node.set("C", one.comment)
                waiting.append((child, node))
        return bytes(record.serialise()).decode()

    def _check(self, node: int) -> None:
        if not 0 <= node < len(self.nodes):
            raise RecordError(f"there is no node {node} (allowed: 0 to {len(self.nodes) - 1})")

    def _below(self, node: int) -> Iterator[int]:
        waiting = [node]
        while waiting:
            yield (one := waiting.pop())
            waiting += self.nodes[one].children


def _common(first: list[int], second: list[int]) -> Iterator[int]:
    for one, other in zip(first, second, strict=False):
        if one != other:
            return
        yield one


class _SetsUpLater(Exception):
    """A file sets up stones after the first move."""


def read_record(content: bytes, default_komi: float = 0.0) -> tuple[RecordTree, str]:
    """Return the record of an SGF file's content at its start, and what was left out of it, empty if nothing.

    Raises:
        SgfError: as `miai.engine.go.sgf.load_game`, or if the main line has too many moves.
    """
    game, info = load_game(content, default_komi=default_komi)
    if len(game.moves) > MAX_NODES:
        raise SgfError(f"the game has {len(game.moves)} moves (allowed: {MAX_NODES})")
    start = load_game(content, move_number=1, default_komi=default_komi)[0]
    bare = replace(info, comments={}, territory={})
    record = RecordTree(start, bare)
    try:
        left_out = _read_variations(record, read_tree(content))
    except _SetsUpLater:
        record = _main_line(game, info)
        return record, "Stones are set up in the middle of this file: only its main line was read."
    record.go_to(ROOT)
    if left_out == 0:
        return record, ""
    were = " was" if left_out == 1 else "s were"
    return record, f"{left_out} variation{were} left out: illegal, with stones set up, or too many moves."


def _main_line(game: Game, info: GameInfo) -> RecordTree:
    start = game.copy()
    for _ in game.moves:
        start.undo()
    record = RecordTree(start, replace(info, comments={}, territory={}))
    record.nodes[ROOT].comment = info.comments.get(0, "")
    for number, (color, move) in enumerate(game.moves, start=1):
        record.nodes[record.add(color, move)].comment = info.comments.get(number, "")
    record.go_to(ROOT)
    return record


def _read_variations(record: RecordTree, file: Sgf_game) -> int:
    """Add all moves of a file; return how many variations were left out."""
    left_out = 0
    waiting: list[tuple[int, Tree_node, bool]] = [(ROOT, file.get_root(), True)]
    while waiting:
        parent, node, is_main = waiting.pop()
        number: int | None = parent
        color, move = _move_of(node, record.game.size)
        if node.has_setup_stones() and not (is_main and parent == ROOT and move is None):
            if is_main:
                raise _SetsUpLater
            left_out += 1
            continue
        if color is not None and move is not None:
            record.go_to(parent)
            try:
                number = record.add(color, move)
            except (IllegalMove, RecordError):
                number = None
                left_out += 1
        if number is None:
            continue
        if comment := text_of(node, "C"):
            own = record.nodes[number].comment
            record.nodes[number].comment = f"{own}\n{comment}" if own else comment
        children = list(node)
        # The last to be put here is the first to be read: the main line comes before its variations.
        waiting += [(number, child, is_main and child is children[0]) for child in reversed(children)]
    return left_out


def _move_of(node: SgfNode, size: int) -> tuple[int | None, int | None]:
    try:
        letter, place = node.get_move()
    except ValueError:
        return None, None
    if letter is None:
        return None, None
    return COLORS[letter], PASS if place is None else point_of(place, size)


def describe_node(record: RecordTree, number: int) -> list[object]:
    """Return parent, colour, vertex and whether there is a comment, as pages are told of a node."""
    node = record.nodes[number]
    return [node.parent, node.color, vertex_of(node.move, record.game.size), bool(node.comment)]
