"""Go environments of other projects, played at random, for `miai bench env`: those that are installed.

Each the fastest way its own interface has, and with miai's komi and move limit where it takes them. Every step makes a
move and finds what is legal next, so that much is the same; superko is not: OpenSpiel ends a game that repeats a
position as a draw, pgx as a loss, PettingZoo knows simple ko only.
"""

import importlib
import os
import random
from collections.abc import Callable
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

RandomPlay = Callable[[int], int]
"""Make at least a number of moves; return how many were made."""

_KOMI = 7.0
_NUM_GAMES = 32
"""Games that pgx plays at the same time: more were not faster on one core."""
_NUM_STEPS = 32
"""Steps of pgx in one compiled call."""


class Peer(NamedTuple):
    """An environment of another project."""

    prepare: Callable[[int], RandomPlay | None]
    """Return random play on a board size; None where it is not installed."""
    compared: tuple[str, ...]
    """Which of miai's cases do the same: the observation, many games at once or one."""


def _find(name: str) -> ModuleType | None:
    """Return a module if it and what it needs is installed."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def _find_openspiel(size: int) -> Any:
    spiel: Any = _find("pyspiel")
    return spiel and spiel.load_game("go", {"board_size": size, "komi": _KOMI, "max_game_length": 3 * size**2})


def play_openspiel(size: int) -> RandomPlay | None:
    """Return random play through OpenSpiel's Python binding, one game after the other."""
    game = _find_openspiel(size)
    if game is None:
        return None
    rng = random.Random(1).random

    def play(number: int) -> int:
        state = game.new_initial_state()
        for _ in range(number):
            actions = state.legal_actions()
            state.apply_action(actions[int(rng() * len(actions))])
            if state.is_terminal():
                state = game.new_initial_state()
        return number

    return play


def play_openspiel_obs(size: int) -> RandomPlay | None:
    """Return the same with the observation after each move, written to one array as OpenSpiel's `Observation` does."""
    game = _find_openspiel(size)
    observation: Any = _find("open_spiel.python.observation")
    if game is None or observation is None:
        return None
    observe = observation.make_observation(game).set_from
    rng = random.Random(1).random

    def play(number: int) -> int:
        state = game.new_initial_state()
        for _ in range(number):
            actions = state.legal_actions()
            state.apply_action(actions[int(rng() * len(actions))])
            observe(state, 0)
            if state.is_terminal():
                state = game.new_initial_state()
        return number

    return play


def play_pgx(size: int) -> RandomPlay | None:
    """Return random play in pgx: many games and steps in one compiled call, with observations, games begun anew."""
    jax: Any = _find("jax")
    go: Any = _find("pgx.go")
    wrappers: Any = _find("pgx.experimental.wrappers")
    if jax is None or go is None or wrappers is None:
        return None
    env = go.Go(size=size, komi=_KOMI, max_terminal_steps=3 * size**2)
    step_all = jax.vmap(wrappers.auto_reset(env.step, env.init))

    def draw_and_step(carried: Any, _: Any) -> Any:
        state, key = carried
        key, for_actions, for_games = jax.random.split(key, 3)
        logits = jax.numpy.where(state.legal_action_mask, 0.0, -jax.numpy.inf)
        actions = jax.random.categorical(for_actions, logits, axis=1)
        return (step_all(state, actions, jax.random.split(for_games, _NUM_GAMES)), key), None

    run = jax.jit(lambda carried: jax.lax.scan(draw_and_step, carried, None, length=_NUM_STEPS)[0])
    keys = jax.random.split(jax.random.PRNGKey(1), _NUM_GAMES)
    carried = jax.jit(jax.vmap(env.init))(keys), jax.random.PRNGKey(2)

    def play(number: int) -> int:
        nonlocal carried
        moves = 0
        while moves < number:
            carried = run(carried)
            moves += _NUM_GAMES * _NUM_STEPS
        jax.block_until_ready(carried)
        return moves

    return play


def play_pettingzoo(size: int) -> RandomPlay | None:
    """Return random play in PettingZoo's Go."""
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    module: Any = _find("pettingzoo.classic.go.go")
    return None if module is None else play_agents(module.env(board_size=size, komi=_KOMI))


def play_agents(env: Any) -> RandomPlay:
    """Return random play of the two agents of an AEC environment."""
    rng = random.Random(1).random
    env.reset(seed=1)

    def play(number: int) -> int:
        for _ in range(number):
            observation, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.reset()
                observation = env.last()[0]
            actions = np.flatnonzero(observation["action_mask"])
            env.step(actions[int(rng() * len(actions))])
        return number

    return play


PEERS = {
    "openspiel": Peer(play_openspiel, ("vector",)),
    "openspiel_obs": Peer(play_openspiel_obs, ("vector_obs", "single")),
    "pgx_obs": Peer(play_pgx, ("vector_obs",)),
    "pettingzoo_obs": Peer(play_pettingzoo, ("aec",)),
}
"""By the name of the figure."""
