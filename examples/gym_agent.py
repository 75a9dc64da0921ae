"""A Gymnasium agent that learns: a linear policy by REINFORCE, in NumPy alone, against random play.

    python examples/gym_agent.py --size 5 --updates 200

Williams 1992, "Simple statistical gradient-following algorithms", with the mean reward as baseline. Needs the extra
gym. docs/tutorials/environment.md goes on from here with a network.
"""

import argparse

import gymnasium
import numpy as np


class LinearAgent:
    """Chooses among legal actions by the softmax of a linear function of the observation."""

    def __init__(self, num_inputs: int, num_actions: int, seed: int = 1) -> None:
        self.weights = np.zeros((num_inputs, num_actions))
        self.rng = np.random.default_rng(seed)

    def probabilities(self, observation: np.ndarray, mask: np.ndarray) -> np.ndarray:
        """Return the probability of each action, 0 for those the mask leaves out."""
        logits = np.where(mask, observation.ravel() @ self.weights, -np.inf)
        powers = np.exp(logits - logits.max())
        return powers / powers.sum()

    def play(self, env: gymnasium.Env) -> tuple[np.ndarray, float]:
        """Play a game; return the gradient of the logarithm of its probability, and its reward."""
        observation, info = env.reset()
        gradient, is_over, total = np.zeros_like(self.weights), False, 0.0
        while not is_over:
            probabilities = self.probabilities(observation, info["action_mask"])
            action = self.rng.choice(len(probabilities), p=probabilities)
            gradient += np.outer(observation.ravel(), (np.arange(len(probabilities)) == action) - probabilities)
            observation, reward, terminated, truncated, info = env.step(action)
            total += float(reward)
            is_over = terminated or truncated
        return gradient, total

    def learn(self, games: list[tuple[np.ndarray, float]], rate: float) -> None:
        """Make moves of games better than the mean more probable, those of the others less."""
        mean = np.mean([reward for _, reward in games])
        for gradient, reward in games:
            self.weights += rate * (reward - mean) * gradient / len(games)


def main() -> None:
    """Learn, and print the share of games won."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=int, default=5)
    parser.add_argument("--updates", type=int, default=100)
    parser.add_argument("--games", type=int, default=32, help="before each update")
    parser.add_argument("--rate", type=float, default=0.02, help="of learning")
    given = parser.parse_args()
    env = gymnasium.make("miai.environment:miai/Go-v0", size=given.size, opponent="random")
    env.reset(seed=1)
    shape = env.observation_space.shape
    assert shape is not None and isinstance(env.action_space, gymnasium.spaces.Discrete)
    agent = LinearAgent(int(np.prod(shape)), int(env.action_space.n))
    for update in range(1, given.updates + 1):
        games = [agent.play(env) for _ in range(given.games)]
        agent.learn(games, given.rate)
        if update % max(1, given.updates // 10) == 0:
            print(f"update {update}: won {np.mean([reward > 0 for _, reward in games]):.0%} of {given.games} games")


if __name__ == "__main__":
    main()
