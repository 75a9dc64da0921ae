"""Go for two agents that take turns, as PettingZoo's AEC environments.

env = GoAECEnv(size=9)
env.reset(seed=1)
for agent in env.agent_iter():
    observation, reward, terminated, truncated, info = env.last()
    over = terminated or truncated
    env.step(None if over else env.action_space(agent).sample(observation["action_mask"]))
"""

from typing import Any, ClassVar

import gymnasium
import numpy as np
from pettingzoo.utils.env import AECEnv

from miai.engine.go.points import BLACK, WHITE, color_name
from miai.environment.env import GoEnv
from miai.players.option_kinds import OptionError

Observation = dict[str, np.ndarray]

AGENTS = {"black_0": BLACK, "white_0": WHITE}
"""The agents' names and colours."""


class GoAECEnv(AECEnv[str, Observation, int]):
    """A game of Go between `black_0` and `white_0`.

    An observation is a dictionary of `observation`, the planes of `GoEnv`, and `action_mask`. The agent that is not to
    move sees the same planes with own and opponent's stones exchanged, and a mask of zeros.
    """

    metadata: ClassVar[dict[str, Any]] = {**GoEnv.metadata, "name": "miai_go_v0", "is_parallelizable": False}

    def __init__(self, render_mode: str | None = None, **options: Any) -> None:
        """Make an environment; `options` are those of `EnvironmentOptions` without an opponent.

        Raises:
            OptionError: for an option that does not exist or a value that is not allowed; says which are.
        """
        super().__init__()
        if options.get("opponent") is not None:
            raise OptionError("opponent: there is none where two agents play each other")
        self._env = GoEnv(render_mode, **options)
        self.render_mode = render_mode
        self.possible_agents = list(AGENTS)
        self.agents: list[str] = []
        num_actions = self._env.options.size**2 + 1
        mask = gymnasium.spaces.MultiBinary(num_actions)
        self._observation_space = gymnasium.spaces.Dict(
            {"observation": self._env.observation_space, "action_mask": mask}
        )
        self._action_spaces = {agent: gymnasium.spaces.Discrete(num_actions) for agent in AGENTS}

    def observation_space(self, agent: str) -> gymnasium.spaces.Dict:
        """Return the space of an agent's observations."""
        return self._observation_space

    def action_space(self, agent: str) -> gymnasium.spaces.Discrete:
        """Return the space of an agent's actions: a point, row-major from the top left, or size·size for a pass."""
        return self._action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a new game; `options` are not used."""
        self._planes, info = self._env.reset(seed=seed)
        self._mask = info["action_mask"]
        self.agents = list(AGENTS)
        self.rewards = dict.fromkeys(AGENTS, 0.0)
        self._cumulative_rewards = dict.fromkeys(AGENTS, 0.0)
        self.terminations = dict.fromkeys(AGENTS, False)
        self.truncations = dict.fromkeys(AGENTS, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in AGENTS}
        self.agent_selection = self._mover = self._agent_to_play()

    def step(self, action: Any) -> None:
        """Take the action of the agent whose turn it is; None after the end, as PettingZoo asks for.

        Raises:
            IllegalMove: for an illegal action, if it does not lose the game.
            ValueError: if there is no such action, or no game has begun.
        """
        self._check_begun()
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[agent] = 0.0
        self._planes, reward, terminated, truncated, info = self._env.step(action)
        self._mask = info.pop("action_mask")
        self._mover = self._agent_to_play()
        draw = (terminated or truncated) and info["score"] == 0.0 and not info["illegal_action"]
        for name in AGENTS:
            self.rewards[name] = reward if name == agent or draw else -reward
            self.terminations[name] = terminated
            self.truncations[name] = truncated
            self.infos[name] = dict(info)
        self.agent_selection = next(name for name in AGENTS if name != agent)
        self._accumulate_rewards()

    def observe(self, agent: str) -> Observation:
        """Return what an agent sees.

        Raises:
            ValueError: if there is no such agent, or no game has begun.
        """
        self._check_begun()
        if agent not in AGENTS:
            raise ValueError(f"there is no agent {agent!r} (allowed: {', '.join(AGENTS)})")
        planes = self._planes.copy()
        if agent == self._mover:
            return {"observation": planes, "action_mask": self._mask.copy()}
        planes[:2] = planes[1::-1].copy()
        return {"observation": planes, "action_mask": np.zeros_like(self._mask)}

    def render(self) -> Any:
        """Return the board as `GoEnv` draws it."""
        return self._env.render()

    def close(self) -> None:
        """Nothing to release."""

    def _check_begun(self) -> None:
        if not hasattr(self, "agent_selection"):
            raise ValueError("there is no game to go on with: call reset() first")

    def _agent_to_play(self) -> str:
        return f"{self._env.to_play}_0"


assert all(name == f"{color_name(color)}_0" for name, color in AGENTS.items())
