"""Which stones are dead at the end of a game, by rules that take them off, and that all commands say the same."""

import random

import pytest

from miai.engine.go.diagram import game_from_diagram
from miai.engine.go.game import Game
from miai.engine.go.points import BLACK, PASS, RESIGN, WHITE, color_name, format_score, move_at, vertex_of
from miai.engine.go.rules import RULES
from miai.gtp.in_process import engine_loop
from miai.gtp.session import Session, load_player
from miai.players.dead_stones import SearchPoints, judge_stones, remove_stones, score_without
from miai.players.options import GameOptions, resolve_options
from miai.players.player import Budget, Player
from miai.players.status import Status, StoneBlock
from tests.gtp.conversation import Conversation

PRESETS = ("fuego", "net")
_PLAYERS: dict[str, Player] = {}

RIGHT = ("O . O . O", "O O O O O", "O . O . O", *["O O O O O"] * 6)
"""White, alive."""
LOW = ("X X X X", ". X . X", "X X X X")
"""Black, alive."""


def player(preset: str) -> Player:
    """Return a player that the tests of this file share."""
    if preset not in _PLAYERS:
        _PLAYERS[preset] = Player(resolve_options(preset=preset, given={"seed": 1, "memory": 64})[0])
    _PLAYERS[preset].new_game()
    return _PLAYERS[preset]


def beside(*left: str, right: tuple[str, ...] = RIGHT) -> str:
    return "\n".join(f"{one} {other}" for one, other in zip((*left, *LOW), right, strict=True))


LONE_STONE = "\n".join([". . . . X O . . ."] * 4 + [". . O . X O . . ."] + [". . . . X O . . ."] * 4)
"""A wall of each player and one white stone behind Black's: with komi 0 B+9 for people, W+28 as the board stands."""

DEAD = {
    "a lone stone": (LONE_STONE, "C5"),
    "one for each player": (
        "\n".join([". . . . X O . . .", ". . O . X O . X ."] + [". . . . X O . . ."] * 7),
        "C8 H8",
    ),
    "two in different territories": (
        "\n".join(
            [". . . . X O . . .", ". O . . X O . . .", *[". . . . X O . . ."] * 2, "X X X X X O . . ."]
            + [". . . . X O . . .", ". O . . X O . . .", *[". . . . X O . . ."] * 2]
        ),
        "B8 B3",
    ),
    "an eye of three points": (
        beside(". O X X", "X O X X", "X O X X", ". O X X", "O O X X", "X X X X"),
        "A5 B5 B6 B7 B8 B9",
    ),
}
LOST_FOR_SURE = {
    "in atari in a corner": (
        """
        . . . X O O O O .
        . X . . X X X O X
        . . . X . X O . O
        . . . . . X O O .
        . . . X X O . . .
        . . . X O O O X X
        . . . X O . . O O
        . . . X X O . . .
        . . . X O O O O O
        """,
        "J8 H4 J4",
    ),
    "in atari beside other dead stones": (
        """
        X X O . . O X . X
        X X O O . O X . X
        X . X X O . O X .
        X X . . X O O O O
        O . X X X O . . .
        O X . X O . O O .
        . X X O O O . O O
        X . O X O O O O X
        . X X X X X X X X
        """,
        "C2 A4 A5 J9 J8 H7 G9 G8",
    ),
}
"""From games against GNU Go, which holds the same stones for dead; one is worth less than play elsewhere can change."""
SEKI = {
    "two shared liberties": beside(". O X X", "X O X X", "X O X X", "X O X X", ". O X X", "O O X X"),
    "an eye each": beside(". X O X", "X X O X", ". O O X", "O O O X", "O . O X", "O O O X"),
}


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("to_play", [BLACK, WHITE])
@pytest.mark.parametrize("name", DEAD)
def test_dead_stones_are_found_whoever_is_to_play(name: str, to_play: int, preset: str) -> None:
    diagram, expected = DEAD[name]
    found = player(preset).dead_stones(game_from_diagram(diagram, to_play, 7.0, RULES["chinese"]))
    assert found == {move_at(vertex, 9) for vertex in expected.split()}


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("name", LOST_FOR_SURE)
def test_a_stone_that_is_lost_for_sure_is_dead_whatever_else_is_open(name: str, preset: str) -> None:
    diagram, expected = LOST_FOR_SURE[name]
    found = player(preset).dead_stones(game_from_diagram(diagram, BLACK, 7.0, RULES["chinese"]))
    assert {vertex_of(point, 9) for point in found} == set(expected.split())


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("name", SEKI)
def test_stones_in_seki_live(name: str, preset: str) -> None:
    game = game_from_diagram(SEKI[name], BLACK, 7.0, RULES["chinese"])
    assert player(preset).dead_stones(game) == set()


@pytest.mark.parametrize("preset", PRESETS)
def test_a_dead_stone_elsewhere_changes_nothing_about_a_seki(preset: str) -> None:
    open_right = tuple(["O . . . .", "O . . . .", "O . X . ."] + ["O . . . ."] * 6)
    text = beside(". O X X", "X O X X", "X O X X", "X O X X", ". O X X", "O O X X", right=open_right)
    game = game_from_diagram(text, BLACK, 7.0, RULES["chinese"])
    assert player(preset).dead_stones(game) == {move_at("G7", 9)}


def test_an_empty_board_and_the_first_stone() -> None:
    game = Game(9, 7.0, RULES["chinese"])
    assert player("fuego").judge_stones(game) == {}
    game.play(BLACK, move_at("E5", 9))
    assert player("fuego").dead_stones(game) == set()


def test_removing_stones_leaves_the_game_as_it_is() -> None:
    game = game_from_diagram(LONE_STONE, BLACK, 0.0)
    assert remove_stones(game, ()).stones() == game.stones()
    assert score_without(game, ()) == game.score() == -28.0
    assert score_without(game, {move_at("C5", 9)}) == 9.0
    assert game.score() == -28.0


# Over GTP.


def chat(rules: str, preset: str, komi: float = 0.0) -> Conversation:
    options = resolve_options(preset=preset, given={"seed": 1, "simulations": 300, "memory": 64})[0]
    session = Session(options, GameOptions(komi=komi, rules=rules), make_player=load_player)
    return Conversation(engine_loop(session))


def answer(conversation: Conversation, line: str) -> str:
    reply = conversation.ask(line)
    assert reply.startswith("="), (line, reply)
    return reply[1:].strip()


def put(conversation: Conversation, game: Game) -> None:
    """Set up a position, with the game's player to move."""
    stones = " ".join(f"{color_name(color)[0]} {vertex_of(point, game.size)}" for point, color in game.stones().items())
    if stones:
        answer(conversation, f"gogui-setup {stones}")
    answer(conversation, f"gogui-setup_player {color_name(game.to_play)}")


def listed(conversation: Conversation, status: str) -> set[str]:
    return set(answer(conversation, f"final_status_list {status}").split())


def check_agreement(conversation: Conversation, game: Game) -> set[str]:
    """Check that score and statuses agree and every stone has one status; return the dead ones."""
    score = answer(conversation, "final_score")
    statuses = [listed(conversation, status) for status in ("alive", "dead", "seki")]
    assert sum(map(len, statuses)) == len(set().union(*statuses)) == len(game.stones())
    assert set().union(*statuses) == {vertex_of(point, game.size) for point in game.stones()}
    dead = statuses[1]
    assert score == format_score(score_without(game, {move_at(vertex, game.size) for vertex in dead}))
    return dead


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize(
    ("rules", "score", "dead"), [("tromp-taylor", "W+28", ""), ("cgos", "W+28", ""), ("chinese", "B+9", "C5")]
)
def test_score_and_dead_stones_say_the_same_at_every_moment(rules: str, score: str, dead: str, preset: str) -> None:
    game = game_from_diagram(LONE_STONE, BLACK, 0.0)
    with chat(rules, preset) as conversation:
        put(conversation, game)
        for line in (None, "play b pass", "reg_genmove w", "play w pass", "reg_genmove b", "undo"):
            if line:
                answer(conversation, line)
            assert answer(conversation, "final_score") == score
            assert listed(conversation, "dead") == set(dead.split())
            check_agreement(conversation, game)


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("rules", ["tromp-taylor", "chinese"])
def test_no_pass_is_answered_that_wins_only_by_a_dead_stone(rules: str, preset: str) -> None:
    """White to play in a board it would only win as it stands; its own stone is proved dead."""
    text = """
        . . X . X O . O .
        . O X X X O O O O
        X X X . X O . O .
        . X . X X O O O O
        X X X X X O O O O
        . X . X X O . O .
        X X X X X O O O O
        X . X . X O . O .
        X X X X X O O O O
    """
    game = game_from_diagram(text, BLACK, 6.0)
    assert game.score() < 0 < score_without(game, {move_at("B8", 9)})
    with chat(rules, preset, komi=6.0) as conversation:
        put(conversation, game)
        answer(conversation, "play b pass")
        reply = answer(conversation, "genmove w")
        if rules == "chinese":
            assert reply in ("pass", "resign")
            assert listed(conversation, "dead") == {"B8"}
            assert answer(conversation, "final_score").startswith("B+")
        else:
            assert reply == "pass"
            assert listed(conversation, "dead") == set()
            assert answer(conversation, "final_score").startswith("W+")


@pytest.mark.parametrize("preset", PRESETS)
def test_a_proved_dead_stone_stays_by_agreement_and_is_taken_where_it_counts(preset: str) -> None:
    text = """
        . . X . X O . O .
        . O X X X O O O O
        X X X . X O . O .
        . X . X X O O O O
        X X X X X O O O O
        . X . X X O . O .
        X X X X X O O O O
        X . X . X O . O .
        X X X X X O O O O
    """
    game = game_from_diagram(text, WHITE, 6.0)
    for rules, taken in (("tromp-taylor", True), ("chinese", False)):
        with chat(rules, preset, komi=6.0) as conversation:
            put(conversation, game)
            answer(conversation, "play w pass")
            reply = answer(conversation, "genmove b")
            assert reply in ("A8", "A9", "B9") if taken else reply == "pass", rules


def test_asked_to_clean_up_it_takes_what_is_dead() -> None:
    game = game_from_diagram(LONE_STONE, WHITE, 0.0)
    for rules in ("tromp-taylor", "chinese"):
        with chat(rules, "fuego") as conversation:
            put(conversation, game)
            for _ in range(30):
                answer(conversation, "play w pass")
                if answer(conversation, "kgs-genmove_cleanup b") == "pass":
                    break
            assert listed(conversation, "dead") == set()
            assert answer(conversation, "final_score") == "B+9"


def test_stones_are_judged_once_as_long_as_none_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise two commands might say different things of stones that are hard to judge."""
    num_judged = 0

    def judge(game: Game, search: SearchPoints) -> dict[StoneBlock, Status]:
        nonlocal num_judged
        num_judged += 1
        return judge_stones(game, search)

    monkeypatch.setattr("miai.players.stone_judge.judge_stones", judge)
    with chat("chinese", "fuego") as conversation:
        put(conversation, game_from_diagram(LONE_STONE, BLACK, 0.0))
        for line in ("final_status_list dead", "reg_genmove b", "final_score", "komi 3", "play b pass", "final_score"):
            answer(conversation, line)
            assert num_judged == 1
        answer(conversation, "play w A1")
        answer(conversation, "final_score")
        assert num_judged == 2


def play_randomly(rng: random.Random, size: int, length: int) -> Game:
    game = Game(size, 7.0, RULES["chinese"])
    for _ in range(length):
        points = game.legal_points(game.to_play)
        game.play(game.to_play, rng.choice([*points, PASS]))
    return game


def test_the_score_is_that_of_the_board_without_the_dead_on_random_positions() -> None:
    rng = random.Random(5)
    num_with_dead = 0
    for size in (7, 9):
        player("fuego").dead_stones(play_randomly(rng, size, 1))  # compiles, which may take longer than a reply
        with chat("chinese", "fuego", komi=7.0) as conversation:
            for _ in range(10):
                answer(conversation, f"boardsize {size}")
                game = play_randomly(rng, size, rng.randrange(2 * size * size))
                for color, move in game.moves:
                    answer(conversation, f"play {color_name(color)} {vertex_of(move, size)}")
                num_with_dead += bool(check_agreement(conversation, game))
    assert num_with_dead > 5


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_game_by_agreement_ends_and_is_won_as_it_would_be_played_out(seed: int) -> None:
    """Two fuegos play by Chinese rules; taking every dead stone afterwards gives the same winner."""
    options = resolve_options(preset="fuego", given={"seed": seed, "memory": 64, "resign_below": 0.0})[0]
    one = Player(options)
    game = Game(9, 7.0, RULES["chinese"])
    while not game.is_over:
        assert len(game.moves) < 150
        move = one.choose(game, game.to_play, Budget(200)).move
        assert move != RESIGN
        game.play(game.to_play, move)
    dead = one.dead_stones(game)
    agreed = score_without(game, dead)
    played_out = Game(9, 7.0)
    played_out.set_up(game.stones(), game.to_play)
    while not played_out.is_over and len(played_out.moves) < 120:
        played_out.play(played_out.to_play, one.choose(played_out, played_out.to_play, Budget(400)).move)
    assert (agreed > 0) == (played_out.score() > 0)
    with chat("chinese", "fuego", komi=7.0) as conversation:
        for color, move in game.moves:
            answer(conversation, f"play {color_name(color)} {vertex_of(move, 9)}")
        check_agreement(conversation, game)
