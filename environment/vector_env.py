"""Thousands of games of Go as one Gymnasium vector environment, stepped by one compiled call."""

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from miai.engine.go.batch import FORFEITED, GOES_ON, TRUNCATED
from miai.engine.go.batch_steps import ALL_LEGAL, play_replies, restart_games, sample_legal_actions, step_games
from miai.engine.go.planes import PLANES
from miai.environment.game_arguments import EnvironmentOptions, illegal_action, read_options
from miai.environment.opponents import make_opponent
from miai.environment.rendering import RENDER_MODES, check_render_mode, draw_image, draw_text
from miai.players.option_kinds import NameChoice, OptionError

_MODES = tuple(mode.value for mode in AutoresetMode)


class GoVectorEnv(VectorEnv[np.ndarray, np.ndarray, np.ndarray]):
    """Many games at once; game i after `reset(seed=s)` is that of `GoEnv` after `reset(seed=s + i)`.

    Every array that is returned is new.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012
        "render_modes": list(RENDER_MODES),
        "render_fps": 2,
    }
    options: EnvironmentOptions
    """What is played."""

    def __init__(
        self,
        num_envs: int = 1,
        render_mode: str | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        **options: Any,
    ) -> None:
        """Make an environment; `options` are those of `EnvironmentOptions`.

        Args:
            num_envs: number of games.
            autoreset_mode: `NextStep`: the step after a game's end begins the next one and ignores the action;
                `SameStep`: the step that ends a game begins the next one, the end is in `info`; `Disabled`: the caller
                resets, `options={"reset_mask": …}` says which games.

        Raises:
            OptionError: for an option that does not exist or a value that is not allowed; says which are.
        """
        if num_envs < 1:
            raise OptionError(f"num_envs: {num_envs} is not allowed (allowed: 1 or more)")
        self.num_envs = num_envs
        self.options = read_options(options)
        self.render_mode = check_render_mode(render_mode)
        self.autoreset_mode = _read_mode(autoreset_mode)
        self.metadata = {**self.metadata, "autoreset_mode": self.autoreset_mode}
        size = self.options.size
        self._shape = (len(PLANES) if self.options.observe else 0, size, size)
        self.single_observation_space = gymnasium.spaces.Box(0, 1, self._shape, np.int8)
        self.single_action_space = gymnasium.spaces.Discrete(size * size + 1)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._opponent = make_opponent(self.options)
        self._batch = self.options.make_batch(num_envs)
        self._games = self._batch.games
        self._replies = np.zeros(num_envs, dtype=np.int64)
        self._states: np.ndarray | None = None
        self._is_seeded = False

    def reset(
        self, *, seed: int | Sequence[int] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Begin all games, or those that the bool array `options["reset_mask"]` chooses.

        Args:
            seed: of the first game, those of the others follow it; or one for each game. None goes on with the random
                numbers there are, as do games that are not chosen.

        Raises:
            ValueError: if the seeds or the mask do not have one entry for each game.
        """
        chosen = self._chosen((options or {}).get("reset_mask"))
        if seed is None and not self._is_seeded:
            super().reset()
            seed = int(self.np_random.integers(1 << 62))
        if seed is not None:
            seeds = range(seed, seed + self.num_envs) if isinstance(seed, (int, np.integer)) else list(seed)
            if len(seeds) != self.num_envs:
                raise ValueError(f"there are {len(seeds)} seeds for {self.num_envs} games")
            super().reset(seed=int(seeds[0]))
            self._batch.seed(seeds, chosen)
            self._is_seeded = True
        masks, planes = self._begin(chosen)
        return planes.reshape(self.num_envs, *self._shape), self._info(masks)

    def step(self, actions: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Take one action in each game, int [num_envs], and let the opponent reply.

        Returns:
            observations, rewards of the players who took the actions, which games ended by the rules, which were
            truncated at the move limit, and `info`.

        Raises:
            IllegalMove: for an illegal action, if it does not lose the game; no game is changed.
            ValueError: if an action does not exist, or a game is over that is not begun by itself.
        """
        if self._states is None:
            raise ValueError("there are no games to go on with: call reset() first")
        numbers = self._read_actions(actions)
        if self.autoreset_mode is AutoresetMode.DISABLED and self._states.any():
            raise ValueError(f"game {np.flatnonzero(self._states)[0]} is over: call reset(options={{'reset_mask': …}})")
        masks, planes = self._make_room()
        rewards = np.empty(self.num_envs)
        states = np.empty(self.num_envs, dtype=np.uint8)
        refused = step_games(self._games, numbers, masks, planes, rewards, states)
        if refused != ALL_LEGAL:
            error = illegal_action(self._batch, refused, int(numbers[refused]), self.options.size)
            raise type(error)(f"game {refused}: {error}")
        if self._opponent is not None:
            self._opponent.choose(self._batch, self._replies)
            play_replies(self._games, self._replies, masks, planes, rewards, states)
        self._states = states
        truncations = states == TRUNCATED
        terminations = (states != GOES_ON) & ~truncations
        ended = np.flatnonzero(states)
        info: dict[str, Any] = {}
        if len(ended):
            info = self._end_info(ended)
            if self.autoreset_mode is AutoresetMode.SAME_STEP:
                masks, planes, info = self._restart(masks, planes, ended, info)
        return planes.reshape(self.num_envs, *self._shape), rewards, terminations, truncations, info | self._info(masks)

    def sample_actions(self) -> np.ndarray:
        """Draw an action uniformly from the legal ones of each game, the pass among them, int64 [num_envs]."""
        actions = np.empty(self.num_envs, dtype=np.int64)
        sample_legal_actions(self._games, actions)
        return actions

    def render(self) -> tuple[Any, ...] | None:
        """Return each board as text (`ansi`), or as an image, uint8 [height, width, 3] (`rgb_array`)."""
        if self.render_mode is None:
            return None
        draw = draw_text if self.render_mode == "ansi" else draw_image
        return tuple(draw(self._batch, index) for index in range(self.num_envs))

    def close_extras(self, **_: Any) -> None:
        """Release the opponent's threads."""
        if self._opponent is not None:
            self._opponent.close()

    def clone_state(self) -> tuple[Any, ...]:
        """Return the state of all games, their random numbers included, for `restore_state`; see `GoEnv`."""
        return self._batch.save(), self._states if self._states is None else self._states.copy()

    def restore_state(self, state: tuple[Any, ...]) -> tuple[np.ndarray, dict[str, Any]]:
        """Go back to a state that `clone_state` of an environment with the same options returned; as `reset`."""
        saved, states = state
        self._states = states if states is None else states.copy()
        self._batch.load(saved)
        self._is_seeded = True
        masks, planes = self._make_room()
        restart_games(self._games, np.zeros(self.num_envs, dtype=np.bool_), masks, planes)
        return planes.reshape(self.num_envs, *self._shape), self._info(masks)

    def _make_room(self) -> tuple[np.ndarray, np.ndarray]:
        points = self.options.size**2
        return np.empty((self.num_envs, points + 1), np.int8), np.empty(
            (self.num_envs, self._shape[0], points), np.int8
        )

    def _begin(self, chosen: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Begin the chosen games, with the opponents' first moves; return masks and planes of all."""
        masks, planes = self._make_room()
        restart_games(self._games, chosen, masks, planes)
        states = np.zeros(self.num_envs, dtype=np.uint8) if self._states is None else self._states
        states = np.where(chosen, np.uint8(GOES_ON), states)
        if self._opponent is not None:
            self._opponent.choose(self._batch, self._replies)
            play_replies(self._games, self._replies, masks, planes, np.empty(self.num_envs), states)
        self._states = states
        return masks, planes

    def _restart(
        self, masks: np.ndarray, planes: np.ndarray, ended: np.ndarray, end_info: dict[str, Any]
    ) -> tuple[np.ndarray, np.ndarray, dict[str, Any]]:
        """Begin the games that ended in this step; what they ended with goes into `final_obs` and `final_info`."""
        is_ended = np.zeros(self.num_envs, dtype=np.bool_)
        is_ended[ended] = True
        final_observations = np.full(self.num_envs, None, dtype=object)
        for index in ended:
            final_observations[index] = planes[index].reshape(self._shape).copy()
        final_masks = np.where(is_ended[:, None], masks, np.int8(0))
        final_info = end_info | {"action_mask": final_masks, "_action_mask": is_ended}
        masks, planes = self._begin(is_ended)
        info = {"final_obs": final_observations, "_final_obs": is_ended}
        return masks, planes, info | {"final_info": final_info, "_final_info": is_ended.copy()}

    def _info(self, masks: np.ndarray) -> dict[str, Any]:
        return {"action_mask": masks, "_action_mask": np.ones(self.num_envs, dtype=np.bool_)}

    def _end_info(self, ended: np.ndarray) -> dict[str, Any]:
        """Return how the games that are over ended; the rows of the others are zero."""
        size = self.options.size
        info: dict[str, Any] = {}
        for key, values in (
            ("score", self._games["score"][ended]),
            ("ownership", self._games["owners"][ended].reshape(-1, size, size)),
            ("illegal_action", self._games["state"][ended] == FORFEITED),
        ):
            info[key] = np.zeros((self.num_envs, *values.shape[1:]), dtype=values.dtype)
            info[key][ended] = values
            info[f"_{key}"] = np.zeros(self.num_envs, dtype=np.bool_)
            info[f"_{key}"][ended] = True
        return info

    def _read_actions(self, actions: Any) -> np.ndarray:
        numbers = np.asarray(actions)
        if numbers.shape != (self.num_envs,) or not np.issubdtype(numbers.dtype, np.integer):
            raise ValueError(f"actions are {numbers.dtype} {list(numbers.shape)}, not integers [{self.num_envs}]")
        highest = self.options.size**2
        if numbers.min() < 0 or numbers.max() > highest:
            wrong = int(np.flatnonzero((numbers < 0) | (numbers > highest))[0])
            raise ValueError(f"game {wrong}: action {numbers[wrong]} is not allowed (allowed: 0 to {highest})")
        return np.ascontiguousarray(numbers, dtype=np.int64)

    def _chosen(self, reset_mask: Any) -> np.ndarray:
        if reset_mask is None:
            return np.ones(self.num_envs, dtype=np.bool_)
        chosen = np.asarray(reset_mask)
        if chosen.shape != (self.num_envs,) or chosen.dtype != np.bool_:
            raise ValueError(f"reset_mask is {chosen.dtype} {list(chosen.shape)}, not bool [{self.num_envs}]")
        if self._states is None and not chosen.all():
            raise ValueError("the first reset begins all games: leave reset_mask out")
        return chosen


def _read_mode(mode: AutoresetMode | str) -> AutoresetMode:
    if isinstance(mode, AutoresetMode):
        return mode
    try:
        return AutoresetMode(NameChoice(_MODES).read(mode))
    except OptionError as error:
        raise OptionError(f"autoreset_mode: {error}") from None
