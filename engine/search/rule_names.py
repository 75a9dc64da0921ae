"""The names of all rules: built-in ones are registered here, a user's own are `FILE.py:NAME` (no numba).

Each line is a rule's name and the module that declares it. Options, help and `miai rules` list them in this order.
"""

SELECTION_MODULES = {
    "uct": "uct",
    "rave": "rave",
    "rave-fuego": "rave_fuego",
    "puct": "puct",
    "puct-adaptive": "puct_adaptive",
    "puct-policy": "puct",
    "regularized-policy": "puct",
    "esprit": "esprit",
    "esprit-stochastic": "esprit",
    "crazystone": "crazystone",
    "dominance": "dominance",
    "dominance-prior": "dominance",
    "gumbel": "gumbel",
}
"""Modules of `engine/search/selection`."""

BACKUP_MODULES = {
    "mean": "mean",
    "max": "best_child",
    "robust-max": "best_child",
    "mix": "mix",
    "softmax": "weighted",
    "softmax-2": "weighted",
    "monotone": "weighted",
    "monotone-2": "weighted",
    "erwa": "weighted",
    "erwa-normalized": "weighted",
    "gax": "weighted",
    "gay": "weighted",
    "gbx": "weighted",
    "gby": "weighted",
    "maxmcts": "best_child",
    "wdl-product": "wdl",
    "wdl-effective": "wdl_effective",
    "wdl-counts": "wdl_effective",
}
"""Modules of `engine/search/backup`."""


def is_own(name: str) -> bool:
    """Tell whether the name of a rule is one in a user's file."""
    return ".py:" in name


class RuleFailure(Exception):
    """A rule from a user's file failed during a search: the message names the place and the cause."""
