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
from typing import Any

from miai.engine.go.points import MAX_KOMI
from miai.engine.go.rules import RULES
from miai.engine.search.rule_names import BACKUP_MODULES, SELECTION_MODULES
from miai.nets.config import SHIPPED
from miai.players.option_kinds import (
    FileName,
    Integer,
    NameChoice,
    OptionError,
    OptionKind,
    Real,
    RuleName,
    Switch,
    read_toml,
    unknown_name,
)
from miai.players.presets import DEFAULT_PRESET, PARTS_PRESET, PRESETS, STRENGTHS

DEFAULT_SIMULATIONS = 5000
"""Simulations a move where neither simulations nor time is limited."""

PARTS = frozenset({"select", "backup", "evaluator", "policy"})
"""The options that are parts of the search."""
FINAL_RULES = ("visits", "policy", "value", "payoff")
EVALUATORS = ("playouts", "static", "net", "mixed")
NET_EVALUATORS = ("net", "mixed")
"""Those that need a network."""
NET_BACKENDS = ("torch", "torch-bfloat16", "openvino", "openvino-int8")
BATCHINGS = ("virtual-loss", "waves")
FALLBACKS = tuple(name for name, preset in PRESETS.items() if preset.values.get("evaluator") not in NET_EVALUATORS)
POLICIES = (
    *("fuego", "random"),
    *("no_ac", "no_ad", "no_bp", "no_patt", "no_ll", "no_cap", "no_fe"),
    *("only_ac", "only_ad", "only_bp", "only_patt", "only_ll", "only_cap"),
    "crazystone",
)

ParameterValue = bool | int | float | str


@dataclass(frozen=True)
class PlayerOptions:
    """How a player thinks.

    Raises:
        OptionError: if a value is not allowed.
    """

    select: str = "rave"
    """Selection rule: how the search chooses among moves."""
    backup: str = "mean"
    """Backup rule: how a position's value follows from its moves'."""
    final: str = "visits"
    """Final-move rule: what decides among the root's moves after the search."""
    evaluator: str = "playouts"
    """What values a position that the search reaches for the first time."""
    policy: str = "fuego"
    """Policy that chooses the moves of the playouts."""
    net: str = SHIPPED[0]
    """Network of the evaluators `net` and `mixed`: one that comes with miai, by name, or a file."""
    mix: float = 0.5
    """Of the evaluator `mixed`: the weight of a playout's result; the network's value has the rest."""
    fallback: str | None = None
    """Preset that plays in the network's place on boards of sizes that it has not learned; None = it plays itself."""
    net_backend: str | None = None
    """What runs the network; None = the fastest there is."""
    batch: int = 8
    """Positions that a network evaluates at once."""
    batching: str = "virtual-loss"
    """How they are found: one after the other, each counted as lost until all are evaluated, or in waves."""
    simulations: int | None = None
    """Most simulations a move; None = no such limit."""
    time: float | None = None
    """Most seconds a move; None = no such limit."""
    threads: int = 1
    """Threads that share one search tree, or with a network compute its batches. Only one thread plays the same game
    again from the same seed."""
    ponder: bool = False
    """Whether to think on the opponent's time; it takes that time from an opponent on the same cores."""
    seed: int | None = None
    """Seed of all randomness; None = a new one in every process."""
    memory: int = 512
    """Memory of the search tree in MiB."""
    resign_below: float = 0.05
    """Resign when the expected result, 0 to 1, is below this; 0 = never resign."""
    temperature: float = 0.0
    """Moves are sampled by their visits to the power of 1/`temperature`; 0 = always the best."""
    min_visit_ratio: float = 0.02
    """Moves with fewer visits than this ratio of the best one's are never sampled."""
    parameters: dict[str, ParameterValue] = dataclasses.field(default_factory=dict, hash=False)
    """Search parameters by their dotted names, as `{"rave.equivalence": 1000.0}`; the search knows which there are."""

    def __post_init__(self) -> None:
        _check_fields(self)

    @property
    def simulation_limit(self) -> int | None:
        """Return `simulations`, or `DEFAULT_SIMULATIONS` if neither simulations nor time is limited."""
        if self.simulations is None and self.time is None:
            return DEFAULT_SIMULATIONS
        return self.simulations


@dataclass(frozen=True)
class GameOptions:
    """What is played.

    Raises:
        OptionError: if a value is not allowed.
    """

    size: int = 9
    """Points on a side of the board."""
    komi: float = 7.0
    """Points that White gets for moving second."""
    rules: str = "tromp-taylor"
    """Rules of the game: superko and suicide."""

    def __post_init__(self) -> None:
        _check_fields(self)


Options = tuple[PlayerOptions, GameOptions]

SEED = Integer(0, (1 << 63) - 1)
"""What seeds may be."""
KINDS: dict[str, OptionKind] = {
    "strength": Integer(min(STRENGTHS), max(STRENGTHS), optional=True),
    "select": RuleName(tuple(SELECTION_MODULES)),
    "backup": RuleName(tuple(BACKUP_MODULES)),
    "final": NameChoice(FINAL_RULES),
    "evaluator": NameChoice(EVALUATORS),
    "policy": NameChoice(POLICIES),
    "net": FileName(SHIPPED),
    "mix": Real(0.0, 1.0, metavar="FRACTION"),
    "fallback": NameChoice(FALLBACKS, optional=True),
    "net_backend": NameChoice(NET_BACKENDS, optional=True),
    "batch": Integer(1, 1024),
    "batching": NameChoice(BATCHINGS),
    "simulations": Integer(1, 1_000_000_000, optional=True),
    "time": Real(0.001, 86_400.0, optional=True, metavar="SECONDS"),
    "threads": Integer(1, 256),
    "ponder": Switch(),
    "seed": dataclasses.replace(SEED, optional=True),
    "memory": Integer(16, 1 << 20, metavar="MIB"),
    "resign_below": Real(0.0, 0.5, metavar="FRACTION"),
    "temperature": Real(0.0, 100.0),
    "min_visit_ratio": Real(0.0, 1.0, metavar="FRACTION"),
    "size": Integer(2, 19),
    "komi": Real(-MAX_KOMI, MAX_KOMI, metavar="POINTS"),
    "rules": NameChoice(tuple(RULES)),
}
"""What each option may be; `parameters` are checked by the search."""

PLAYER_FIELDS = tuple(field.name for field in dataclasses.fields(PlayerOptions))
GAME_FIELDS = tuple(field.name for field in dataclasses.fields(GameOptions))
_CONFIG_KEYS = ("preset", "strength", *PLAYER_FIELDS, *GAME_FIELDS)


def _check_fields(options: PlayerOptions | GameOptions) -> None:
    for field in dataclasses.fields(options):
        value = getattr(options, field.name)
        object.__setattr__(options, field.name, read_value(field.name, value))


def read_value(name: str, value: Any) -> Any:
    """Return the value of the option `name` from text or a TOML value.

    Raises:
        OptionError: naming the option, the wrong value and the allowed ones.
    """
    if name == "parameters":
        return _read_parameters(value)
    try:
        return KINDS[name].read(value)
    except OptionError as error:
        raise OptionError(f"{name.replace('_', '-')}: {error}") from None


def _read_parameters(value: Any, prefix: str = "") -> dict[str, ParameterValue]:
    """Return dotted names and values from a table that may be nested."""
    if not isinstance(value, Mapping):
        raise OptionError(f"parameters: {str(value)[:40]!r} is not allowed (allowed: a table of names and values)")
    parameters: dict[str, ParameterValue] = {}
    for name, item in value.items():
        if isinstance(item, Mapping):
            parameters.update(_read_parameters(item, f"{prefix}{name}."))
        elif isinstance(item, (bool, int, float, str)):
            parameters[f"{prefix}{name}"] = item
        else:
            raise OptionError(f"parameters: {prefix}{name} is neither a number, a text nor a truth value")
    return parameters


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


def preset_options(name: str) -> Options:
    """Return the options of a preset.

    Raises:
        OptionError: if there is no such preset; names those there are.
    """
    return resolve_options(preset=name)


def config_options(path: Path) -> Options:
    """Return the options of a config file.

    Raises:
        OptionError: if it cannot be read or says something wrong.
    """
    return resolve_options(config=path)


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
    `strength`, in the config file or `given`, means values that override the preset's and no others. A rule that is
    replaced takes its parameters with it.

    Raises:
        OptionError: if a name or a value is wrong; says which and lists the right ones.
    """
    file_values = read_config(config) if isinstance(config, Path) else dict(config or {})
    if default == DEFAULT_PRESET and (_names_a_part(file_values) or _names_a_part(given or {})):
        default = PARTS_PRESET
    file_preset = file_values.pop("preset", default)
    name = preset if preset is not None else file_preset
    if not isinstance(name, str) or name not in PRESETS:
        raise unknown_name(str(name), PRESETS, "preset")
    values: dict[str, Any] = {}
    parameters: dict[str, ParameterValue] = {}
    strength = read_value("strength", (given or {}).get("strength", file_values.get("strength")))
    for layer in (PRESETS[name].values, STRENGTHS.get(strength, {}), file_values, given or {}):
        for part in {"select", "backup"} & values.keys() & layer.keys():
            if layer[part] != values[part]:
                parameters = {key: value for key, value in parameters.items() if not key.startswith(f"{values[part]}.")}
        values.update(layer)
        parameters.update(_read_parameters(layer.get("parameters", {})))
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
    changes = dict(STRENGTHS[strength])
    parameters = options.parameters | _read_parameters(changes.pop("parameters", {}))
    return dataclasses.replace(options, **changes, parameters=parameters)


def read_config(path: Path) -> dict[str, Any]:
    """Return the values that a config file names.

    Raises:
        OptionError: if it cannot be read or says something wrong.
    """
    values = read_toml(path)
    for key, value in values.items():
        if key not in _CONFIG_KEYS:
            raise OptionError(f"{path}: {unknown_name(key, _CONFIG_KEYS, 'option')}")
        if key != "preset":
            try:
                read_value(key, value)
            except OptionError as error:
                raise OptionError(f"{path}: {error}") from None
    return values


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
