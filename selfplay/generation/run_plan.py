"""What made the games of each seed in a folder, so that a run goes on as it began."""

import dataclasses
import json
from pathlib import Path
from typing import Any

from miai.engine.files import write_file
from miai.engine.search.rule_names import content_of
from miai.match.contestants import Contestant
from miai.match.results import differences
from miai.players.options import PlayerOptions
from miai.selfplay.data.store import StoreError
from miai.selfplay.generation.selfplay_recipe import SelfPlayRecipe

PLAN_FILE = "selfplay.json"
_FREE = ("threads", "memory", "net", "net_backend", "batch", "seed")
"""Options of the player that may change within a run; of a network and of a user's rule, the content may not."""
_RULES = ("select", "backup")


def check_plan(folder: Path, recipe: SelfPlayRecipe, player: PlayerOptions) -> None:
    """Keep what makes the games of the recipe's seed, or make sure that it is what made those that are there.

    A folder begun by an older miai has no such file, or one that tells nothing of the network's content; options
    learned since count as their defaults.

    Raises:
        StoreError: if games of the seed were made otherwise, naming what differs, or the file cannot be read or
            written.
    """
    path = folder / PLAN_FILE
    wanted = _plan(recipe, player)
    try:
        plans = json.loads(path.read_text()) if path.exists() else {}
        found = _complete(plans.get(str(recipe.seed), wanted), wanted["player"]["network"])
        if changes := "; ".join(differences(found, wanted)):
            raise StoreError(
                f"{folder} holds games of seed {recipe.seed} played otherwise ({changes}): repeat that, or choose "
                "another --seed or --output"
            )
        plans[str(recipe.seed)] = wanted
        write_file(path, json.dumps(plans, indent=1) + "\n")
    except (ValueError, TypeError, KeyError, AttributeError):
        raise StoreError(f"{path} is not readable: remove it, or choose another --output") from None
    except OSError as error:
        raise StoreError(f"cannot write to {folder}: {error.strerror}") from None


def _plan(recipe: SelfPlayRecipe, player: PlayerOptions) -> dict[str, dict[str, Any]]:
    options = {name: value for name, value in dataclasses.asdict(player).items() if name not in _FREE}
    options |= {name: content_of(options[name]) for name in _RULES}
    options["network"] = Contestant("player", options=player).network_digest()
    return json.loads(json.dumps({"recipe": dataclasses.asdict(recipe), "player": options}))


def _complete(plan: dict[str, dict[str, Any]], network: str | None) -> dict[str, dict[str, Any]]:
    """Return a plan as this miai writes it; `network` is the digest where an older one tells none."""
    defaults = _plan(SelfPlayRecipe(), PlayerOptions())
    player = defaults["player"] | {"network": network} | plan["player"]
    player |= {name: content_of(player[name]) for name in _RULES}
    player.pop("net", None)
    return {"recipe": defaults["recipe"] | plan["recipe"], "player": player}
