"""What a session keeps from command to command."""

from miai.gtp.session import Session
from miai.players.options import PlayerOptions
from tests.gtp.fake_player import FakePlayer


def test_a_seed_reaches_the_players_of_all_levels_also_those_made_later() -> None:
    made: list[FakePlayer] = []

    def make_player(options: PlayerOptions) -> FakePlayer:
        made.append(FakePlayer(options))
        return made[-1]

    session = Session(make_player=make_player)
    assert session.player is made[0]
    session.set_seed(5)
    session.strength = 3
    assert session.player is made[1]
    session.set_seed(6)
    assert [player.seeds for player in made] == [[5, 6], [5, 6]]
