"""Game records in and out, in the Smart Game Format FF[4] (https://www.red-bean.com/sgf/). sgfmill reads the syntax.

Of a file with variations or several games, the main line of the first game counts.
"""

import contextlib
import os
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sgfmill.sgf import Node, Sgf_game
from sgfmill.sgf_grammar import parse_sgf_game, text_value

from miai.engine.files import write_file
from miai.engine.go.game import Game, IllegalMove
from miai.engine.go.points import BLACK, EMPTY, MAX_KOMI, MAX_SIZE, MIN_SIZE, PASS, WHITE, location_of, point_at
from miai.engine.go.rules import POSITIONAL, SIMPLE, Rules

MAX_BYTES = 2 << 20
"""Larger files are refused: no game record needs more."""
MAX_NODES = 50_000
"""Files of more nodes, variations included, are refused: reading one takes many times what reading text takes."""
MAX_MOVES = 5000
"""Longer games are refused."""
COLORS = {"b": BLACK, "w": WHITE}
"""sgfmill's letter to colour."""
LETTERS = {BLACK: "b", WHITE: "w"}

_MAX_MAIN_LINE = 2 * MAX_MOVES
"""Nodes of the longest main line that is followed, those without a move included."""
_PROPERTY_VALUE = re.compile(rb"\[(?:[^]\\]|\\.)*+(?:\]|\\?\Z)", re.DOTALL)
"""Text between brackets, or after one that is never closed: what it holds is no node."""
_TIME_LEFT = {BLACK: "BL", WHITE: "WL"}
_KNOWN_RULES = {
    "tromp-taylor": Rules(POSITIONAL, suicide=False),
    "cgos": Rules(POSITIONAL, suicide=False),
    "tromp-taylor with suicide": Rules(POSITIONAL, suicide=True),
    "chinese": Rules(SIMPLE, suicide=False, removes_dead=True),
    "japanese": Rules(SIMPLE, suicide=False, removes_dead=True),
    "nz": Rules(SIMPLE, suicide=True, removes_dead=True),
    "goe": Rules(SIMPLE, suicide=True, removes_dead=True),
}
"""What SGF's RU says about legality, and whether dead stones come off."""
_OTHER_RULES = Rules(SIMPLE, suicide=False, removes_dead=True)
"""What rules that are not named here are taken for."""


class SgfError(ValueError):
    """A file that cannot be read as a game, or written; the text says why."""


@dataclass(frozen=True)
class GameInfo:
    """What a record says about a game besides its moves; an empty text is unknown."""

    black: str = ""
    """Black's name."""
    white: str = ""
    """White's name."""
    result: str = ""
    """As SGF writes it: `B+3.5`, `W+R`, `0` for a draw."""
    rules: str = ""
    """The rules' name in the file; unknown names are kept."""
    date: str = ""
    """`YYYY-MM-DD`."""
    event: str = ""
    """The tournament or match."""
    round: str = ""
    """The round or number of the game in the event."""
    place: str = ""
    """Where it was played."""
    black_rating: str = ""
    white_rating: str = ""
    time_limit: str = ""
    """Seconds of main time for each side."""
    comments: dict[int, str] = field(default_factory=dict)
    """The comment on the position after so many moves; 0 is the set-up position's."""
    seconds_left: dict[int, float] = field(default_factory=dict)
    """The time that the player of a move had left after it, by the number of the move; it is not read from files."""
    territory: dict[int, int] = field(default_factory=dict)
    """Point to owner, of the territory marked in the last node, dead stones included; it is not written to files."""


_TEXT_PROPERTIES = {
    "PB": "black",
    "PW": "white",
    "RE": "result",
    "RU": "rules",
    "DT": "date",
    "EV": "event",
    "RO": "round",
    "PC": "place",
    "BR": "black_rating",
    "WR": "white_rating",
    "TM": "time_limit",
}


def load_game(
    source: str | os.PathLike[str] | bytes,
    move_number: int | None = None,
    rules: Rules | None = None,
    default_komi: float = 0.0,
) -> tuple[Game, GameInfo]:
    """Return the game of a file, or of a file's content as bytes, and what is known about it.

    The position is the one before move `move_number`, counted from 1 over the whole main line as GTP's `loadsgf`
    does; without it, or if there are fewer moves, the last one. Stones set up in the middle of the game begin the
    game anew from that position: earlier moves and comments are gone. The rules are the file's unless given, the
    komi is `default_komi` where the file names none.

    Raises:
        SgfError: if the file cannot be read, is no Go record of a square board of size 2 to 19, too large, or
            holds an illegal move or set-up.
    """
    content = source if isinstance(source, bytes) else _read_file(Path(source))
    if len(content) > MAX_BYTES:
        raise SgfError(f"the file has more than {MAX_BYTES} bytes")
    if _PROPERTY_VALUE.sub(b"", content).count(b";") > MAX_NODES:
        raise SgfError(f"the file has more than {MAX_NODES} nodes")
    try:
        record = read_tree(content)
    except (ValueError, LookupError) as error:
        raise SgfError(f"this is no SGF file: {str(error)[:100]}") from None
    root = record.get_root()
    _check_kind(root, record.get_size())
    texts: dict[str, Any] = {name: _line_of(root, identifier) for identifier, name in _TEXT_PROPERTIES.items()}
    if rules is None:
        rules = _KNOWN_RULES.get(texts["rules"].strip().lower(), _OTHER_RULES)
    game = Game(record.get_size(), _komi(root, default_komi), rules)
    comments = _follow_main_line(record.main_sequence_iter(), game, move_number)
    return game, GameInfo(**texts, comments=comments, territory=_territory(record.get_last_node(), game.size))


def read_tree(content: bytes) -> Sgf_game:
    """Return the nodes of a file's content.

    An encoding that the file does not name, or whose name means nothing, is UTF-8 if it can be, else Latin-1.

    Raises:
        ValueError: if this is no SGF.
    """
    tree = parse_sgf_game(content)
    named = tree.sequence[0].get("CA")
    if named and _is_in(b";", named[0].decode("latin-1").strip()):
        return Sgf_game.from_coarse_game_tree(tree)
    return Sgf_game.from_coarse_game_tree(tree, "UTF-8" if _is_in(content, "UTF-8") else "ISO-8859-1")


def _is_in(content: bytes, encoding: str) -> bool:
    """Tell whether there is such an encoding of text, and the content can be in it."""
    try:
        content.decode(encoding)
    except (LookupError, ValueError):
        return False
    return True


def _read_file(path: Path) -> bytes:
    try:
        with open(os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0)), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise SgfError(f"{path} is not a file")
            return file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        if isinstance(error, SgfError):
            raise
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise SgfError(f"cannot read {str(path)[:200]!r}: {reason}") from None


def _check_kind(root: Node, size: int) -> None:
    if root.has_property("GM") and root.get_raw("GM").strip() != b"1":
        raise SgfError("this SGF file is no game of Go")
    if not MIN_SIZE <= size <= MAX_SIZE:
        raise SgfError(f"unacceptable size {size}: allowed are {MIN_SIZE} to {MAX_SIZE}")


def text_of(node: Node, identifier: str) -> str:
    """Return a property's text, with signs that its encoding does not know replaced; empty if it is missing."""
    if not node.has_property(identifier):
        return ""
    raw = text_value(node.get_raw(identifier))
    try:
        return str(raw.decode(node.get_encoding(), "replace"))
    except (LookupError, UnicodeError):
        return str(raw.decode("latin-1"))


def _line_of(node: Node, identifier: str) -> str:
    """Return a property's text on one line, without signs that would steer a terminal."""
    text = "".join(sign if sign.isprintable() else " " for sign in text_of(node, identifier))
    return " ".join(text.split())


def _komi(root: Node, default: float) -> float:
    if not root.has_property("KM") or not root.get_raw("KM").strip():
        return default
    try:
        komi = float(root.get("KM"))
    except ValueError:
        raise SgfError(f"bad komi {text_of(root, 'KM')[:20]!r}") from None
    if not -MAX_KOMI <= komi <= MAX_KOMI:
        raise SgfError(f"komi {komi:g} is not allowed (allowed: a number from {-MAX_KOMI:g} to {MAX_KOMI:g})")
    return komi


def _follow_main_line(nodes: Iterator[Node], game: Game, move_number: int | None) -> dict[int, str]:
    """Make the set-ups and moves of `nodes` on `game`; return the comments by number of moves."""
    comments: dict[int, str] = {}
    num_moves = 0
    for num_nodes, node in enumerate(nodes, start=1):
        if num_nodes > _MAX_MAIN_LINE:
            raise SgfError(f"the game has a main line of more than {_MAX_MAIN_LINE} nodes")
        move = _move_of(node, game.size, num_moves + 1)
        had_moves = bool(game.moves)
        if _apply_setup(node, game, num_moves) and had_moves:
            comments.clear()
        if move is not None:
            num_moves += 1
            if num_moves > MAX_MOVES:
                raise SgfError(f"the game has more than {MAX_MOVES} moves")
            if move_number is not None and num_moves >= move_number:
                game.to_play = move[0]
                break
            try:
                game.play(*move)
            except IllegalMove as error:
                raise SgfError(f"move {num_moves}: {error}") from None
        comment = text_of(node, "C")
        if comment:
            number = len(game.moves)
            comments[number] = f"{comments[number]}\n{comment}" if number in comments else comment
    return comments


def _move_of(node: Node, size: int, number: int) -> tuple[int, int] | None:
    """Return colour and move of a node, None if it makes no move."""
    if node.has_property("B") and node.has_property("W"):
        raise SgfError(f"move {number}: both colours move at once")
    try:
        letter, place = node.get_move()
    except ValueError:
        identifier = "B" if node.has_property("B") else "W"
        text = text_of(node, identifier)[:20]
        raise SgfError(f"move {number}: {text!r} is no point of a {size}x{size} board") from None
    if letter is None:
        return None
    return COLORS[letter], PASS if place is None else point_of(place, size)


def point_of(place: tuple[int, int], size: int) -> int:
    """Return the point of sgfmill's row, counted from the bottom, and column."""
    row, column = place
    return point_at(size - 1 - row, column, size)


def _apply_setup(node: Node, game: Game, num_moves: int) -> bool:
    """Add and remove the stones a node sets up and set who is to play; tell whether the stones changed."""
    if not (node.has_setup_stones() or node.has_property("PL")):
        return False
    try:
        black, white, empty = node.get_setup_stones()
        to_play = COLORS[node.get("PL")] if node.has_property("PL") else None
    except ValueError:
        raise SgfError(f"bad set-up after {num_moves} moves") from None
    if black & white or black & empty or white & empty:
        raise SgfError(f"bad set-up after {num_moves} moves: two colours on one point")
    size = game.size
    before = game.stones()
    stones = dict(before)
    for places, color in ((black, BLACK), (white, WHITE), (empty, EMPTY)):
        for place in sorted(places):
            stones[point_of(place, size)] = color
    stones = {point: color for point, color in stones.items() if color != EMPTY}
    changed = stones != before
    if changed:
        try:
            if not before and not white and _handicap_of(node) == len(stones):
                game.place_handicap(list(stones))
            else:
                game.set_up(stones, game.to_play)
        except ValueError as error:
            raise SgfError(f"bad set-up after {num_moves} moves: {error}") from None
    if to_play is not None:
        game.to_play = to_play
    return changed


def _territory(node: Node, size: int) -> dict[int, int]:
    """Return whose territory a node marks, by point; a mark that cannot be read marks nothing."""
    marked = {}
    for identifier, color in (("TB", BLACK), ("TW", WHITE)):
        if node.has_property(identifier):
            with contextlib.suppress(ValueError):
                marked.update(dict.fromkeys((point_of(place, size) for place in node.get(identifier)), color))
    return marked


def _handicap_of(node: Node) -> int:
    text = text_of(node, "HA").strip()
    try:
        return int(text or "0")
    except ValueError:
        raise SgfError(f"bad handicap {text[:20]!r}") from None


def sgf_of(game: Game, info: GameInfo | None = None) -> bytes:
    """Return the record of a game as the content of an SGF file in UTF-8."""
    info = info or GameInfo()
    record = Sgf_game(game.size)
    root = record.get_root()
    root.set_raw("AP", b"miai")
    root.set("KM", game.komi)
    for identifier, name in _TEXT_PROPERTIES.items():
        text = _rules_name(game.rules, info.rules) if identifier == "RU" else getattr(info, name)
        if text:
            root.set(identifier, _encodable(text))
    if game.handicap > 1:
        root.set("HA", game.handicap)
    placed: dict[int, set[tuple[int, int]]] = {BLACK: set(), WHITE: set()}
    for point, color in game.setup_stones.items():
        placed[color].add(place_of(point, game.size))
    if game.setup_stones:
        root.set_setup_stones(placed[BLACK], placed[WHITE])
    first = game.moves[0][0] if game.moves else game.to_play
    if first != (WHITE if game.handicap > 1 else BLACK) or game.setup_stones:
        root.set("PL", LETTERS[first])
    node = root
    for number, (color, move) in enumerate([(EMPTY, PASS), *game.moves]):
        if number > 0:
            node = node.new_child()
            node.set_move(LETTERS[color], None if move == PASS else place_of(move, game.size))
            if number in info.seconds_left:
                node.set(_TIME_LEFT[color], info.seconds_left[number])
        comment = info.comments.get(number)
        if comment:
            node.set("C", _encodable(comment))
    return bytes(record.serialise())


def place_of(point: int, size: int) -> tuple[int, int]:
    """Return sgfmill's row, counted from the bottom, and column of a point."""
    row, column = location_of(point, size)
    return size - 1 - row, column


def _encodable(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")


def _rules_name(rules: Rules, name: str) -> str:
    """Return `name` if it stands for these rules, else the first name that does."""
    if name and _KNOWN_RULES.get(name.strip().lower(), _OTHER_RULES) == rules:
        return name
    return next(known for known, meaning in _KNOWN_RULES.items() if meaning == rules)


def save_game(game: Game, path: str | os.PathLike[str], info: GameInfo | None = None) -> None:
    """Write a game to a file, in full or not at all.

    Raises:
        SgfError: if the file cannot be written; an earlier file of this name is unharmed.
    """
    try:
        write_file(path, sgf_of(game, info))
    except OSError as error:
        raise SgfError(f"cannot write {str(path)[:200]!r}: {error.strerror}") from None
