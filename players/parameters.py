"""The numbers of a player's search that the user may change, by dotted names as `rave.equivalence`."""

from dataclasses import dataclass
from typing import Any, NamedTuple

from miai.engine.search.rule_declaration import BackupRule, Parameter, SelectionRule, parameters_with
from miai.engine.search.search import Settings
from miai.engine.search.simulate import SearchParameters
from miai.players.options import NET_EVALUATORS, PlayerOptions
from miai.playouts.child_wdl import OUTCOME_PARAMETERS, OutcomeParameters

_SEARCH: tuple[Parameter, ...] = (Parameter("expand_at", 1, 1_000_000, "visits at which a position gets children"),)
_WITH_POLICY: tuple[Parameter, ...] = (
    Parameter(
        "stop_probability",
        0.0,
        1.0,
        "search policy's probability below which all moves but one must fall to end the search; 0 = never",
    ),
)
_WITH_CHANCES: tuple[Parameter, ...] = (
    Parameter("win_payoff", -1e6, 1e6, "what a win is worth to the final-move rule payoff"),
    Parameter("draw_payoff", -1e6, 1e6, "what a draw is worth to it"),
    Parameter("loss_payoff", -1e6, 1e6, "what a loss is worth to it"),
)
_NET: tuple[Parameter, ...] = (
    Parameter("virtual_loss", 0.0, 1000.0, "virtual losses that each counts as until its batch is evaluated"),
    Parameter("symmetries", 0, 1, "1 = evaluate each position under one of the eight symmetries, 0 = as it lies"),
)
_MIXED: tuple[Parameter, ...] = (Parameter("mix", 0.0, 1.0, "weight of the playout's result against the network's"),)


class NetParameters(NamedTuple):
    """How a network evaluates the leaves of a search."""

    virtual_loss: float = 1.0
    symmetries: int = 0
    mix: float = 0.5


@dataclass(frozen=True)
class CurrentParameter:
    """A number of the search that may change between moves."""

    value: float | int
    lowest: float
    highest: float
    meaning: str


class PlayerParameters:
    """All parameters of a search with these rules."""

    def __init__(self, selection: SelectionRule, backup: BackupRule, options: PlayerOptions) -> None:
        self._selection = selection
        self._backup = backup
        self._evaluator = options.evaluator
        self.settings = Settings(SearchParameters(), selection.defaults, backup.defaults)
        """Those of the search's loop and rules; the object stays the same."""
        self.outcomes = OutcomeParameters()
        """Those of listing outcomes by playouts."""
        self.net = NetParameters(mix=options.mix)
        """Those of evaluating by a network."""

    def _groups(self) -> dict[str, tuple[tuple[Parameter, ...], Any]]:
        """Return descriptions and values of the parameters, by what stands before the dot of their names."""
        has_net = self._evaluator in NET_EVALUATORS
        of_search = () if has_net else _SEARCH
        if self._selection.policy is not None:
            of_search += _WITH_POLICY
        if "wdl" in self._backup.kinds:
            of_search += _WITH_CHANCES
        groups: dict[str, tuple[tuple[Parameter, ...], Any]] = {
            "search": (of_search, self.settings.parameters),
            self._selection.name: (self._selection.parameters, self.settings.selection),
            self._backup.name: (self._backup.parameters, self.settings.backup),
        }
        if "wdl" in self._backup.kinds and self._evaluator == "playouts":
            groups["outcomes"] = OUTCOME_PARAMETERS, self.outcomes
        if has_net:
            groups["net"] = _NET + (_MIXED if self._evaluator == "mixed" else ()), self.net
        return groups

    def current(self) -> dict[str, CurrentParameter]:
        """Return the parameters by dotted name."""
        return {
            f"{group}.{entry.name}": CurrentParameter(
                getattr(values, entry.name), entry.lowest, entry.highest, entry.meaning
            )
            for group, (entries, values) in self._groups().items()
            for entry in entries
        }

    def set(self, name: str, value: str) -> None:
        """Change a parameter from the next search on.

        Raises:
            ValueError: if there is no such parameter or the value is not allowed; says which are.
        """
        known = self.current()
        if name not in known:
            raise ValueError(f"there is no search parameter {name[:40]!r} (allowed: {', '.join(known)})")
        parameter = known[name]
        try:
            number = type(parameter.value)(value)
        except ValueError:
            number = float("nan")
        if not parameter.lowest <= number <= parameter.highest:
            kind = "a whole number" if isinstance(parameter.value, int) else "a number"
            allowed = f"{kind} from {parameter.lowest:g} to {parameter.highest:g}"
            raise ValueError(f"{name}: {value[:40]!r} is not allowed (allowed: {allowed})")
        group, _, field = name.partition(".")
        changed = parameters_with(self._groups()[group][1], {field: number})
        if group == "search":
            self.settings.parameters = changed
        elif group == "outcomes":
            self.outcomes = changed
        elif group == "net":
            self.net = changed
        elif group == self._selection.name:
            self.settings.selection = changed
        else:
            self.settings.backup = changed
