"""A command that is refused changes nothing: all are tried with arguments wrong in many ways, in several states."""

import io
import itertools
import random
from pathlib import Path

import pytest

from miai.gtp.commands import command_names, handler_of
from miai.gtp.protocol import Exchange, ReplyWriter, answer, parse_line
from miai.gtp.session import Session
from miai.players.options import PlayerOptions
from tests.gtp.fake_player import FakePlayer

WORDS = (
    *("-1", "0", "1", "2", "5", "11", "26", "3.5", "1e308", "-1e308", "nan", "inf", "9" * 30, "0x9", "²", "60"),
    *("b", "w", "green", "A1", "E5", "Z9", "I5", "A0", "pass", "resign", "alive", "none", "fischer", "byoyomi"),
    *("canadian", "absolute", "live_gfx", "visits", "x", "rave.equivalence", "interval", "avoid", "ownership"),
    *("chinese", "japanese", "ko", "suicide", "true", "SITUATIONAL", "{", "{}", "[]", '{"ko":1}', '{"komi":9}'),
    *('{"ko":"SIMPLE","scoring":"TERRITORY"}', "[" * 30_000, "taken.sgf", "long.sgf", "komi.sgf", "text.sgf"),
    *("missing.sgf", "no/such/folder.sgf", "."),
)
LINES = (
    *("b A1 w", "b A1 green B2", "b A1 w A1", "b A1 b J9 w A1", "A1 B2 A1", "A1 pass", "A1 B2 Z9", "ko POSITIONAL x"),
    *("live_gfx nothing", "rave.equivalence much", "b 1e308 0", "b 1e308 5", "b -5 -5", "w 60 1000000000", "b E5 E5"),
)
SEEN = ("showboard", "printsgf", "kata-get-rules", "miai-param", "level", "gomill-explain_last_move", "final_score")
LEFT_OUT = {"quit", "printsgf", "cputime"}
"""`printsgf` writes to files instead of changing the session."""
NEVER_REFUSED = {
    *("protocol_version", "name", "version", "list_commands", "clear_board", "showboard", "final_score", "stop"),
    *("kata-get-rules", "kata-list_time_settings", "gogui-analyze_commands", "gogui-interrupt"),
    *("miai-priors", "miai-visits", "miai-winrates", "miai-ownership", "miai-policy", "miai-variation"),
    *("gomill-describe_engine", "gomill-explain_last_move"),
}
BEGINNINGS = (
    (),
    ("komi 5.5", "time_settings 60 30 5", "set_random_seed 3", "genmove b", "genmove w", "play b pass"),
    ("boardsize 7", "fixed_handicap 2", "kgs-time_settings byoyomi 60 10 3", "genmove w", "kata-set-rules chinese"),
)


class SeededPlayer(FakePlayer):
    """Refuses what a real player refuses."""

    def set_seed(self, seed: int) -> None:
        if seed < 0:
            raise ValueError("negative")
        super().set_seed(seed)


def argument_lists(command: str) -> list[str]:
    rng = random.Random(command)
    pairs, triples = ([" ".join(rng.choice(WORDS[:-8]) for _ in range(number)) for _ in range(60)] for number in (2, 3))
    times = itertools.product(
        ("byoyomi", "canadian", "60"), ("60", "-1", "1e308"), ("10 5", "10 -5", "0 5", "1e9 5", "9")
    )
    return ["", *WORDS, *LINES, *pairs, *triples, *map(" ".join, times)]


def ask(session: Session, text: str) -> str:
    line = parse_line(text)
    assert line is not None
    replies = io.BytesIO()
    exchange = Exchange(line, ReplyWriter(replies))
    exchange.superseded.set()
    answer(exchange, lambda exchange: handler_of(exchange.name)(session, exchange))
    return replies.getvalue().decode()


def begin(session: Session, lines: tuple[str, ...]) -> tuple[object, ...]:
    fresh = ("boardsize 9", "clear_board", "komi 7", "level 10", "kata-set-rules cgos", "time_settings 0 1 0")
    for line in (*fresh, *lines):
        assert ask(session, line).startswith("="), line
    return state_of(session)


def state_of(session: Session) -> tuple[object, ...]:
    clock = session.clock
    return (
        *(ask(session, command) for command in SEEN),
        (clock.settings, repr(clock._accounts)),
        (session._seed, tuple(session.player.seeds), session.live_graphics),
        (session.game.rules, tuple(session.game.moves), dict(session.game.setup_stones)),
    )


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "taken.sgf").write_bytes(b"(;GM[1]SZ[9]KM[3];B[ee];W[ee])")
    (tmp_path / "long.sgf").write_bytes(b"(;GM[1]SZ[9]KM[3]" + b";" * 60_000 + b")")
    (tmp_path / "komi.sgf").write_bytes(b"(;GM[1]SZ[9]KM[1e308];B[ee])")
    (tmp_path / "text.sgf").write_bytes(b"no game")
    return tmp_path


@pytest.mark.parametrize("command", sorted({*command_names()} - LEFT_OUT))
def test_a_command_that_is_refused_changes_nothing(command: str, folder: Path) -> None:
    session = Session(PlayerOptions(select="rave", evaluator="playouts"), make_player=SeededPlayer)
    num_refused = 0
    for lines in BEGINNINGS:
        before = begin(session, lines)
        for arguments in argument_lists(command):
            told = f"{command} {arguments[:60]} after {lines}"
            reply = ask(session, f"{command} {arguments}")
            assert "internal error" not in reply, told
            if reply.startswith("?"):
                num_refused += 1
                assert reply.count("\n") == 2, told
                assert state_of(session) == before, told
            else:
                before = begin(session, lines)
    assert (num_refused == 0) == (command in NEVER_REFUSED)


def test_a_seed_that_is_refused_leaves_a_player_that_plays() -> None:
    session = Session(PlayerOptions(select="uct", evaluator="playouts", simulations=20, memory=16))
    ask(session, "boardsize 5")
    assert ask(session, "set_random_seed 9223372036854775807") == "=\n\n"
    first = ask(session, "genmove b")
    ask(session, "clear_board")
    for seed in ("-1", "9223372036854775808", "1.5", "none"):
        assert ask(session, f"set_random_seed {seed}").endswith(
            " is not allowed (allowed: a whole number from 0 to 9223372036854775807)\n\n"
        )
    assert ask(session, "set_random_seed 9223372036854775807") == "=\n\n"
    assert ask(session, "genmove b") == first
    player = session.player
    with pytest.raises(ValueError, match="seed -1 is negative"):
        player.set_seed(-1)
    assert player.choose(session.game, 2).move >= 0


def test_a_level_that_the_player_cannot_play_is_refused() -> None:
    options = PlayerOptions(select="uct", evaluator="playouts", net="li-lim")
    session = Session(options)
    session.start_game(5)
    before = (session.player, session.player_options)
    assert ask(session, "level 3").startswith(
        "? level 3 cannot be played here: net: network li-lim plays on 9x9 boards only"
    )
    assert ask(session, "level") == "= 10\n\n"
    assert (session.player, session.player_options) == before
