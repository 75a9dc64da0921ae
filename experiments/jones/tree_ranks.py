"""Ranks of the best move by static evaluations and by static policies, without a search (Jones 2021, figure 2)."""

from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from miai.engine.domains.simulated import SimulatedWorkspace, TreeTest, list_candidates, reset
from miai.experiments.plots import drawing

FIGURE_MOVES = {"A": 30, "B": 200, "C": 2}
"""Of every root, by test; the paper's figure is of test A."""
FIGURE_TREES = 20_000
"""Roots that we sample for it; the paper says "a large number"."""

NAMES = ("static evaluation", "static evaluation with inherited noise of its own", "static policy")
"""What the moves of a root are ranked by."""


class StaticRanks(NamedTuple):
    """Of many roots with as many moves: the rank of the best move, 1 the first."""

    num_moves: int
    by_evaluation: np.ndarray
    by_lone_evaluation: np.ndarray
    """By evaluations with inherited noise of their own, not the parent's: a sample "per move", as the paper says of its
    figure. What all moves inherit from one parent does not change their order."""
    by_policy: np.ndarray
    ratios: np.ndarray
    """The greatest prior probability over the least."""

    @property
    def kinds(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """All ranks, in the order of `NAMES`."""
        return self.by_evaluation, self.by_lone_evaluation, self.by_policy

    def shares(self, ranks: np.ndarray) -> np.ndarray:
        """Return how often the best move has each rank, [moves]."""
        counts = np.bincount(ranks, minlength=self.num_moves + 1)[1:]
        return np.asarray(counts / len(ranks))

    @property
    def sharpness(self) -> tuple[float, float]:
        """How many times likelier the first move by policy is the best than the last, and than the policy says.

        The second is the geometric mean of greatest over least probability (section 4.1).
        """
        shares = self.shares(self.by_policy)
        return float(shares[0] / max(shares[-1], 1.0 / len(self.ratios))), float(np.exp(np.log(self.ratios).mean()))


def sample_ranks(test: TreeTest, num_trees: int = FIGURE_TREES) -> StaticRanks:
    """Sample roots with `FIGURE_MOVES` moves and a test's other parameters."""
    num_moves = FIGURE_MOVES[test.name]
    fixed = replace(test, m_root=(float(num_moves),), m_mean=(float(num_moves),), m_sd=(0.0,))
    workspace = SimulatedWorkspace(fixed, 0)
    record = workspace.record
    found = np.zeros((3, num_trees), dtype=np.int64)
    ratios = np.zeros(num_trees)
    rng = np.random.default_rng(0)
    for index in range(num_trees):
        workspace.load(fixed, index)
        reset(record)
        list_candidates(record)
        logits, noise, policy = (record[f"candidate_{name}"][:num_moves] for name in ("logit", "noise", "prior"))
        e_par = float(record["e_par"])
        own = rng.standard_t(float(record["e_df"]), num_moves) * float(record["e_ch"])
        seen, alone = (
            logits - (noise - e_par * inherited) / np.sqrt(1.0 + e_par * e_par)
            for inherited in (float(record["root_noise"]), own)
        )
        best = logits.argmin()
        found[:, index] = [1 + (values < values[best]).sum() for values in (seen, alone, -policy)]
        ratios[index] = policy.max() / policy.min()
    return StaticRanks(num_moves, found[0], found[1], found[2], ratios)


def ranks_text(ranks: StaticRanks) -> str:
    """Return what the figure shows in words."""
    first = [100 * ranks.shares(one)[0] for one in ranks.kinds]
    likelier, ratio = ranks.sharpness
    return (
        f"Figure 2 with {ranks.num_moves} moves, {len(ranks.ratios):,} roots: the best move is first by static "
        f"evaluation in {first[0]:.1f} %, by one whose inherited noise is its own in {first[1]:.1f} %, by static "
        f"policy in {first[2]:.1f} % (paper: the policy is somewhat more informative). The first move by policy is the "
        f"best {likelier:.1f} times as often as the last; the policy itself says {ratio:.1f} times (paper: not much "
        f"too sharp or too flat).\n"
    )


def draw_ranks(ranks: StaticRanks, path: Path) -> None:
    """Draw figure 2."""
    with drawing(path, 7, 8) as figure:
        for axes, name, one in zip(figure.subplots(3, 1, sharex=True), NAMES, ranks.kinds, strict=True):
            axes.bar(range(1, ranks.num_moves + 1), ranks.shares(one))
            axes.set(title=f"Rank of the best move by {name}", ylabel="share of trees")
        axes.set_xlabel("rank")
