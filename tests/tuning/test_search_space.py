"""What can be tuned: ranges, types and places of numbers, and what is refused."""

import pytest

from miai.match.contestants import Contestant, read_contestant
from miai.tuning.search_space import SearchSpace, TunedParameter, name_with, read_space

NET = read_contestant("net")


def test_a_place_and_its_value_belong_together() -> None:
    plain, log = TunedParameter("puct.c0", 0.3, 2.0), TunedParameter("rave.equivalence", 10.0, 10000.0, is_log=True)
    assert (plain.value_at(0.0), plain.value_at(1.0), plain.value_at(0.5)) == (0.3, 2.0, 1.15)
    assert log.value_at(0.5) == pytest.approx(316.2) and log.place_of(100.0) == pytest.approx(1 / 3)
    for one in (plain, log):
        assert all(one.place_of(one.value_at(place)) == pytest.approx(place, abs=1e-3) for place in (0.1, 0.5, 0.9))


def test_whole_numbers_stay_whole_and_ends_are_never_passed() -> None:
    whole = TunedParameter("batch", 4, 7, is_integer=True)
    values = [whole.value_at(place / 100) for place in range(101)]
    assert set(values) == {4, 5, 6, 7} and all(isinstance(value, int) for value in values)
    narrow = TunedParameter("puct.c0", 1 / 3, 2 / 3)
    assert narrow.value_at(0.0) >= 1 / 3 and narrow.value_at(1.0) <= 2 / 3


def test_the_text_of_values_is_a_player_that_has_exactly_these() -> None:
    space = SearchSpace(
        (TunedParameter("puct.c0", 1e-6, 1.0, is_log=True), TunedParameter("batch", 1, 64, False, True))
    )
    for player in ("net", "net:simulations=400"):
        values = space.values_at((0.123, 0.77))
        options = read_contestant(name_with(player, space.settings(values))).options
        assert options is not None
        assert (options.parameters["puct.c0"], options.batch) == values


def test_the_players_own_values_are_found_where_they_lie_in_the_ranges() -> None:
    space, own = read_space(["puct.c0=0.3:2:log", "simulations=100:10000"], NET)
    assert space.names == ("puct.c0", "simulations") and own == (0.82, 2000)
    assert [parameter.is_integer for parameter in space.parameters] == [False, True]
    assert read_space(["puct.c0=1:2"], NET)[1] is None
    assert read_space(["resign-below=0:0.2"], read_contestant("fuego:resign-below=0.1"))[1] == (0.1,)


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (["puct.c=0.3:2"], r"there is no tunable number 'puct.c' – did you mean .* \(allowed: mix, batch, "),
        (["rave.equivalence=10:100"], "no tunable number 'rave.equivalence'"),
        (["select=1:2"], "no tunable number 'select'"),
        (["seed=1:2"], "no tunable number 'seed'"),
        (["komi=5:9"], "no tunable number 'komi'"),
        (["puct.c0"], r"'puct.c0' is not allowed \(allowed: NAME=LOW:HIGH"),
        (["puct.c0=1:2:lin"], "NAME=LOW:HIGH:log"),
        (["puct.c0=1:2:log:log"], "NAME=LOW:HIGH:log"),
        (["puct.c0=2:1"], "puct.c0: 2:1 is not allowed .allowed: the lower end first"),
        (["puct.c0=1:1"], "the lower end first"),
        (["puct.c0=0:200"], r"puct.c0: '200' is not allowed \(allowed: numbers from 0 to 100\)"),
        (["puct.c0=a:2"], "'a' is not allowed"),
        (["puct.c0=nan:2"], "'nan' is not allowed"),
        (["puct.c0=:2"], "'' is not allowed"),
        (["puct.c0=0:2:log"], "log is not allowed from 0 on"),
        (["batch=1.5:8"], r"batch: '1.5' is not allowed \(allowed: whole numbers from 1 to 1024\)"),
        (["puct.c0=1:2", "puct.c0=2:3"], "puct.c0 is named twice"),
    ],
)
def test_what_cannot_be_tuned_is_refused_with_what_can(texts: list[str], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        read_space(texts, NET)


def test_only_players_of_ours_are_tuned_and_their_own_parameters_are_checked() -> None:
    with pytest.raises(ValueError, match="'gnugo' is no player of miai's"):
        read_space(["level=1:10"], Contestant("gnugo", program=("gnugo",)))
    with pytest.raises(ValueError, match=r"no search parameter 'puct.c9' \(allowed: puct.c0"):
        read_space(["mix=0:1"], read_contestant("net:puct.c9=1"))
