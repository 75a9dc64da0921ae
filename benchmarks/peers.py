"""Go environments of other projects, played at random, for `miai bench env`: those that are installed."""

import importlib
import random
from collections.abc import Callable
from types import ModuleType
from typing import Any

Play = Callable[[int], int]
"""Make at least a number of moves; return how many were made."""

_NUM_GAMES = 256


def _find(name: str) -> ModuleType | None:
    """Return a module if it and what it needs is installed."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def play_openspiel(size: int, observe: bool) -> Play | None:
    """Return random play through OpenSpiel's Python binding, one game after the other."""
    spiel: Any = _find("pyspiel")
    if spiel is None:
        return None
    game = spiel.load_game("go", {"board_size": size, "komi": 7.0})
    draw = random.Random(1)

    def play(number: int) -> int:
        state = game.new_initial_state()
        for _ in range(number):
            state.apply_action(draw.choice(state.legal_actions()))
            if observe:
                state.observation_tensor()
            if state.is_terminal():
                state = game.new_initial_state()
        return number

    return play


def play_pgx(size: int) -> Play | None:
    """Return random play in pgx: many games in one compiled step with observations, games begun anew."""
    jax: Any = _find("jax")
    pgx: Any = _find("pgx")
    wrappers: Any = _find("pgx.experimental.wrappers")
    if jax is None or pgx is None or wrappers is None:
        return None
    env = pgx.make(f"go_{size}x{size}")
    keys = jax.random.split(jax.random.PRNGKey(1), _NUM_GAMES)
    state = jax.jit(jax.vmap(env.init))(keys)

    def draw_and_step(state: Any, key: Any) -> Any:
        logits = jax.numpy.log(state.legal_action_mask.astype(jax.numpy.float32))
        actions = jax.random.categorical(key, logits, axis=1)
        return jax.vmap(wrappers.auto_reset(env.step, env.init))(state, actions, jax.random.split(key, _NUM_GAMES))

    step = jax.jit(draw_and_step)

    def play(number: int) -> int:
        nonlocal state
        moves = 0
        while moves < number:
            state = step(state, jax.random.PRNGKey(moves))
            moves += _NUM_GAMES
        state.observation.block_until_ready()
        return moves

    return play


def play_pettingzoo(size: int) -> Play | None:
    """Return random play in PettingZoo's Go."""
    module: Any = _find("pettingzoo.classic.go_v5")
    if module is None:
        return None
    env = module.env(board_size=size, komi=7.0)
    env.reset(seed=1)

    def play(number: int) -> int:
        for _ in range(number):
            observation, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.reset()
                observation = env.last()[0]
            env.step(env.action_space(env.agent_selection).sample(observation["action_mask"]))
        return number

    return play


PEERS: dict[str, Callable[[int], Play | None]] = {
    "openspiel": lambda size: play_openspiel(size, False),
    "openspiel_obs": lambda size: play_openspiel(size, True),
    "pgx_obs": play_pgx,
    "pettingzoo_obs": play_pettingzoo,
}
"""Name of the figure to what prepares it for a board size; None where it is not installed."""
