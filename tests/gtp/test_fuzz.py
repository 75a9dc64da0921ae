"""Throw random and malformed lines at the engine: one reply to each command, no crash, no harm done by errors."""

import random
import re
from pathlib import Path

import pytest

from miai.engine.go.points import PASS, RESIGN
from miai.gtp.commands import command_names
from miai.gtp.in_process import engine_loop
from miai.gtp.protocol import MAX_LINE
from miai.gtp.session import Session
from miai.players.fallback import options_on
from miai.players.options import resolve_options
from miai.players.warm_up import NUM_WARM_UP_STEPS, warm_up
from tests.gtp.conversation import Conversation
from tests.gtp.fake_player import FakePlayer

SENTINEL = "987654321"

WORDS = (
    *("b", "w", "B", "White", "black", "red", "pass", "PASS", "resign", "E5", "e5", "A1", "a1", "C3", "J9", "I5"),
    *("T19", "Z99", "A0", "A10", "0", "1", "2", "3", "4", "5", "9", "-1", "7.5", "1e3", "nan", "inf", "99999999999999"),
    *("none", "absolute", "byoyomi", "canadian", "alive", "dead", "seki", "interval", "ownership", "true", "minmoves"),
    *("maxmoves", "rootInfo", "avoid", "live_gfx", "visits", "rave.equivalence", "good.sgf", "bad.sgf", "huge.sgf"),
    *("chinese", "ko", "suicide", '{"ko":"SIMPLE"}', '{"suicide":true', "fischer", "1e308", "-1e308"),
    *("missing.sgf", ".", "", "ü", "\u2028", "\x85", "''", '"', "%s", "{}", "#", "name", "=", "?"),
)
SIZES = ("3", "9", "3 extra", "1", "20", "-3", "3.0", "x", "")


class RandomPlayer(FakePlayer):
    """Sometimes passes or resigns."""

    def __init__(self, source: random.Random) -> None:
        super().__init__()
        self.source = source

    def choose(self, *arguments, **named):
        if self.source.random() < 0.3:
            self.decisions = [self.source.choice((PASS, RESIGN))]
        return super().choose(*arguments, **named)


def long_line(source: random.Random) -> bytes:
    """Return a line about as long as the longest that is read, or much longer."""
    filling = source.choice((b" ", b"\t ", b"\x00", b"7", b"#", b"x", b"\xff"))
    length = source.choice((MAX_LINE - 9, MAX_LINE - 1, MAX_LINE, MAX_LINE + 1, 3 * MAX_LINE)) // len(filling)
    before = source.choice((b"", b"", b"40", b"40 ", b" 40 name ", b"#", b"play b "))
    after = source.choice((b"", b"", b"40", b"40 name", b"name", b" name", b"# name", b" #", b"\t", b"\r"))
    return before + filling * length + after


def random_line(source: random.Random) -> bytes:
    kind = source.random()
    if kind < 0.004:
        line = long_line(source)
    elif kind < 0.03:
        blanks = b"".join(source.choices((b" ", b"\t", b"\r", b"\x00", b"\x7f"), k=source.choice((1, 2, 40))))
        number = str(source.randrange(10 ** source.choice((1, 3, 9, 40, 2_000)))).encode()
        line = blanks + number + source.choice((b"", b" ", b"\t\t", b"#", b" # x", b" name", b"name", b" 5", b"x"))
    elif kind < 0.08:
        length = source.choice((1, 3, 10, 50, 300))
        line = bytes(source.choice((source.randrange(256), source.randrange(32, 127))) for _ in range(length))
    elif kind < 0.11:
        line = source.choice((b"", b" ", b"\t\r", b"12", b"# x", b"# interrupt", b" 5 #", b"\x00", b"#"))
    else:
        name = source.choice([*command_names(), "play", "play", "play", "genmove", "undo", "nonsense", "Name"])
        if name == "boardsize":
            arguments = [source.choice(SIZES)]
        elif name == "play" and source.random() < 0.8:
            arguments = [source.choice("bwBW"), source.choice("ABCDEFGHJ") + source.choice("123456789")]
        else:
            arguments = [source.choice(WORDS) for _ in range(source.choice((0, 1, 1, 2, 2, 3, 4, 7)))]
        blank = source.choice((" ", " ", " ", "  ", "\t"))
        line = blank.join([name, *arguments]).encode()
        if source.random() < 0.3:
            line = str(source.randrange(10**9)).encode() + source.choice((b" ", b"", b"\t")) + line
        if source.random() < 0.1:
            place = source.randrange(len(line) + 1)
            line = line[:place] + bytes([source.randrange(256)]) + line[place:]
        if source.random() < 0.05:
            line += source.choice((b"\r", b" # comment", b"\x00", b"   "))
    line = line.replace(b"\n", b"")
    cleaned = bytes(byte for byte in line if byte >= 32 and byte != 127)
    if b"quit" in cleaned or SENTINEL.encode() in cleaned or (b"printsgf" in cleaned and b"/" in cleaned):
        return b"name"
    return line


def deserves_reply(line: bytes) -> bool:
    """Tell by other means than the engine's whether a line is a command."""
    text = bytes(32 if byte == 9 else byte for byte in line if byte == 9 or (byte >= 32 and byte != 127))
    return text.lstrip(b" ")[:1] not in (b"", b"#")


def snapshot(session: Session):
    game, clock = session.game, session.clock
    return (
        (
            game.size,
            game.komi,
            game.rules,
            game.to_play,
            game.handicap,
            game.stones(),
            list(game.moves),
            dict(game.setup_stones),
        ),
        bytes(game.board.tobytes()),
        (clock.settings, repr(clock._accounts)),
        (session.live_graphics, session.strength, session._seed),
        {name: parameter.value for name, parameter in session.player.parameters().items()},
    )


def throw_lines(num_lines: int, seed: int, folder: Path, session: Session | None = None) -> int:
    """Send lines and return how many were refused."""
    (folder / "good.sgf").write_bytes(b"(;GM[1]SZ[9]KM[5.5];B[ee];W[cc])")
    (folder / "bad.sgf").write_bytes(b"(;GM[1]SZ[9];B[ee];W[ee])")
    (folder / "huge.sgf").write_bytes(b"(;GM[1]SZ[9]C[" + b"x" * 5_000_000 + b"])")
    source = random.Random(seed)
    session = session or Session(make_player=lambda options: RandomPlayer(source))
    num_errors = 0
    with Conversation(engine_loop(session)) as conversation:
        conversation.ask("clear_board")
        before = snapshot(session)
        for number in range(num_lines):
            line = random_line(source)
            conversation.send(line + b"\n" + f"{SENTINEL} protocol_version\n".encode())
            replies = []
            while not (reply := conversation.read_reply()).startswith(f"={SENTINEL} "):
                replies.append(reply)
            told = f"line {number} of seed {seed}: {line[:300]!r} got {[reply[:300] for reply in replies]!r}"
            assert len(replies) == deserves_reply(line), told
            assert all(re.match(r"[=?][0-9]*[ \n]", reply) for reply in replies), told
            assert not any("internal error" in reply for reply in replies), told
            assert not any("\n" in reply[:-2] and "\n " in reply and reply[0] == "?" for reply in replies), told
            after = snapshot(session)
            if not replies or replies[0].startswith("?"):
                num_errors += bool(replies)
                assert after == before, told
            before = after
        assert conversation.finish() == ""
    return num_errors


def test_random_lines_get_one_reply_each_and_errors_change_nothing(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    num_errors = throw_lines(2_000, 1, tmp_path)
    assert 400 < num_errors < 1_800, "the lines are too good or too bad to show anything"


@pytest.mark.parametrize("num_lines", [300, pytest.param(20_000, marks=pytest.mark.slow)])
def test_random_lines_harm_no_network_player(tmp_path, monkeypatch, num_lines):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("miai.gtp.session.REPORT_SIMULATIONS", 10)
    player_options, game_options = resolve_options("net", None, {"simulations": 2, "memory": 16, "seed": 1})
    for size in (3, 9):
        assert len(list(warm_up(options_on(player_options, size), size))) == NUM_WARM_UP_STEPS
    throw_lines(num_lines, 1, tmp_path, Session(player_options, game_options))


NUM_SLOW_RUNS = 100
LINES_A_RUN = 10_000


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2, 2 + NUM_SLOW_RUNS))
def test_a_million_random_lines(tmp_path, monkeypatch, seed):
    monkeypatch.chdir(tmp_path)
    throw_lines(LINES_A_RUN, seed, tmp_path)
