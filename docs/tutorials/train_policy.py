"""Train a small policy against random play: the tutorial of docs/tutorials/environment.md.

    python docs/tutorials/train_policy.py --curve docs/tutorials/learning_curve.svg

Actor-critic with n-step returns (Mnih et al. 2016) on many games at once. Needs the extras gym and nets, and
matplotlib for the curve.
"""

import argparse
import itertools
import time

import gymnasium
import numpy as np
import torch
from torch import nn


# -- the forty lines
class Network(nn.Module):
    """Logits of all actions, and the expected reward."""

    def __init__(self, planes: int, size: int, filters: int = 32) -> None:
        super().__init__()
        channels = [planes, filters, filters, filters]
        self.body = nn.Sequential(
            *(m for a, b in itertools.pairwise(channels) for m in (nn.Conv2d(a, b, 3, padding=1), nn.ReLU()))
        )
        self.points = nn.Conv2d(filters, 1, 1)
        self.rest = nn.Linear(2 * filters, 2)  # of mean and greatest activation: the pass, and the value

    def forward(self, planes: torch.Tensor, mask: torch.Tensor) -> tuple[torch.distributions.Categorical, torch.Tensor]:
        found = self.body(planes.float())
        pass_logit, value = self.rest(torch.cat([found.mean((2, 3)), found.amax((2, 3))], 1)).split(1, 1)
        logits = torch.cat([self.points(found).flatten(1), pass_logit], 1).masked_fill(mask == 0, -1e9)
        return torch.distributions.Categorical(logits=logits), value.squeeze(1).tanh()


def train(envs: gymnasium.vector.VectorEnv, updates: int, steps: int = 20) -> list[tuple[int, float]]:
    """Return, for each update, the moves made so far and the share of games won among the last that ended."""
    network = Network(envs.single_observation_space.shape[0], envs.single_observation_space.shape[1])
    optimizer = torch.optim.Adam(network.parameters(), lr=2e-3)
    observations, info = envs.reset(seed=1)
    curve, results = [], []
    for update in range(updates):
        memory = []
        for _ in range(steps):
            policy, value = network(torch.from_numpy(observations), torch.from_numpy(info["action_mask"]))
            actions = policy.sample()
            observations, rewards, terminated, truncated, info = envs.step(actions.numpy())
            over = terminated | truncated
            results += (rewards[over] > 0).tolist()
            memory.append((policy.log_prob(actions), value, policy.entropy(), rewards, over))
        with torch.no_grad():
            _, target = network(torch.from_numpy(observations), torch.from_numpy(info["action_mask"]))
        loss = torch.zeros(())
        for log_prob, value, entropy, rewards, over in reversed(memory):
            target = torch.where(torch.from_numpy(over), torch.from_numpy(rewards).float(), target)
            advantage = target - value
            loss = loss + (advantage**2 - log_prob * advantage.detach() - 0.01 * entropy).mean() / steps
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(network.parameters(), 0.5)
        optimizer.step()
        curve.append(((update + 1) * steps * envs.num_envs, float(np.mean(results[-1000:])) if results else 0.0))
    return curve


# -- the forty lines end here


def draw(curve: list[tuple[int, float]], path: str) -> None:
    """Write the learning curve to an image file."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6, 3.2), layout="constrained")
    axes = figure.add_subplot(xlabel="moves of the agent's", ylabel="share of the last 1,000 games won", ylim=(0, 1))
    axes.plot(*zip(*curve, strict=True), color="tab:green")
    axes.grid(alpha=0.3)
    figure.savefig(path)


def main() -> None:
    """Train, print the curve and draw it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--updates", type=int, default=400)
    parser.add_argument("--games", type=int, default=128, help="played at the same time")
    parser.add_argument("--size", type=int, default=7)
    parser.add_argument("--curve", help="image file for the learning curve")
    given = parser.parse_args()
    torch.manual_seed(1)
    torch.set_num_threads(1)
    envs = gymnasium.make_vec(
        "miai.environment:miai/Go-v0",
        num_envs=given.games,
        vectorization_mode="vector_entry_point",
        size=given.size,
        opponent="random",
    )
    start = time.process_time()
    curve = train(envs, given.updates)
    for number, (moves, share) in enumerate(curve, 1):
        if number % max(1, given.updates // 10) == 0:
            print(f"{moves:9d} moves: won {share:.3f} of the last games")
    print(f"{time.process_time() - start:.0f} seconds of CPU time")
    if given.curve:
        draw(curve, given.curve)


if __name__ == "__main__":
    main()
