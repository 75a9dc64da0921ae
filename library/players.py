"""Players: a preset or config file with options, which search positions and choose moves."""

from pathlib import Path
from typing import Any

from miai.engine.go.points import vertex_of
from miai.library.games import Game
from miai.library.reports import Report
from miai.players.fallback import options_on
from miai.players.option_kinds import unknown_name
from miai.players.options import PLAYER_FIELDS, PlayerOptions, read_value, resolve_options
from miai.players.player import Budget
from miai.players.player import Player as EnginePlayer


class Player:
    """Someone who plays Go: a search put together from named parts.

    The first search compiles what it needs; later ones, in other processes too, find that on disk.
    """

    def __init__(self, preset: str | Path | None = None, **options: Any) -> None:
        """Choose who plays.

        Args:
            preset: a name that `miai play --help` lists, or a config file, `mine.toml`; by default `net`, or `fuego` if
                the options name a part of the search.
            options: any option of `miai play` that is about the player, with underscores: `simulations=400`,
                `select="esprit"`, `seed=1`, `parameters={"puct.c0": 0.7}`.

        Raises:
            OptionError: for a wrong option, which it names with what is allowed. It is a ValueError.
        """
        for name in options:
            if name not in (names := ("strength", *PLAYER_FIELDS)):
                raise unknown_name(name, names, "option of a player")
        if preset is not None and Path(preset).suffix == ".toml":
            self.options = resolve_options(config=Path(preset), given=options)[0]
        else:
            self.options = resolve_options(None if preset is None else str(preset), given=options)[0]
        """How the player thinks."""
        self._players: dict[PlayerOptions, EnginePlayer] = {}

    def search(self, game: Game, simulations: int | None = None, time: float | None = None) -> Report:
        """Search a position for the player to move; the game stays as it is.

        Args:
            game: whose position is searched.
            simulations: to do at most; by default the player's.
            time: in seconds at most; by default the player's.

        Raises:
            OptionError: for a number that is not allowed. It is a ValueError.
        """
        player = self._player_on(game.size)
        report = player.search(game.state, game.state.to_play, _budget(player.options, simulations, time))
        return Report(game.state, report)

    def choose(self, game: Game, simulations: int | None = None, time: float | None = None) -> str:
        """Return the move that the player makes here: a point, `pass` or `resign`; the game stays as it is."""
        player = self._player_on(game.size)
        choice = player.choose(game.state, game.state.to_play, _budget(player.options, simulations, time))
        return vertex_of(choice.move, game.size)

    def play(self, game: Game, simulations: int | None = None, time: float | None = None) -> str:
        """Choose a move and make it, unless it is `resign`; return it."""
        move = self.choose(game, simulations, time)
        if move != "resign":
            game.play(move)
        return move

    def new_game(self) -> None:
        """Forget what earlier searches found, and go on to the random numbers of the next game."""
        for player in self._players.values():
            player.new_game()

    def close(self) -> None:
        """Release memory and threads."""
        for player in self._players.values():
            player.close()
        self._players.clear()

    def __enter__(self) -> "Player":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        limits = {"simulations": self.options.simulation_limit, "seconds": self.options.time}
        told = ", ".join(f"{value:g} {name}" for name, value in limits.items() if value is not None)
        return f"<Player {self.options.select} with {self.options.evaluator}, {told} a move>"

    def _player_on(self, size: int) -> EnginePlayer:
        options = options_on(self.options, size)
        if options not in self._players:
            self._players[options] = EnginePlayer(options)
        return self._players[options]


def _budget(options: PlayerOptions, simulations: int | None, time: float | None) -> Budget:
    """Return the limits of a search as they were given, else as the player's options say."""
    if simulations is None and time is None:
        return Budget(options.simulation_limit, options.time)
    return Budget(
        options.simulations if simulations is None else read_value("simulations", simulations),
        options.time if time is None else read_value("time", time),
    )
