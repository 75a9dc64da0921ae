"""Contestants: the texts that name a side of a match, and what they mean.

fuego                                   a preset of miai's
fuego:simulations=1000,rave.equivalence=500      with other options; dotted names are search parameters
mine.toml, mine.toml:threads=2          a config file of miai's options
gnugo --mode gtp --level 10             any program that speaks GTP

What a file, or the options after a colon, say of the game (`komi = 5.5`) is said for both sides: `agree_on_game`.
"""

import dataclasses
import functools
import hashlib
import shlex
import shutil
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from miai.engine.search.rule_names import content_of, is_own
from miai.gtp.client import Client
from miai.nets.net_files import net_file
from miai.players.option_kinds import OptionError, name_list, suggest, unknown_name
from miai.players.options import (
    GAME_FIELDS,
    NET_EVALUATORS,
    GameOptions,
    PlayerOptions,
    named_game_settings,
    read_assignment,
    read_value,
    resolve_options,
    to_toml,
)
from miai.players.presets import PRESETS


@dataclass(frozen=True)
class Contestant:
    """One side of a match: either miai with some options, or a program."""

    label: str
    """As the user named it."""
    program: tuple[str, ...] = ()
    """Command line of an external engine; empty for miai."""
    options: PlayerOptions | None = None
    """miai's options; None for an external engine."""
    game: Mapping[str, Any] = field(default_factory=dict, hash=False)
    """What the side's file or text says of the game: fields of `GameOptions` by name."""

    @property
    def threads(self) -> int:
        """Cores that the side uses while it thinks; one for external engines, which do not tell."""
        return self.options.threads if self.options else 1

    def describe(self) -> dict[str, Any]:
        """Return all that makes this side play as it does, for JSON."""
        if self.options:
            return {"miai": dataclasses.asdict(self.options)}
        return {"program": list(self.program)}

    def network_digest(self) -> str | None:
        """Return the SHA-256 of the network's file; None without one."""
        if self.options is None or self.options.evaluator not in NET_EVALUATORS:
            return None
        path = net_file(self.options.net)
        return _digest_of(path, path.stat().st_mtime_ns) if path.is_file() else None

    def own_rules(self) -> dict[str, str]:
        """Return what tells the contents of rules from the user's files, by option; empty without such rules."""
        if self.options is None:
            return {}
        rules = {"select": self.options.select, "backup": self.options.backup}
        return {option: content_of(name) for option, name in rules.items() if is_own(name)}

    def describe_files(self) -> dict[str, Any]:
        """Return what tells the contents of the files that `describe` names, for JSON; empty without such files."""
        files = {"network": self.network_digest(), "own_rules": self.own_rules()}
        return {name: content for name, content in files.items() if content}

    def prepare(self, config: Path, game_options: GameOptions) -> tuple[str, ...]:
        """Return the command line that starts the side; miai's options are written to `config`."""
        if self.options is None:
            return self.program
        config.write_text(to_toml(self.options, game_options), encoding="utf-8")
        return (sys.executable, "-m", "miai", "gtp", "--config", str(config.resolve()))


@functools.lru_cache(maxsize=64)
def _digest_of(path: Path, changed: int) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


_RENAMED_OPTIONS = {"least_share": "min_visit_ratio"}
"""Options whose old names are in the folders of old matches."""
_RENAMED_PARAMETERS = {
    "search.stop_share": "search.stop_probability",
    "outcomes.shared": "outcomes.sibling_weight",
    "crazystone.most": "crazystone.max_effective_visits",
}
"""The same of search parameters."""


def complete_description(description: Any) -> Any:
    """Return what `Contestant.describe` gave, with the defaults of options that miai has learned since.

    An option's default is how miai played before it had the option, so that old matches can be gone on with.
    """
    if not isinstance(description, dict) or not isinstance(description.get("miai"), dict):
        return description
    options = {_RENAMED_OPTIONS.get(name, name): value for name, value in description["miai"].items()}
    if options.get("final") == "r":
        options["final"] = "policy"
    if isinstance(parameters := options.get("parameters"), dict):
        options["parameters"] = {_RENAMED_PARAMETERS.get(name, name): value for name, value in parameters.items()}
    return {"miai": dataclasses.asdict(PlayerOptions()) | options}


def agree_on_game(
    given: Mapping[str, Any], contestants: Iterable[Contestant], giver: str = "the command line"
) -> GameOptions:
    """Return the game that all play: as `given` and the contestants say, who say the same; the rest by default.

    Args:
        given: fields of `GameOptions` by name.
        contestants: who plays it.
        giver: who says what is given.

    Raises:
        OptionError: naming two who say different things, or a value that is not allowed.
    """
    settings = {name: read_value(name, value) for name, value in given.items()}
    speakers = dict.fromkeys(settings, giver)
    for contestant in contestants:
        for name, value in contestant.game.items():
            if settings.setdefault(name, value) != value:
                raise OptionError(
                    f"{name}: {speakers[name]} says {_shown(settings[name])}, {contestant.label!r} says "
                    f"{_shown(value)} (allowed: the same game for all)"
                )
            speakers.setdefault(name, repr(contestant.label))
    return GameOptions(**settings)


def _shown(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def start_engine(command: tuple[str, ...]) -> Client:
    """Start a contestant's process."""
    return Client.start(command)


def read_contestant(text: str, shared: Mapping[str, Any] | None = None) -> Contestant:
    """Tell which contestant a text means; presets go before programs of the same name.

    Args:
        shared: options that take the place of a preset's and a config file's, but not of those in the text.

    Raises:
        OptionError: naming what is wrong and what there is.
    """
    name, colon, overrides = text.partition(":")
    if name in PRESETS:
        return _read_miai(text, overrides if colon else None, shared or {}, preset=name)
    if name.endswith(".toml"):
        return _read_miai(text, overrides if colon else None, shared or {}, config=Path(name))
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise OptionError(f"{text!r} cannot be read as a command line: {error}") from None
    if words and shutil.which(words[0]):
        return Contestant(text, program=tuple(words))
    if len(words) > 1:
        raise OptionError(f"there is no program {words[0]!r} to run {text!r} with")
    raise OptionError(
        f"{text[:60]!r} is neither a preset ({name_list(PRESETS)}), nor a config file (FILE.toml), "
        f"nor a program that can be run{suggest(name, PRESETS)}"
    )


def _read_miai(
    label: str,
    overrides: str | None,
    shared: Mapping[str, Any],
    preset: str | None = None,
    config: Path | None = None,
) -> Contestant:
    names = ["strength", *(one.name for one in dataclasses.fields(PlayerOptions) if one.name != "parameters")]
    names += GAME_FIELDS
    given: dict[str, Any] = {**shared, "parameters": {}}
    for assignment in overrides.split(",") if overrides is not None else ():
        try:
            name, value = read_assignment(assignment)
        except OptionError:
            raise OptionError(
                f"{label[:60]!r}: {assignment[:40]!r} is not allowed (allowed: NAME=VALUE, as in fuego:threads=2)"
            ) from None
        if "." in name:
            given["parameters"][name] = value
        elif name.replace("-", "_") in names:
            given[name.replace("-", "_")] = value
        else:
            raise unknown_name(name, names, "player option")
    options, _ = resolve_options(preset=preset, config=config, given=given)
    return Contestant(label, options=options, game=named_game_settings(config, given))
