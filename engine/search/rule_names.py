"""The names of all rules: built-in ones are registered here, a user's own are `FILE.py:NAME` (no numba).

Each line is a rule's name and the module that declares it. Options, help and `miai rules` list them in this order.
"""

from miai.engine.user_files import content_hash

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


def content_of(name: str) -> str:
    """Return a short text that changes with the file of a user's rule and with the modules next to it that it imports.

    For a rule of ours it is the name itself.
    """
    if not is_own(name):
        return name
    path, _, rule = name.rpartition(":")
    try:
        return f"{rule}-{content_hash(path)[:16]}"
    except OSError:
        return rule


class RuleFailure(Exception):
    """A rule from a user's file failed during a search: the message names the place and the cause."""
