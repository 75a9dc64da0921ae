"""The player: budgets, randomness, the tree kept between moves, memory, threads, interruption."""

import subprocess
import sys
import threading
from collections.abc import Iterator

import numpy as np
import pytest

from miai.engine.go.diagram import game_from_diagram
from miai.engine.go.game import Game
from miai.engine.go.points import BLACK, PASS, RESIGN, WHITE, opponent, vertex_of
from miai.engine.go.rules import RULES
from miai.engine.search.report import SearchReport
from miai.engine.search.search import CHUNK
from miai.engine.search.tree import bytes_per_node
from miai.players.options import PlayerOptions
from miai.players.player import Budget, Player

SIZE = 7


@pytest.fixture
def player() -> Iterator[Player]:
    made = Player(PlayerOptions(seed=1, memory=16))
    yield made
    made.close()


def analyze(player: Player, game: Game, color: int, simulations: int) -> SearchReport:
    """Search without stopping early, so that a number is a number."""
    return player._search_position(game, color, Budget(simulations), None, 0.0, None, early_stop=False)


def check_report(report: SearchReport, game: Game, color: int) -> None:
    """Assert what is true of every report."""
    assert report.color == color
    assert 0.0 <= report.value <= 1.0 and report.visits >= report.simulations > 0 and report.seconds > 0
    visits = [move.visits for move in report.moves]
    assert visits == sorted(visits, reverse=True) and sum(visits) <= report.visits
    assert len({move.move for move in report.moves}) == len(report.moves)
    assert sum(move.prior for move in report.moves) == pytest.approx(1.0, abs=1e-4)
    for move in report.moves:
        assert move.move == PASS or game.is_legal(color, move.move)
        assert 0.0 <= move.lower_bound <= move.value + 1e-9 <= 1.0 + 2e-9 or move.visits == 0
        assert move.variation[0] == move.move and len(move.variation) == len(move.variation_visits)
        assert move.variation_visits[0] == move.visits
        assert list(move.variation_visits) == sorted(move.variation_visits, reverse=True)
        after = game.copy()
        for ply, step in enumerate(move.variation):
            after.play(color if ply % 2 == 0 else opponent(color), step)
    assert report.ownership.shape == (game.size**2,) and report.ownership.dtype == np.float32
    assert np.abs(report.ownership).max() <= 1.0


@pytest.mark.parametrize("select", ["rave", "uct", "puct"])
def test_simulations_are_exact_and_an_early_stop_never_makes_more(select: str) -> None:
    player = Player(PlayerOptions(select=select, seed=1, memory=16))
    game = Game(SIZE)
    for simulations in (1, 3, 250, 251, 700):
        player.new_game()
        report = analyze(player, game, BLACK, simulations)
        assert report.simulations == report.visits == simulations
        assert sum(move.visits for move in report.moves) == simulations
        check_report(report, game, BLACK)
        player.new_game()
        choice = player.choose(game, BLACK, Budget(simulations))
        assert 1 <= choice.report.simulations <= simulations
        moves = choice.report.moves
        if choice.report.simulations < simulations:  # nothing could have overtaken it
            assert moves[0].visits - moves[1].visits > simulations - choice.report.simulations
        assert game.moves == [] and game.is_legal(BLACK, choice.move)


def test_without_an_early_stop_a_move_takes_all_its_simulations() -> None:
    made = {}
    for early_stop in (True, False):
        options = PlayerOptions(seed=1, memory=16, simulations=4000, early_stop=early_stop)
        made[early_stop] = Player(options).choose(Game(3), BLACK).report.simulations
        assert Player(options).search(Game(3), BLACK).simulations == made[early_stop]
    assert made[True] < made[False] == 4000


def test_the_options_limit_applies_where_no_budget_is_given() -> None:
    player = Player(PlayerOptions(seed=1, memory=16, simulations=40))
    assert player.choose(Game(SIZE), BLACK).report.simulations == 40


@pytest.mark.parametrize("count_kept", [False, True])
def test_visits_kept_count_as_simulations_if_asked_for(count_kept: bool) -> None:
    options = PlayerOptions(seed=1, memory=16, simulations=400, early_stop=False, count_kept=count_kept)
    player, game = Player(options), Game(5)
    for _ in range(3):
        decision = player.choose(game, game.to_play)
        kept = decision.report.visits - decision.report.simulations
        assert decision.report.simulations == (max(1, 400 - kept) if count_kept else 400)
        game.play(game.to_play, decision.move)
    assert kept > 0


def test_time_is_kept(player: Player) -> None:
    player.choose(Game(SIZE), BLACK, Budget(simulations=10))
    player.new_game()
    report = player.choose(Game(SIZE), BLACK, Budget(seconds=0.3)).report
    assert 0.05 < report.seconds < 0.8  # it may stop early
    assert report.simulations > 100


GAME_SCRIPT = """
import sys
from miai.engine.go.game import Game
from miai.engine.go.points import RESIGN
from miai.players.options import PlayerOptions
from miai.players.player import Budget, Player
player, game = Player(PlayerOptions(seed=int(sys.argv[1]), memory=16)), Game(7)
for _ in range(12):
    choice = player.choose(game, game.to_play, Budget(120))
    print(choice.move, choice.report.visits, choice.report.moves[0].value, choice.report.ownership.sum())
    game.play(game.to_play, choice.move)
"""


def test_one_seed_gives_one_game_in_every_process_and_another_seed_another() -> None:
    games = [
        subprocess.run([sys.executable, "-c", GAME_SCRIPT, seed], capture_output=True, text=True, check=True).stdout
        for seed in ("5", "5", "6")
    ]
    assert len(games[0].splitlines()) == 12
    assert games[0] == games[1] != games[2]


def test_a_new_game_begins_the_next_random_stream_whatever_was_searched_before() -> None:
    outcomes = []
    for warm_up in (0, 300):
        player = Player(PlayerOptions(seed=9, memory=16))
        if warm_up:
            player.choose(Game(SIZE), BLACK, Budget(warm_up))
        player.new_game()
        outcomes.append([(move.move, move.visits) for move in analyze(player, Game(SIZE), BLACK, 300).moves])
    assert outcomes[0] == outcomes[1]
    player.new_game()
    assert outcomes[0] != [(move.move, move.visits) for move in analyze(player, Game(SIZE), BLACK, 300).moves]


def test_the_tree_is_kept_after_an_own_and_an_opponents_move(player: Player) -> None:
    game = Game(SIZE)
    report = analyze(player, game, BLACK, 2000)
    best = report.moves[0]
    game.play(BLACK, best.move)
    reply = analyze(player, game, WHITE, 1)
    assert reply.visits == best.visits + 1 and reply.simulations == 1
    assert reply.value == pytest.approx(1.0 - best.value, abs=0.02)
    assert reply.moves[0].move == best.variation[1]
    game.play(WHITE, reply.moves[0].move)
    game_after_next = game.copy()
    third = analyze(player, game, BLACK, 1)
    assert third.visits == reply.moves[0].visits + 1 > 10
    check_report(third, game, BLACK)
    for move in (third.moves[0].move, third.moves[0].variation[1]):
        game_after_next.play(game_after_next.to_play, move)
    kept = analyze(player, game_after_next, BLACK, 1)  # two moves at once
    assert kept.visits == third.moves[0].variation_visits[1] + 1 > 1


def test_the_same_position_again_goes_on_with_the_tree(player: Player) -> None:
    game = Game(SIZE)
    analyze(player, game, BLACK, 100)
    assert analyze(player, game, BLACK, 50).visits == 150
    assert analyze(player, game.copy(), BLACK, 50).visits == 200


def komi_changes(game: Game) -> Game:
    game.komi = 0.5
    return game


def rules_change(game: Game) -> Game:
    changed = Game(SIZE, game.komi, RULES["chinese"])
    for color, move in game.moves:
        changed.play(color, move)
    return changed


def stones_are_set_up(game: Game) -> Game:
    game.set_up({game.legal_points(BLACK)[0]: BLACK}, WHITE)
    return game


def a_move_is_taken_back(game: Game) -> Game:
    game.undo()
    return game


def another_move_was_made(game: Game) -> Game:
    (color, move), last = game.moves[-1], game.legal_points(WHITE)[-1]
    game.undo()
    assert move != last
    game.play(color, last)
    return game


def the_opponent_is_left_out(game: Game) -> Game:
    game.play(WHITE, game.legal_points(WHITE)[7])
    return game


@pytest.mark.parametrize(
    "change",
    [
        komi_changes,
        rules_change,
        stones_are_set_up,
        a_move_is_taken_back,
        another_move_was_made,
        the_opponent_is_left_out,
    ],
)
def test_the_tree_is_forgotten_when_it_no_longer_applies(player: Player, change) -> None:
    game = Game(SIZE)
    game.play(BLACK, game.legal_points(BLACK)[24])
    analyze(player, game, WHITE, 400)
    changed = change(game.copy())
    for color in (WHITE, BLACK):
        assert analyze(player, changed, color, 30).visits == 30


def test_a_new_game_forgets_the_tree(player: Player) -> None:
    analyze(player, Game(SIZE), BLACK, 100)
    player.new_game()
    assert analyze(player, Game(SIZE), BLACK, 30).visits == 30


def test_another_size_is_searched_afresh(player: Player) -> None:
    for size in (SIZE, 9, SIZE):
        report = analyze(player, Game(size), BLACK, 30)
        assert report.visits == 30 and report.ownership.shape == (size * size,)


def test_a_full_tree_is_pruned_and_searched_on(player: Player, monkeypatch: pytest.MonkeyPatch) -> None:
    game = Game(SIZE)
    search = player.search_on(SIZE)
    assert (search.tree.capacity + search._spare.capacity) * bytes_per_node(len(search.tree.columns)) <= 16 << 20
    for tree in (search.tree, search._spare):  # a tiny one, so that it fills soon
        tree.record["capacity"] = 3000
    compact, pruned = search._compact, []

    def prune(root: int, min_visits: int) -> None:
        before = search.tree.num_nodes
        compact(root, min_visits)
        pruned.append((before, search.tree.num_nodes))

    monkeypatch.setattr(search, "_compact", prune)
    player.set_parameter("search.expand_at", "1")
    report = analyze(player, game, BLACK, 3000)
    assert report.visits == report.simulations == 3000
    assert len(pruned) >= 5
    for before, after in pruned:
        assert 0.98 * 3000 <= before <= 3000 and SIZE**2 < after <= 1500
    check_report(report, game, BLACK)
    move = report.moves[0]
    game.play(BLACK, move.move)
    assert analyze(player, game, WHITE, 250).visits == move.visits + 250


def test_two_threads_share_the_work_and_report_sanely() -> None:
    player = Player(PlayerOptions(seed=1, memory=16, threads=2))
    game = Game(SIZE)
    report = analyze(player, game, BLACK, 3000)
    assert report.simulations == 3000
    assert 2900 <= report.visits <= 3000  # two threads may now and then count as one
    evaluated = [int(workspace.record["num_evaluations"]) for workspace in player._setup.workspaces]
    assert min(evaluated) > 100 and sum(evaluated) <= 3000
    tree = player.search_on(SIZE).tree
    values = tree["value"][: tree.num_nodes]
    assert np.isfinite(values).all() and values.min() >= -1e-6 and values.max() <= 1.0 + 1e-6
    assert (tree["first_child"][: tree.num_nodes] >= -2).all() and (tree["first_child"][: tree.num_nodes] != -1).all()
    choice = player.choose(game, BLACK, Budget(500))
    assert game.is_legal(BLACK, choice.move)
    player.close()


def test_a_stop_ends_the_search_at_its_next_look(player: Player) -> None:
    game = Game(SIZE)
    for is_early in (True, False):
        stop, late_looks = threading.Event(), 0

        def look(report: SearchReport, stop: threading.Event = stop) -> None:
            nonlocal late_looks
            late_looks += stop.is_set()
            assert late_looks <= 1

        if is_early:
            stop.set()
        else:
            threading.Timer(0.2, stop.set).start()
        choice = player.choose(game, BLACK, Budget(simulations=10**8), look, 1e-6, stop)
        assert CHUNK <= choice.report.simulations < 10**8 and game.is_legal(BLACK, choice.move)
        assert not is_early or choice.report.simulations == CHUNK


def test_analysis_reports_until_it_is_stopped(player: Player) -> None:
    game = game_from_diagram("......." * 1 + "\n" + "\n".join(["...X...", "..XO...", "...O..."] + ["......."] * 3))
    stop = threading.Event()
    reports: list[SearchReport] = []

    def collect(report: SearchReport) -> None:
        reports.append(report)
        if len(reports) == 3:
            stop.set()

    last = player.analyze(game, WHITE, collect, 0.02, stop)
    assert len(reports) == 3
    simulations = [report.simulations for report in reports]
    assert simulations == sorted(simulations) and last.simulations >= simulations[-1] > simulations[0]
    for report in reports:
        check_report(report, game, WHITE)


def test_ownership_and_score_are_the_searching_players() -> None:
    text = "\n".join(["XXXX.OO", "X.XX.O.", "XXXX.OO", "XXXX.OO", "XXXX.OO", "X.XX.O.", "XXXX.OO"])
    for color in (BLACK, WHITE):
        game = game_from_diagram(text, color, 0.5)
        report = analyze(Player(PlayerOptions(seed=1, memory=16)), game, color, 200)
        assert report.ownership[0] == (1.0 if color == BLACK else -1.0)
        assert report.score * (1 if color == BLACK else -1) > 3.0
        assert report.moves[0].score == pytest.approx(report.score, abs=2.0)
        assert (report.value > 0.9) == (color == BLACK)


def test_nobody_plays_on_the_callers_board(player: Player) -> None:
    game = Game(SIZE)
    for _ in range(6):
        before = game.board.copy()
        choice = player.choose(game, game.to_play, Budget(60))
        assert (game.board == before).all() and choice.move != RESIGN
        game.play(game.to_play, choice.move)


def test_policy_moves_have_exact_probabilities_for_either_color(player: Player) -> None:
    game = game_from_diagram("\n".join(["......."] * 3 + [".XO....", ".OX....", "......."] + ["......."]))
    for color in (BLACK, WHITE):
        moves = player.playout_moves_at(game, color)
        assert sum(move.probability for move in moves) == pytest.approx(1.0, abs=1e-5)
        assert all(move.move == PASS or game.is_legal(color, move.move) for move in moves)
        assert len({move.layer for move in moves}) == 1
    assert game.to_play == BLACK


def test_a_whole_game_is_legal_and_ends(player: Player) -> None:
    game = Game(SIZE)
    while not game.is_over and len(game.moves) < 150:
        choice = player.choose(game, game.to_play, Budget(50))
        check_report(choice.report, game, game.to_play)
        if choice.move == RESIGN:
            break
        assert game.is_legal(game.to_play, choice.move), vertex_of(choice.move, SIZE)
        game.play(game.to_play, choice.move)
    assert len(game.moves) < 150


def test_setting_a_seed_begins_its_random_numbers_anew(player):
    def search() -> list[int]:
        return [move.visits for move in player.choose(Game(SIZE), BLACK, Budget(simulations=150)).report.moves]

    player.set_seed(5)
    first = search()
    player.set_seed(6)
    assert search() != first
    player.set_seed(5)
    assert search() == first
