"""The names under which Gymnasium finds the environments. Loads nothing heavy: Gymnasium calls it at its own import."""

import gymnasium

SIZES = {"miai/Go-v0": None, "miai/Go9x9-v0": 9, "miai/Go13x13-v0": 13, "miai/Go19x19-v0": 19}
"""Registered name to board size; None takes it as an option."""


def register_environments() -> None:
    """Register every environment that is not registered yet; the entry point of the group `gymnasium.envs`."""
    for name, size in SIZES.items():
        if name not in gymnasium.registry:
            gymnasium.register(
                name,
                entry_point="selfplay.environment.env:GoEnv",
                vector_entry_point="selfplay.environment.vector_env:GoVectorEnv",
                kwargs={} if size is None else {"size": size},
            )
