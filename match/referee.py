"""A game between two engines. The referee holds its own board: it alone says what is legal and who won."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from miai.engine.go.benson import pass_alive
from miai.engine.go.game import Game, IllegalMove
from miai.engine.go.points import BLACK, WHITE, VertexError, color_name, move_at, vertex_of
from miai.engine.go.rules import RULES
from miai.match.engines import Effort, Engine, EngineFailed
from miai.match.match_clock import MatchClock, MatchTimeSettings
from miai.match.results import GameResult
from miai.match.schedule import SIDES, ScheduledGame, other_side
from miai.players.dead_stones import score_without

LAG = 0.5
"""Seconds by which a clock may be overstepped, for what the way to the engine and back takes."""


@dataclass(frozen=True)
class GameSettings:
    """What all games of a match have in common."""

    size: int = 9
    komi: float = 7.0
    rules: str = "tromp-taylor"
    """A name in `miai.engine.go.rules.RULES`."""
    max_moves: int = 243
    """A game of so many moves that goes on is void."""
    move_timeout: float = 300.0
    """Seconds after which a move counts as never coming."""
    time_per_move: int | None = None
    """Seconds a move that the engines are told; not enforced."""
    time_settings: MatchTimeSettings | None = None
    """A clock for each side; who oversteps it loses."""
    seed: int = 1
    adjudicate: bool = False
    """Whether a game ends when its winner is proven; see `proven_winner`."""

    @property
    def told_time(self) -> str | None:
        """Arguments of `time_settings`; None to tell the engines nothing."""
        if self.time_settings is None and self.time_per_move is not None:
            return str(MatchTimeSettings(0, self.time_per_move, 1))
        return None if self.time_settings is None else str(self.time_settings)


@dataclass
class PlayedGame:
    """A finished game and what is worth keeping of it beside the result."""

    result: GameResult
    game: Game
    """The moves and the last position."""
    comments: dict[int, str] = field(default_factory=dict)
    """The engines' words on the last move, by the number of moves made."""


class _GameEnds(Exception):
    """The game is over, with these fields of its result."""

    def __init__(self, **fields: object) -> None:
        super().__init__()
        self.fields = fields


class Referee:
    """Conduct one game."""

    def __init__(self, scheduled: ScheduledGame, engines: Mapping[str, Engine], settings: GameSettings) -> None:
        self.scheduled = scheduled
        self.engines = engines
        self.settings = settings
        self.game = Game(settings.size, settings.komi, RULES[settings.rules])
        efforts = {side: Effort() for side in SIDES}
        result = GameResult(scheduled.number, scheduled.black, None, "Void", "void", efforts=efforts)
        self.played = PlayedGame(result, self.game)
        clock = settings.time_settings
        self.clocks = {side: MatchClock(clock, LAG) for side in SIDES} if clock else {}

    def conduct(self) -> PlayedGame:
        """Play the game to its end, whatever the engines do.

        Two passes end a game, and it is scored by area as it stands: stones that were not captured are alive. Where
        the rules take dead stones off, those that both engines call dead are; if they differ, the game is void. An
        engine that fails, plays what these rules forbid, or writes more than it was asked for, forfeits the game.
        """
        result = self.played.result
        try:
            self._play_out()
            for side in SIDES:
                self.engines[side].check_in_step()
        except EngineFailed as failure:
            winner = other_side(failure.side)
            self._set(self._win(winner, "Forfeit", "forfeit"))
            result.reason, result.failed_side, result.failure = str(failure), failure.side, failure.kind
        result.moves = [vertex_of(move, self.settings.size) for _, move in self.game.moves]
        for side, clock in self.clocks.items():
            if result.efforts[side].moves:
                result.efforts[side].add_clock(clock.used_fraction, clock.least_left)
        return self.played

    def _play_out(self) -> None:
        """Play the game and set its result."""
        try:
            self._begin()
            while not self.game.is_over:
                if len(self.game.moves) >= self.settings.max_moves:
                    raise _GameEnds(reason=f"move limit of {self.settings.max_moves} reached")
                self._play_turn(self.game.to_play)
                if self.settings.adjudicate and not self.game.is_over:
                    self._adjudicate()
            self._score()
        except _GameEnds as end:
            self._set(end.fields)

    def _set(self, fields: Mapping[str, object]) -> None:
        for name, value in fields.items():
            setattr(self.played.result, name, value)

    def _win(self, side: str, how: str, ending: str) -> dict[str, object]:
        color = "B" if side == self.scheduled.black else "W"
        return {"winner": side, "result": f"{color}+{how}", "ending": ending}

    def _side_of(self, color: int) -> str:
        return self.scheduled.black if color == BLACK else self.scheduled.white

    def _begin(self) -> None:
        settings = self.settings
        for side in SIDES:
            seed = self.scheduled.seed_of(side, settings.seed)
            self.engines[side].begin(settings.size, settings.komi, settings.told_time, seed)
        for move in self.scheduled.opening:
            color = self.game.to_play
            self.game.play(color, move)
            for side in SIDES:
                self.engines[side].play(color_name(color), vertex_of(move, settings.size))
        self.played.result.opening_length = len(self.scheduled.opening)

    def _play_turn(self, color: int) -> None:
        side = self._side_of(color)
        engine, effort = self.engines[side], self.played.result.efforts[side]
        clock = self.clocks.get(side)
        if clock:
            engine.tell_time(color_name(color), clock.describe())
        text, seconds = engine.choose(color_name(color), self.settings.move_timeout, effort)
        if clock:
            clock.spend(seconds)
            if clock.seconds < -LAG:
                raise EngineFailed(side, "timeout", f"overstepped its time by {-clock.seconds:.1f} seconds")
        if text.lower() == "resign":
            raise _GameEnds(**self._win(other_side(side), "Resign", "resignation"))
        try:
            move = move_at(text, self.settings.size)
            self.game.play(color, move)
        except (VertexError, IllegalMove) as error:
            raise EngineFailed(side, "illegal", f"move {len(self.game.moves) + 1}, {text[:20]!r}: {error}") from error
        words = engine.explain(effort)
        if words:
            self.played.comments[len(self.game.moves)] = words
        self.engines[other_side(side)].play(color_name(color), vertex_of(move, self.settings.size))

    def _adjudicate(self) -> None:
        """End the game if nobody can change who wins."""
        winner = proven_winner(self.game)
        if winner is not None:
            raise _GameEnds(**self._win(self._side_of(winner), "", "adjudication"), reason="pass-alive majority")

    def _score(self) -> None:
        score = self._count()
        if score == 0:
            self._set({"winner": "draw", "result": "0", "ending": "score"})
        else:
            side = self._side_of(BLACK if score > 0 else WHITE)
            self._set(self._win(side, f"{abs(score):g}", "score"))
        for side in SIDES:
            try:
                claimed = self.engines[side].final_score()
            except EngineFailed as failure:
                if failure.kind == "error":
                    raise
                continue
            if claimed:
                self.played.result.claimed_results[side] = claimed

    def _count(self) -> float:
        """Return the score, by rules that take dead stones off without those.

        An engine that tells of none, or of what are no stones, leaves the word to the other.
        """
        if not self.game.rules.removes_dead:
            return self.game.score()
        told = [dead for side in SIDES if (dead := self._dead_by(side)) is not None] or [set()]
        if told[0] != told[-1]:
            disputed = " ".join(vertex_of(point, self.settings.size) for point in sorted(told[0] ^ told[-1]))
            raise _GameEnds(reason=f"the engines differ on whether these stones are dead: {disputed}")
        return score_without(self.game, told[0])

    def _dead_by(self, side: str) -> set[int] | None:
        try:
            vertices = self.engines[side].dead_stones()
            dead = None if vertices is None else {move_at(vertex, self.settings.size) for vertex in vertices}
        except (EngineFailed, VertexError):
            return None
        return dead if dead is None or dead <= self.game.stones().keys() else None


def proven_winner(game: Game) -> int | None:
    """Return the player whose pass-alive stones and territory alone outweigh the rest of the board and komi, if any.

    No play can change that: the opponent cannot live there. Its stones there count as taken, though the winner would
    still have to take them, and nobody is expected to fill its own eyes.

    Source: D. B. Benson, "Life in the game of Go", Information Sciences 10 (1976).
    """
    owners = np.empty(game.size**2, dtype=np.int8)
    pass_alive(game.board, owners, game.rules.suicide)
    black, white = int(np.count_nonzero(owners > 0)), int(np.count_nonzero(owners < 0))
    rest = game.size**2 - black - white
    if black - white - rest - game.komi > 0:
        return BLACK
    return WHITE if black - white + rest - game.komi < 0 else None
