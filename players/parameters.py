"""The numbers of a player's search that the user may change, by dotted names as `rave.equivalence`."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple

from miai.engine.search.parameters import Range, describe_parameters, parameters_with
from miai.engine.search.rule_declaration import BackupRule, SelectionRule
from miai.engine.search.search import Settings
from miai.engine.search.simulate import SearchParameters
from miai.players.options import NET_EVALUATORS, PlayerOptions
from miai.playouts.child_wdl import OutcomeParameters
from miai.playouts.playout import PlayoutParameters


class NetParameters(NamedTuple):
    """How a network evaluates the leaves of a search."""

    virtual_loss: Annotated[
        float, Range(0.0, 1000.0), "virtual losses that each counts as until its batch is evaluated"
    ] = 1.0
    visits_per_leaf: Annotated[
        float, Range(0.0, 1e6), "visits of the root for each leaf of a batch: batches begin small; 0 = always full"
    ] = 0.0
    symmetries: Annotated[
        int, Range(0, 8), "evaluate each position in so many of its eight symmetries and take the mean; 0 = as it lies"
    ] = 0
    optimism: Annotated[
        float, Range(0.0, 1.0), "how much of KataGo's optimistic policy goes into the policy; other networks have none"
    ] = 0.0
    mix: Annotated[float, Range(0.0, 1.0), "weight of the playout's result against the network's"] = 0.5


GROUPS: Mapping[str, Any] = {
    "search": SearchParameters(),
    "playouts": PlayoutParameters(),
    "outcomes": OutcomeParameters(),
    "net": NetParameters(),
}
"""The parameters that belong to no rule, with their defaults, by what stands before the dot of their names."""


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
        """Begin with the defaults.

        Raises:
            ValueError: if the names of the rules leave in doubt whose a parameter is.
        """
        for name, others in ((selection.name, GROUPS), (backup.name, (*GROUPS, selection.name))):
            if name in others:
                raise ValueError(
                    f"a rule is named {name!r}, as are other parameters of this search (allowed: a name other than the "
                    f"second rule's and {', '.join(GROUPS)})"
                )
        self._selection = selection
        self._backup = backup
        self._evaluator = options.evaluator
        self.settings = Settings(SearchParameters(), selection.defaults, backup.defaults)
        """Those of the search's loop and rules; the object stays the same."""
        self.playouts = PlayoutParameters()
        """Those of playouts."""
        self.outcomes = OutcomeParameters()
        """Those of listing outcomes by playouts."""
        self.net = NetParameters(mix=options.mix)
        """Those of evaluating by a network."""

    def _groups(self) -> dict[str, Any]:
        """Return the values of the parameters by what stands before the dot of their names."""
        groups = {
            "search": self.settings.parameters,
            self._selection.name: self.settings.selection,
            self._backup.name: self.settings.backup,
        }
        if self._evaluator in ("playouts", "mixed"):
            groups["playouts"] = self.playouts
        if self._backup.needs_outcomes and self._evaluator == "playouts":
            groups["outcomes"] = self.outcomes
        if self._evaluator in NET_EVALUATORS:
            groups["net"] = self.net
        return groups

    def _unused(self) -> set[str]:
        """Return the dotted names of parameters that this search does not read."""
        unused = set()
        if self._evaluator in NET_EVALUATORS:
            unused |= {"search.expand_at"}
        if self._selection.policy is None:
            unused |= {"search.stop_probability"}
        if "wdl" not in self._backup.kinds:
            unused |= {"search.win_payoff", "search.draw_payoff", "search.loss_payoff"}
        if self._evaluator != "mixed":
            unused |= {"net.mix"}
        return unused

    def current(self) -> dict[str, CurrentParameter]:
        """Return the parameters by dotted name."""
        described = {
            f"{group}.{entry.name}": CurrentParameter(
                getattr(values, entry.name), entry.lowest, entry.highest, entry.meaning
            )
            for group, values in self._groups().items()
            for entry in describe_parameters(values)
        }
        return {name: parameter for name, parameter in described.items() if name not in self._unused()}

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
        changed = parameters_with(self._groups()[group], {field: number})
        if group == "search":
            self.settings.parameters = changed
        elif group in GROUPS:
            setattr(self, group, changed)
        elif group == self._selection.name:
            self.settings.selection = changed
        else:
            self.settings.backup = changed
