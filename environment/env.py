"""One game of Go as a Gymnasium environment."""

import operator
from typing import Any

import gymnasium
import numpy as np

from miai.engine.go.batch import FORFEITED, GOES_ON, TRUNCATED
from miai.engine.go.batch_steps import ALL_LEGAL, play_replies, restart_games, sample_legal_actions, step_games
from miai.engine.go.planes import PLANES
from miai.engine.go.points import color_name
from miai.environment.game_arguments import EnvironmentOptions, illegal_action, read_options
from miai.environment.opponents import make_opponent
from miai.environment.rendering import RENDER_MODES, check_render_mode, draw_image, draw_text


class GoEnv(gymnasium.Env[np.ndarray, np.int64]):
    """A game of Go against an opponent, or with the caller playing both colours in turn.

    An action is a point, row-major from the top left, or size·size for a pass. `docs/reference/environment.md` has
    all of it: observations, rewards, what is in `info`.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012
        "render_modes": list(RENDER_MODES),
        "render_fps": 2,
    }
    options: EnvironmentOptions
    """What is played."""

    def __init__(self, render_mode: str | None = None, **options: Any) -> None:
        """Make an environment; `options` are those of `EnvironmentOptions`.

        Raises:
            OptionError: for an option that does not exist or a value that is not allowed; says which are.
        """
        self.options = read_options(options)
        self.render_mode = check_render_mode(render_mode)
        size = self.options.size
        self._planes_shape: tuple[int, ...] = (1, len(PLANES) if self.options.observe else 0, size * size)
        self.observation_space = gymnasium.spaces.Box(0, 1, (self._planes_shape[1], size, size), np.int8)
        self._num_actions = size * size + 1
        self.action_space = gymnasium.spaces.Discrete(self._num_actions)
        self._opponent = make_opponent(self.options)
        self._batch = self.options.make_batch(1)
        self._games = self._batch.games
        self._actions = np.zeros(1, dtype=np.int64)
        self._rewards = np.zeros(1)
        self._states = np.full(1, TRUNCATED, dtype=np.uint8)
        self._is_seeded = False

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Begin a new game; with White as agent the opponent has moved. `options` are not used."""
        super().reset(seed=seed)
        if seed is not None or not self._is_seeded:
            first = int(self.np_random.integers(1 << 62)) if seed is None else seed
            self._batch.seed([first], np.ones(1, dtype=np.bool_))
            self._is_seeded = True
        mask, planes = self._make_room()
        restart_games(self._games, np.ones(1, dtype=np.bool_), mask, planes)
        self._states[0] = GOES_ON
        if self._opponent is not None:
            self._reply(mask, planes)
        return planes.reshape(self.observation_space.shape), {"action_mask": mask[0]}

    def step(self, action: Any) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """Take an action and let the opponent reply.

        Returns:
            observation, reward of the player who took the action, whether the game ended by the rules, whether it was
            truncated at the move limit, and `info`.

        Raises:
            IllegalMove: for an illegal action, if it does not lose the game.
            ValueError: if there is no such action, or the game is over.
        """
        if self._states[0] != GOES_ON:
            raise ValueError("there is no game to go on with: call reset() first")
        number = operator.index(action)
        if not 0 <= number < self._num_actions:
            raise ValueError(f"action {number} is not allowed (allowed: 0 to {self._num_actions - 1})")
        self._actions[0] = number
        mask, planes = self._make_room()
        if step_games(self._games, self._actions, mask, planes, self._rewards, self._states) != ALL_LEGAL:
            raise illegal_action(self._batch, 0, number, self.options.size)
        if self._opponent is not None and self._states[0] == GOES_ON:
            self._reply(mask, planes)
        state = self._states[0]
        info: dict[str, Any] = {"action_mask": mask[0]}
        if state != GOES_ON:
            info["score"] = float(self._games["score"][0])
            info["ownership"] = self._games["owners"][0].reshape(self.options.size, self.options.size).copy()
            info["illegal_action"] = bool(state == FORFEITED)
        planes = planes.reshape(self.observation_space.shape)
        is_truncated = state == TRUNCATED
        return planes, float(self._rewards[0]), bool(state != GOES_ON and not is_truncated), bool(is_truncated), info

    def sample_action(self) -> int:
        """Sample uniformly from the legal actions, the pass among them; much faster than `action_space.sample`."""
        sample_legal_actions(self._games, self._actions)
        return int(self._actions[0])

    def action_masks(self) -> np.ndarray:
        """Return which actions are legal, bool [size·size + 1]: the name that MaskablePPO of sb3-contrib asks for."""
        return self._look()[0][0].astype(np.bool_)

    @property
    def to_play(self) -> str:
        """The player to move, `black` or `white`."""
        return color_name(int(self._games["board"]["to_play"][0]))

    def render(self) -> str | np.ndarray | None:
        """Return the board as text (`ansi`), or as an image, uint8 [height, width, 3] (`rgb_array`)."""
        if self.render_mode is None:
            gymnasium.logger.warn("render() does nothing without a render_mode: gymnasium.make(…, render_mode='ansi')")
            return None
        draw = draw_text if self.render_mode == "ansi" else draw_image
        return draw(self._batch, 0)

    def close(self) -> None:
        """Release the opponent's threads."""
        if self._opponent is not None:
            self._opponent.close()

    def clone_state(self) -> tuple[Any, ...]:
        """Return the whole state of the game, its random numbers included, for `restore_state`."""
        return self._batch.save(), self._states.copy()

    def restore_state(self, state: tuple[Any, ...]) -> tuple[np.ndarray, dict[str, Any]]:
        """Go back to a state that `clone_state` of an environment with the same options returned; as `reset`."""
        saved, self._states[:] = state
        self._is_seeded = True
        self._batch.load(saved)
        mask, planes = self._look()
        return planes.reshape(self.observation_space.shape), {"action_mask": mask[0]}

    def _make_room(self) -> tuple[np.ndarray, np.ndarray]:
        return np.empty((1, self._num_actions), np.int8), np.empty(self._planes_shape, np.int8)

    def _look(self) -> tuple[np.ndarray, np.ndarray]:
        """Return mask and planes of the position as it is."""
        mask, planes = self._make_room()
        restart_games(self._games, np.zeros(1, dtype=np.bool_), mask, planes)
        return mask, planes

    def _reply(self, mask: np.ndarray, planes: np.ndarray) -> None:
        """Let the opponent move if it is its turn."""
        assert self._opponent is not None
        self._opponent.choose(self._batch, self._actions)
        play_replies(self._games, self._actions, mask, planes, self._rewards, self._states)
