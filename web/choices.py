"""What a page can offer to choose from (no numba)."""

from collections.abc import Collection
from typing import Any

from miai.engine.go.rules import RULES
from miai.engine.search.rule_names import BACKUP_MODULES, SELECTION_MODULES
from miai.players.presets import PRESETS, STRENGTHS


def describe_choices(own_selections: Collection[str], own_backups: Collection[str]) -> dict[str, Any]:
    """Return the names that the page's forms list: levels, presets, rules of the game and of the search."""
    return {
        "levels": list(STRENGTHS),
        "presets": {name: preset.summary for name, preset in PRESETS.items()},
        "rules": list(RULES),
        "selections": [*SELECTION_MODULES, *own_selections],
        "backups": [*BACKUP_MODULES, *own_backups],
        "tests": ["A", "B", "C"],
    }
