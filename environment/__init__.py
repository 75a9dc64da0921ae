"""Go as an environment for Gymnasium and PettingZoo.

Importing it registers `miai/Go9x9-v0` and its siblings. Gymnasium imports it by itself for
`gymnasium.make("miai.environment:miai/Go9x9-v0")`; since version 1 it looks for no entry points.
"""

import gymnasium

SIZES = {"miai/Go-v0": None, "miai/Go9x9-v0": 9, "miai/Go13x13-v0": 13, "miai/Go19x19-v0": 19}
"""Registered name to board size; None takes it as an option."""


def register_environments() -> None:
    """Register every environment that is not registered yet."""
    for name, size in SIZES.items():
        if name not in gymnasium.registry:
            gymnasium.register(
                name,
                entry_point="miai.environment.env:GoEnv",
                vector_entry_point="miai.environment.vector_env:GoVectorEnv",
                kwargs={} if size is None else {"size": size},
            )


register_environments()
