"""Self-play that feeds torch's DataLoader: a small network learns from games while they are played.

    python examples/selfplay_loader.py --batches 200 --workers 2

Each worker plays games of its own. For a real training see `miai loop`, which keeps the games.
"""

import argparse
import itertools
from collections.abc import Iterator

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, IterableDataset, get_worker_info

import miai

Sample = tuple[np.ndarray, np.ndarray, np.ndarray]
"""Planes, float32 [2, size, size]; policy, float32 [size·size + 1]; the player's result, float32 [1], -1 to 1."""


class SelfPlay(IterableDataset[Sample]):
    """Positions of games that a player plays against itself, without end."""

    def __init__(self, size: int, simulations: int) -> None:
        self.size, self.simulations = size, simulations

    def __iter__(self) -> Iterator[Sample]:
        """Play game after game; workers differ by their seed."""
        worker = get_worker_info()
        seed = 0 if worker is None else worker.id
        rng = np.random.default_rng(seed)
        with miai.Player("uct-random", simulations=self.simulations, seed=seed) as player:
            while True:
                yield from self.play(player, rng)

    def play(self, player: miai.Player, rng: np.random.Generator) -> Iterator[Sample]:
        """Play one game, its moves drawn by their visits, and yield its positions."""
        game, told = miai.Game(self.size), []
        player.new_game()
        while not game.is_over and len(game.moves) < 2 * self.size**2:
            candidates = player.search(game).candidates
            shares = np.array([one.visits for one in candidates]) / sum(one.visits for one in candidates)
            policy = np.zeros(self.size**2 + 1, dtype=np.float32)
            policy[[self.index_of(one.move) for one in candidates]] = shares
            own, other = (1, 2) if game.to_play == "black" else (2, 1)
            planes = np.stack([game.board == own, game.board == other]).astype(np.float32)
            told.append((planes, policy, 1 if game.to_play == "black" else -1))
            game.play(candidates[rng.choice(len(candidates), p=shares)].move)
        result = np.sign(game.score())
        for planes, policy, sign in told:
            yield planes, policy, np.array([sign * result], dtype=np.float32)

    def index_of(self, move: str) -> int:
        """Return the place of a move in the policy: points row by row from the top left, then the pass."""
        if move == "pass":
            return self.size**2
        return (self.size - int(move[1:])) * self.size + "ABCDEFGHJKLMNOPQRST".index(move[0])


def main() -> None:
    """Learn from batches as they come, and print the losses."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=int, default=5)
    parser.add_argument("--simulations", type=int, default=100, help="of each move")
    parser.add_argument("--batches", type=int, default=100)
    parser.add_argument("--batch-size", type=int, default=64)
    parser.add_argument("--workers", type=int, default=0, help="processes that play; 0 = this one")
    given = parser.parse_args()
    torch.manual_seed(1)
    moves = given.size**2 + 1
    network = nn.Sequential(
        *(nn.Conv2d(2, 32, 3, padding=1), nn.ReLU(), nn.Conv2d(32, 32, 3, padding=1), nn.ReLU()),
        *(nn.Flatten(), nn.Linear(32 * given.size**2, moves + 1)),
    )
    optimizer = torch.optim.Adam(network.parameters(), lr=1e-3)
    loader = DataLoader(SelfPlay(given.size, given.simulations), given.batch_size, num_workers=given.workers)
    for number, (planes, policy, result) in enumerate(itertools.islice(loader, given.batches), 1):
        logits, value = network(planes).split([moves, 1], dim=1)
        policy_loss = nn.functional.cross_entropy(logits, policy)
        value_loss = nn.functional.mse_loss(value.tanh(), result)
        optimizer.zero_grad()
        (policy_loss + value_loss).backward()
        optimizer.step()
        print(f"batch {number}: policy loss {policy_loss.item():.3f}, value loss {value_loss.item():.3f}")


if __name__ == "__main__":
    main()
