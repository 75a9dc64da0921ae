"""Time control: how long the next move may take. Plain Python, knows no game but the number of moves to expect.

A clock adds up the time that both players spent, because many clients never send the time left; where one does
(`set_time_left`), that replaces the clock's own count. The time for a move leaves `lag` seconds for its way to the
referee, twice that where a late move loses a period, and is never more than the player has.
"""

from dataclasses import dataclass
from typing import Literal

System = Literal["none", "absolute", "canadian", "byoyomi"]

_SHORTEST = 0.005
"""Seconds for a move when there is no time left to give."""


@dataclass(frozen=True)
class TimeSettings:
    """Main time, then overtime.

    Raises:
        ValueError: if a time or count is negative or 2^31 and more, or an overtime lacks its time or its count.
    """

    system: System = "none"
    main: float = 0.0
    """Seconds before overtime begins."""
    overtime: float = 0.0
    """Seconds of a period of overtime."""
    count: int = 0
    """Canadian: stones to play in a period. Byo-yomi: number of periods, each for one stone."""

    def __post_init__(self) -> None:
        if not all(0 <= number < 1 << 31 for number in (self.main, self.overtime, self.count)):
            raise ValueError("times and counts are not negative and less than 2 to the power of 31")
        if self.system in ("canadian", "byoyomi") and not (self.overtime > 0 and self.count > 0):
            raise ValueError("overtime needs a time and a count")

    @classmethod
    def from_gtp(cls, main: float, overtime: float, stones: int) -> "TimeSettings":
        """Read GTP's `time_settings`: `M 0 0` absolute, `M B S` Canadian, `M B 0` with B > 0 no limit."""
        if overtime > 0 and stones == 0:
            return cls("none")
        if overtime == 0 or stones == 0:
            return cls("absolute", main)
        return cls("canadian", main, overtime, stones)


@dataclass
class _Account:
    """What one player has left."""

    main: float
    period: float
    """Seconds left in the period of overtime that runs or comes next."""
    count: int
    """Canadian: stones left in that period. Byo-yomi: periods left, that one included."""
    is_confirmed: bool = False
    """Whether a referee told the state of the period, so that what was saved in it may be spent."""


class TimeManager:
    """Both players' time, by colour."""

    def __init__(self, lag: float = 0.1) -> None:
        self.lag = lag
        """Seconds between our decision and the referee's clock stopping, kept back at every move."""
        self.settings = TimeSettings()
        self._is_guessed = False
        """Whether nobody told the settings, only what was left."""
        self._accounts: dict[int, _Account] = {}

    def set(self, settings: TimeSettings) -> None:
        """Take new settings; both players have all their time."""
        self.settings, self._is_guessed = settings, False
        self.reset()

    def reset(self) -> None:
        """Give both players all their time again: a new game begins."""
        if self._is_guessed:
            self.settings, self._is_guessed = TimeSettings(), False
        self._accounts = {}

    def set_time_left(self, color: int, seconds: float, count: int) -> None:
        """Take a referee's word for what a player has left.

        Args:
            color: the player.
            seconds: of main time if `count` is 0, else of the current period.
            count: Canadian: stones left in the period; byo-yomi: periods left.
        """
        if self.settings.system == "none":
            if seconds == count == 0:
                return  # a referee without a clock
            self.settings, self._is_guessed = TimeSettings("absolute", max(0.0, seconds)), True
        account = self._account(color)
        account.is_confirmed = count > 0
        if count == 0 or self.settings.system == "absolute":
            account.main = max(0.0, seconds)
            account.period, account.count = self.settings.overtime, self.settings.count
        else:
            account.main, account.period, account.count = 0.0, max(0.0, seconds), count

    def spend(self, color: int, seconds: float) -> None:
        """Charge a player for a move, lag included."""
        if self.settings.system == "none":
            return
        account = self._account(color)
        seconds += self.lag
        from_main = min(account.main, seconds)
        account.main -= from_main
        self._spend_overtime(account, seconds - from_main, was_in_overtime=from_main == 0)

    def seconds_for(self, color: int, num_empty: int) -> float | None:
        """Return how long a player may think about the next move; None = no limit.

        Args:
            color: the player.
            num_empty: empty points on the board, from which follows how many moves are still to come.
        """
        if self.settings.system == "none":
            return None
        account = self._account(color)
        allotment = self._main_time_of_move(account.main, num_empty)
        if self.settings.system == "canadian":
            allotment = max(allotment, self._canadian_time_of_move(account))
        elif self.settings.system == "byoyomi":
            allotment = max(allotment, (account.period if account.main == 0 else self.settings.overtime) - 2 * self.lag)
        return max(allotment, _SHORTEST)

    def _account(self, color: int) -> _Account:
        if color not in self._accounts:
            self._accounts[color] = _Account(self.settings.main, self.settings.overtime, self.settings.count)
        return self._accounts[color]

    def _main_time_of_move(self, main: float, num_empty: int) -> float:
        """Return the part of the main time for one of the moves to come.

        On 9x9 each player plays about four tenths of the empty points, but a search that stops early takes some seven
        tenths of what it is given, and the first half of a game decides most: so the time is divided by fewer moves
        than are to come. Ten of them, and the lag of forty or of a long game, are kept in hand.
        """
        num_moves = max(10.0, 0.27 * num_empty)
        kept_back = min(0.8 * main, self.lag * max(40.0, 0.6 * num_empty))
        return min((main - kept_back) / num_moves, main - self.lag) - self.lag

    def _canadian_time_of_move(self, account: _Account) -> float:
        """Return the time for a stone of the period.

        We cannot know at which stone the referee's main time ended, so time saved in a period is only spent once the
        referee said what is left: else any `count` stones in a row keep within a period, wherever it begins. Its last
        stone keeps a second lag in hand, as nothing makes up for a late one.
        """
        per_stone = self.settings.overtime / self.settings.count
        if account.main > 0:
            return per_stone - 2 * self.lag
        left = (account.period - self.lag) / max(1, account.count)
        return (left if account.is_confirmed else min(left, per_stone - self.lag)) - self.lag

    def _spend_overtime(self, account: _Account, seconds: float, was_in_overtime: bool) -> None:
        if account.main > 0 or self.settings.system not in ("canadian", "byoyomi"):
            return
        if self.settings.system == "byoyomi":
            lost = int(seconds // self.settings.overtime)
            account.count = max(1, account.count - lost)
            account.period = self.settings.overtime
            return
        account.period = max(0.0, account.period - seconds)
        if was_in_overtime:
            account.count -= 1
        if account.count <= 0:
            account.period, account.count = self.settings.overtime, self.settings.count
