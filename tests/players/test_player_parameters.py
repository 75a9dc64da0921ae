"""The parameters of a player's search: their ranges, their effect, and what is said of wrong ones."""

import dataclasses
from collections.abc import Iterator

import numpy as np
import pytest

from miai.engine.go.game import Game
from miai.engine.go.points import BLACK
from miai.engine.search.backup import BACKUP_RULES
from miai.engine.search.selection import SELECTION_RULES
from miai.players.evaluators import CompiledSearchSetup
from miai.players.options import _UNKNOWN_TO, EVALUATORS, PlayerOptions
from miai.players.parameters import PlayerParameters
from miai.players.player import Player
from tests.players.test_player import SIZE, analyze


@pytest.fixture(name="player")
def make_player() -> Iterator[Player]:
    made = Player(PlayerOptions(seed=1, memory=16))
    yield made
    made.close()


def test_parameters_are_set_within_their_range_and_take_effect(player: Player) -> None:
    parameters = player.parameters()
    assert {"search.expand_at", "rave.equivalence", "rave.exploration"} <= set(parameters)
    for name, parameter in parameters.items():
        assert parameter.lowest <= parameter.value <= parameter.highest and parameter.meaning
        for value in (parameter.lowest, parameter.highest):
            player.set_parameter(name, f"{value:g}" if isinstance(parameter.value, float) else str(int(value)))
            assert player.parameters()[name].value == value
            assert isinstance(player.parameters()[name].value, type(parameter.value))
        player.set_parameter(name, str(parameter.value))
    assert player.parameters() == parameters
    sizes = []
    for expand_at in ("1", "50"):
        player.new_game()
        player.set_parameter("search.expand_at", expand_at)
        analyze(player, Game(SIZE), BLACK, 300)
        sizes.append(player.search_on(SIZE).tree.num_nodes)
    assert sizes[0] > 2 * sizes[1]


@pytest.mark.parametrize(("select", "backup"), [("dominance", "wdl-product"), ("puct", "mean")])
def test_what_is_dropped_with_an_evaluator_is_what_the_other_does_not_know(select: str, backup: str) -> None:
    rules = SELECTION_RULES[select], BACKUP_RULES[backup]
    known = {name: set(PlayerParameters(*rules, PlayerOptions(evaluator=name)).current()) for name in EVALUATORS}
    everything = set().union(*known.values())
    for evaluator, names in known.items():
        assert {name for name in everything if name.startswith(_UNKNOWN_TO[evaluator])} == everything - names


@pytest.mark.parametrize(("select", "backup"), [("mix", "mix"), ("search", "mean"), ("uct", "net")])
def test_rules_whose_names_leave_in_doubt_whose_a_parameter_is_are_refused(select: str, backup: str) -> None:
    selection = dataclasses.replace(SELECTION_RULES["uct"], name=select)
    with pytest.raises(ValueError, match=f"a rule is named '{backup if backup == 'net' else select}'"):
        PlayerParameters(selection, dataclasses.replace(BACKUP_RULES["mean"], name=backup), PlayerOptions())


@pytest.mark.parametrize(
    ("name", "value", "complaint"),
    [
        ("search.stop_probability", "0.1", "no search parameter 'search.stop_probability'"),
        ("rave.speed", "1", r"no search parameter 'rave.speed' \(allowed: search.expand_at, rave.equivalence"),
        ("uct.exploration", "1", "no search parameter 'uct.exploration'"),
        ("", "1", "no search parameter ''"),
        ("search.expand_at", "0", r"search.expand_at: '0' is not allowed \(allowed: a whole number from 1 to 1e\+06\)"),
        ("search.expand_at", "1.5", "a whole number from 1"),
        ("search.expand_at", "", "'' is not allowed"),
        ("rave.equivalence", "much", "'much' is not allowed .allowed: a number from 1 to 1e.09"),
        ("rave.equivalence", "nan", "a number from 1"),
        ("rave.equivalence", "inf", "a number from 1"),
        ("rave.equivalence", "-1", "a number from 1"),
        ("rave.schedule", "3", "a whole number from 0 to 2"),
    ],
)
def test_wrong_parameters_name_what_is_allowed(player: Player, name: str, value: str, complaint: str) -> None:
    before = player.parameters()
    with pytest.raises(ValueError, match=complaint):
        player.set_parameter(name, value)
    assert player.parameters() == before
    with pytest.raises(ValueError, match=complaint):
        Player(PlayerOptions(parameters={name or " ": value} if name else {"": value}))


def test_options_set_parameters_from_the_start() -> None:
    made = Player(PlayerOptions(select="uct", parameters={"uct.exploration": 0.75, "search.expand_at": 4}))
    assert made.parameters()["uct.exploration"].value == 0.75
    assert made.parameters()["search.expand_at"].value == 4


def test_mercy_goes_into_every_threads_playouts_by_the_komi_of_the_game() -> None:
    options = PlayerOptions(memory=16, threads=2)
    parameters = PlayerParameters(SELECTION_RULES["rave"], BACKUP_RULES["mean"], options)
    parameters.set("playouts.mercy", "0.3")
    setup = CompiledSearchSetup(options, 9, BACKUP_RULES["mean"])
    for komi, stones in ((7.0, 24), (40.5, 81)):
        game = Game(9, komi=komi)
        setup.load(game, BLACK, np.zeros_like(game.board["color"]), parameters)
        assert [workspace.record["evaluator"]["mercy_lead"] for workspace in setup.workspaces] == [stones] * 2
    assert "playouts.mercy" not in Player(PlayerOptions(evaluator="static", memory=16)).parameters()
