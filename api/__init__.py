"""miai: 9x9 Go engine and search workbench.

    import miai

    game = miai.Game(size=9, komi=7)
    player = miai.Player("net", simulations=400, seed=1)
    report = player.search(game)
    game.play(report.best.move)

Names are imported when they are first used: `import miai` alone takes milliseconds. What lies behind them is in
`miai.engine`, `miai.playouts`, `miai.nets`, `miai.players`, `miai.match` and so on; docs/architecture.md is the map.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from miai.engine.go.game import IllegalMove as IllegalMove
    from miai.engine.go.sgf import SgfError as SgfError
    from miai.engine.search.rule_declaration import backup_rule as backup_rule
    from miai.engine.search.rule_declaration import selection_rule as selection_rule
    from miai.library.games import Color as Color
    from miai.library.games import Game as Game
    from miai.library.matches import play_match as play_match
    from miai.library.networks import Evaluation as Evaluation
    from miai.library.networks import Network as Network
    from miai.library.players import Player as Player
    from miai.library.policies import Policy as Policy
    from miai.library.reports import Candidate as Candidate
    from miai.library.reports import Report as Report
    from miai.players.option_kinds import OptionError as OptionError

_HOMES = {
    "Candidate": "miai.library.reports",
    "Color": "miai.library.games",
    "Evaluation": "miai.library.networks",
    "Game": "miai.library.games",
    "IllegalMove": "miai.engine.go.game",
    "Network": "miai.library.networks",
    "OptionError": "miai.players.option_kinds",
    "Player": "miai.library.players",
    "Policy": "miai.library.policies",
    "Report": "miai.library.reports",
    "SgfError": "miai.engine.go.sgf",
    "backup_rule": "miai.engine.search.rule_declaration",
    "play_match": "miai.library.matches",
    "selection_rule": "miai.engine.search.rule_declaration",
}

__all__ = [*_HOMES, "__version__"]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        return version("miai")
    if name not in _HOMES:
        raise AttributeError(f"module 'miai' has no attribute {name!r}")
    value = getattr(importlib.import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
