"""Noise at the root, so that self-play tries moves of low prior."""

from collections.abc import Callable

import numpy as np

from miai.engine.search.tree import Tree


def dirichlet_noise(
    rng: np.random.Generator, weight: float = 0.25, concentration: float = 10.8
) -> Callable[[Tree, range], None]:
    """Return a function for `Search.on_root`: priors become `(1 − weight)·p + weight·d`, `d` from Dirichlet's law.

    All parameters of that are `concentration` divided by the number of moves (Silver et al. 2017, Mastering the game of
    Go without human knowledge, 'Search algorithm'; the total concentration is that of Wu 2019, Accelerating self-play
    learning in Go, appendix A).
    """

    def add(tree: Tree, children: range) -> None:
        rows = slice(children.start, children.stop)
        noise = rng.dirichlet(np.full(len(children), concentration / len(children)))
        tree["prior"][rows] = (1.0 - weight) * tree["prior"][rows] + weight * noise

    return add


def no_gumbel_noise(tree: Tree, children: range) -> None:
    """Take the Gumbel variables of the root's children away: a function for `Search.on_root`."""
    tree["noise"][children.start : children.stop] = 0.0
