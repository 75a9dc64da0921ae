"""The options that all subcommands share: what they are, what they may be, and where they come from.

Built-in defaults are overridden by a preset, that by a config file, that by the command line. Plain Python:
importing this module loads no compiled code.

    player, game = resolve_options(preset="fast", config=Path("mine.toml"), given={"threads": "2"})

A config file is TOML with the names of the options as keys:

    preset = "uct"              # optional: what to start from
    simulations = 2000
    komi = 7.5

    [parameters]                # of the search, as in --set
    rave.equivalence = 1000.0
"""

import dataclasses
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from miai.engine.go.points import MAX_KOMI
from miai.engine.go.rules import RULES
from miai.engine.search.rule_names import BACKUP_MODULES, SELECTION_MODULES
from miai.nets.config import BACKENDS, SHIPPED
from miai.players.option_fields import OptionField, check_fields, fields_of, read_option_file
from miai.players.option_kinds import (
    FileName,
    Integer,
    NameChoice,
    OptionError,
    ParameterTable,
    ParameterValue,
    Real,
    RuleName,
    Switch,
)
from miai.players.presets import DEFAULT_PRESET, PARTS_PRESET, PRESETS, STRENGTHS
from miai.playouts.layer_order import POLICIES

DEFAULT_SIMULATIONS = 5000
"""Simulations a move where neither simulations nor time is limited."""
DEFAULT_NET_SIMULATIONS = 2000
"""The same with a network, whose evaluations take longer than playouts."""

PARTS = frozenset({"select", "backup", "evaluator", "policy"})
"""The options that are parts of the search."""
FINAL_RULES = ("visits", "lcb", "policy", "value", "payoff")
EVALUATORS = ("playouts", "static", "net", "mixed")
NET_EVALUATORS = ("net", "mixed")
"""Those that need a network."""
_UNKNOWN_TO = {
    "playouts": ("net.",),
    "static": ("net.", "playouts.", "outcomes."),
    "mixed": ("search.expand_at", "outcomes."),
    "net": ("search.expand_at", "outcomes.", "playouts.", "net.mix"),
}
"""By evaluator: how the names of others' parameters begin."""
PRIORS = ("learned", "policy", "fuego1585")
BATCHINGS = ("virtual-loss", "waves")
FALLBACKS = tuple(name for name, preset in PRESETS.items() if preset.values.get("evaluator") not in NET_EVALUATORS)
BoardSize = Annotated[int, Integer(2, 19), "Board size."]
Komi = Annotated[float, Real(-MAX_KOMI, MAX_KOMI, metavar="POINTS"), "Points White gets for moving second."]
RulesName = Annotated[
    str, NameChoice(tuple(RULES)), "Rules: `chinese` has simple ko and removes dead stones, the others have superko."
]
ResignBelow = Annotated[
    float, Real(0.0, 0.5, metavar="FRACTION"), "Resign when the expected result, 0 to 1, is below this; 0 = never."
]
SEED = Integer(0, (1 << 63) - 1)
"""What seeds may be."""


@dataclass(frozen=True)
class PlayerOptions:
    """How a player thinks.

    Raises:
        OptionError: if a value is not allowed.
    """

    select: Annotated[
        str, RuleName(tuple(SELECTION_MODULES)), "Selection rule: how the search chooses among moves."
    ] = "rave"
    backup: Annotated[
        str, RuleName(tuple(BACKUP_MODULES)), "Backup rule: how a node's value follows from its children's."
    ] = "mean"
    final: Annotated[
        str, NameChoice(FINAL_RULES), "Final-move rule: what decides among the root's moves after the search."
    ] = "visits"
    evaluator: Annotated[
        str,
        NameChoice(EVALUATORS),
        "What evaluates new positions: playouts, a regression on features (`static`), a network, or a network and "
        "playouts (`mixed`).",
    ] = "playouts"
    policy: Annotated[str, NameChoice(POLICIES), "Playout policy."] = "fuego"
    prior: Annotated[
        str,
        NameChoice(PRIORS),
        "Prior knowledge of moves without a network: strengths learned from games, the playout policy's own "
        "proposals, or those as Fuego's revision 1585 has them.",
    ] = "learned"
    net: Annotated[str, FileName(SHIPPED), "Network of the evaluators `net` and `mixed`."] = SHIPPED[0]
    mix: Annotated[
        float,
        Real(0.0, 1.0, metavar="FRACTION"),
        "Weight of the playouts in the evaluator `mixed`; the network has the rest.",
    ] = 0.5
    fallback: Annotated[
        str | None,
        NameChoice(FALLBACKS, optional=True),
        "Preset that takes over on board sizes the network was not trained on; none = the network plays them too.",
    ] = None
    net_backend: Annotated[
        str | None, NameChoice(BACKENDS, optional=True), "What runs the network; none = the fastest available."
    ] = None
    batch: Annotated[int, Integer(1, 1024), "Positions the network evaluates at once."] = 8
    batching: Annotated[
        str,
        NameChoice(BATCHINGS),
        "How a batch is filled: leaf by leaf with virtual losses, or in waves, for rules with a search policy.",
    ] = "virtual-loss"
    simulations: Annotated[
        int | None,
        Integer(1, 1_000_000_000, optional=True),
        f"Maximum simulations per move; {DEFAULT_SIMULATIONS}, with a network {DEFAULT_NET_SIMULATIONS}, "
        "if `--time` is not set either.",
    ] = None
    count_kept: Annotated[
        bool, Switch(), "Visits that the root keeps from the search before count as simulations of the move."
    ] = False
    time: Annotated[
        float | None, Real(0.001, 86_400.0, optional=True, metavar="SECONDS"), "Maximum seconds per move."
    ] = None
    early_stop: Annotated[
        bool, Switch(), "Stop a search once no other move can get more visits; off = use all its simulations or time."
    ] = True
    threads: Annotated[
        int, Integer(1, 256), "Threads that share one search tree; with a network each has a batch of its own."
    ] = 1
    ponder: Annotated[
        bool, Switch(), "Think on the opponent's time, in `gtp` and `play`, unless moves are sampled."
    ] = False
    seed: Annotated[
        int | None,
        dataclasses.replace(SEED, optional=True),
        "Random seed: with one thread, the same seed gives the same game; none = a random one.",
    ] = None
    memory: Annotated[int, Integer(16, 1 << 20, metavar="MIB"), "Memory for the search tree, in MiB."] = 512
    resign_below: ResignBelow = 0.05
    temperature: Annotated[
        float, Real(0.0, 100.0), "Sample moves by visits to the power of 1/temperature; 0 = always the best move."
    ] = 0.0
    min_visit_ratio: Annotated[
        float, Real(0.0, 1.0, metavar="FRACTION"), "Never sample moves below this fraction of the best move's visits."
    ] = 0.02
    parameters: Annotated[
        dict[str, ParameterValue], ParameterTable(), "Search parameters by name; `miai rules` lists them."
    ] = dataclasses.field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        check_fields(self)

    @property
    def uses_opponents_time(self) -> bool:
        """Whether to ponder. Sampled moves are not pondered: a level must not depend on the opponent's time."""
        return self.ponder and self.temperature == 0.0

    @property
    def simulation_limit(self) -> int | None:
        """Return `simulations`, or the default if neither simulations nor time is limited."""
        if self.simulations is None and self.time is None:
            return DEFAULT_NET_SIMULATIONS if self.evaluator in NET_EVALUATORS else DEFAULT_SIMULATIONS
        return self.simulations


@dataclass(frozen=True)
class GameOptions:
    """What is played.

    Raises:
        OptionError: if a value is not allowed.
    """

    size: BoardSize = 9
    komi: Komi = 7.0
    rules: RulesName = "tromp-taylor"

    def __post_init__(self) -> None:
        check_fields(self)


Options = tuple[PlayerOptions, GameOptions]

START_FIELDS = {
    field.name: field
    for field in (
        OptionField("preset", NameChoice(tuple(PRESETS)), "Named combination to start from.", DEFAULT_PRESET),
        OptionField(
            "strength",
            Integer(min(STRENGTHS), max(STRENGTHS), optional=True),
            f"Playing level, from {min(STRENGTHS)} (for beginners) to {max(STRENGTHS)} (full strength).",
            None,
        ),
    )
}
"""What the other options start from."""
PLAYER_FIELDS = tuple(fields_of(PlayerOptions))
GAME_FIELDS = tuple(fields_of(GameOptions))
OPTIONS = {**START_FIELDS, **fields_of(PlayerOptions), **fields_of(GameOptions)}
"""All of them by name: the keys of a config file."""


def read_value(name: str, value: Any) -> Any:
    """Return the value of the option `name` from text or a TOML value.

    Raises:
        OptionError: naming the option, the wrong value and the allowed ones.
    """
    return OPTIONS[name].read(value)


def read_assignment(text: str) -> tuple[str, ParameterValue]:
    """Return name and value of `NAME=VALUE`; a value that is no number stays text.

    Raises:
        OptionError: if there is no `=` or no name.
    """
    name, equals, value = text.partition("=")
    if not equals or not name.strip():
        raise OptionError(f"set: {text[:40]!r} is not allowed (allowed: NAME=VALUE, as in rave.equivalence=1000)")
    for read in (int, float):
        try:
            return name.strip(), read(value)
        except ValueError:
            continue
    return name.strip(), value.strip()


def resolve_options(
    preset: str | None = None,
    config: Path | Mapping[str, Any] | None = None,
    given: Mapping[str, Any] | None = None,
    default: str = DEFAULT_PRESET,
) -> Options:
    """Put options together: defaults, then the preset, then the config file, then what was `given` by name.

    The `config` is a file, or the values of one as `read_config` returns them.
    A `preset` named here takes the place of the config file's, and that of the `default`. If that is the default
    player and a part of the search is named, or a parameter of `PARTS_PRESET`'s rule, that preset is the default. A
    `strength`, in the config file or `given`, means values that override the preset's and no others; one that is a
    player of its own drops the preset's parameters. A rule or an evaluator that is replaced takes its parameters with
    it.

    Raises:
        OptionError: if a name or a value is wrong; says which and lists the right ones.
    """
    file_values = read_config(config) if isinstance(config, Path) else dict(config or {})
    if default == DEFAULT_PRESET and (_names_a_part(file_values) or _names_a_part(given or {})):
        default = PARTS_PRESET
    file_preset = file_values.pop("preset", default)
    name = read_value("preset", file_preset if preset is None else preset)
    values: dict[str, Any] = {}
    parameters: dict[str, ParameterValue] = {}
    strength = read_value("strength", (given or {}).get("strength", file_values.get("strength")))
    level = STRENGTHS.get(strength, {})
    for layer in (PRESETS[name].values, level, file_values, given or {}):
        if layer is level and "select" in level:
            parameters = {}
        for part in {"select", "backup"} & values.keys() & layer.keys():
            if layer[part] != values[part]:
                parameters = {key: value for key, value in parameters.items() if not key.startswith(f"{values[part]}.")}
        unknown = _UNKNOWN_TO.get(layer.get("evaluator", ""), ())
        parameters = {key: value for key, value in parameters.items() if not key.startswith(unknown)}
        values.update(layer)
        parameters.update(read_value("parameters", layer.get("parameters", {})))
    values["parameters"] = parameters
    return (
        PlayerOptions(**{key: value for key, value in values.items() if key in PLAYER_FIELDS}),
        GameOptions(**{key: value for key, value in values.items() if key in GAME_FIELDS}),
    )


def named_game_settings(config: Path | None, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return those fields of `GameOptions` that a config file names, or `given`, which comes first.

    Raises:
        OptionError: if the file cannot be read or a value is wrong.
    """
    values = {**(read_config(config) if config is not None else {}), **given}
    return {name: read_value(name, values[name]) for name in GAME_FIELDS if name in values}


def _names_a_part(values: Mapping[str, Any]) -> bool:
    rule = PRESETS[PARTS_PRESET].values["select"]
    return not PARTS.isdisjoint(values) or rule in {name.partition(".")[0] for name in values.get("parameters", ())}


def with_strength(options: PlayerOptions, strength: int) -> PlayerOptions:
    """Return options changed to a level for people; the highest changes nothing."""
    return dataclasses.replace(options, **STRENGTHS[strength])


def read_config(path: Path) -> dict[str, Any]:
    """Return the values that a config file names.

    Raises:
        OptionError: if it cannot be read or says something wrong.
    """
    return read_option_file(path, OPTIONS, "option")


def to_toml(*parts: PlayerOptions | GameOptions) -> str:
    """Return options as the text of a config file that gives the same options."""
    values = {name: value for part in parts for name, value in dataclasses.asdict(part).items()}
    parameters = values.pop("parameters", {})
    lines = [f"{name} = {_toml_value(value)}" for name, value in values.items() if value is not None]
    if parameters:
        lines += ["", "[parameters]"]
        lines += [f"{_toml_value(name)} = {_toml_value(value)}" for name, value in parameters.items()]
    return "\n".join(lines) + "\n"


def _toml_value(value: ParameterValue) -> str:
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
