"""Tiny networks with random weights, as a file and loaded, and what searches with them need."""

import dataclasses
import functools
from pathlib import Path
from typing import Any

import torch

from miai.engine.domains.go import GoWorkspace
from miai.engine.go.game import Game
from miai.engine.search.backup import BACKUP_RULES
from miai.engine.search.search import BatchEvaluation, Parts, Search
from miai.engine.search.selection import SELECTION_RULES
from miai.nets.config import CONFIGS, NetConfig
from miai.nets.evaluator import NET_DOMAIN, NetEvaluator, load_recent, new_leaves
from miai.nets.inference import Backend, make_backend
from miai.nets.net_files import LoadedNet, arrays_of, save_weights
from miai.nets.torch_network import build_network

TINY = dataclasses.replace(CONFIGS["miai"], name="tiny", blocks=1, filters=8, pooling_blocks=1)
TINY_LI_LIM = dataclasses.replace(CONFIGS["li-lim"], name="tiny-li-lim", blocks=1, filters=8, size=5)


@functools.cache
def tiny_net(config: NetConfig = TINY) -> LoadedNet:
    """Return a network whose policy and values differ from position to position."""
    torch.set_num_threads(1)
    torch.manual_seed(3)
    return LoadedNet(config, arrays_of(build_network(config)), {})


@functools.cache
def tiny_backend(config: NetConfig = TINY) -> Backend:
    return make_backend(tiny_net(config), "torch", "cpu")


def save_tiny(path: Path, config: NetConfig = TINY, **summary: Any) -> str:
    """Write a network to a file; return its name."""
    save_weights(path, tiny_net(config).module, config, summary)
    return str(path)


def load_root(workspace: GoWorkspace, game: Game) -> None:
    workspace.load(game, game.to_play)
    load_recent(workspace, game)


class NetSearch:
    """A search with a network, its workspaces and its evaluator."""

    def __init__(
        self,
        game: Game,
        select: str = "puct",
        leaves: int = 1,
        backup: str = "mean",
        config: NetConfig = TINY,
        evaluator: NetEvaluator | None = None,
        batching: str = "virtual-loss",
        cached_positions: int = 256,
    ) -> None:
        rules = SELECTION_RULES[select], BACKUP_RULES[backup]
        self.evaluator = evaluator or NetEvaluator(
            config, tiny_backend(config), game.size, "wdl" in rules[1].kinds, cached_positions
        )
        self.workspace = new_leaves(game.size, leaves)
        load_root(self.workspace, game)
        batch = BatchEvaluation(self.workspace.records, self.evaluator, batching)
        self.search = Search(Parts(NET_DOMAIN, *rules), [self.workspace], 8 << 20, batch)

    def tree(self) -> list[list[float]]:
        """Return moves, visits, values and priors of all nodes."""
        tree = self.search.tree
        return [tree[name][: tree.num_nodes].tolist() for name in ("move", "visits", "value", "prior")]
