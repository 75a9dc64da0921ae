"""What a page can offer to choose from (no numba)."""

import dataclasses
from collections.abc import Collection
from typing import Any

from miai.engine.go.rules import RULES
from miai.engine.search.rule_names import BACKUP_MODULES, SELECTION_MODULES
from miai.players.options import GameOptions
from miai.players.presets import PRESETS, STRENGTHS


def describe_choices(
    game_options: GameOptions, own_selections: Collection[str], own_backups: Collection[str]
) -> dict[str, Any]:
    """Return what the page's forms list: a game's defaults, levels, presets, rules of the game and of the search."""
    return {
        "game": dataclasses.asdict(game_options),
        "levels": list(STRENGTHS),
        "presets": {name: preset.summary for name, preset in PRESETS.items()},
        "rules": list(RULES),
        "selections": [*SELECTION_MODULES, *own_selections],
        "backups": [*BACKUP_MODULES, *own_backups],
        "tests": ["A", "B", "C"],
    }
