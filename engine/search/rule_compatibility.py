"""Which selection and backup rules go together: those whose values are of one kind."""

from collections.abc import Collection, Iterator

from miai.engine.search.backup import BACKUP_RULES
from miai.engine.search.rule_declaration import BackupRule, SelectionRule, ValueKind
from miai.engine.search.selection import SELECTION_RULES

KIND_WORDS: dict[ValueKind, str] = {
    "probability": "expected results",
    "points": "scores in points",
    "wdl": "win, draw and loss probabilities",
}
ALL_KINDS = tuple(KIND_WORDS)


class MisfitError(ValueError):
    """A combination of rules that makes no sense; the message names what fits."""


def fits(selection: SelectionRule, backup: BackupRule) -> bool:
    """Tell whether the backup rule can keep values of the kind that the selection rule compares."""
    return selection.kind in backup.kinds


def check_pair(selection: SelectionRule, backup: BackupRule, kinds: Collection[ValueKind] = ALL_KINDS) -> None:
    """Refuse a combination that makes no sense.

    Args:
        selection: rule.
        backup: rule.
        kinds: what the domain and its evaluator can value positions by.

    Raises:
        MisfitError: naming what fits.
    """
    if selection.kind not in kinds:
        fitting = [rule.name for rule in SELECTION_RULES.values() if rule.kind in kinds]
        raise MisfitError(
            f"{selection.name} needs {KIND_WORDS[selection.kind]}, which are not known here "
            f"(fitting: {', '.join(fitting)})"
        )
    if backup.needs_outcomes and "wdl" not in kinds:
        raise MisfitError(f"{backup.name} needs {KIND_WORDS['wdl']}, which are not known here")
    if not fits(selection, backup):
        backups = [rule.name for rule in BACKUP_RULES.values() if fits(selection, rule)]
        selections = [rule.name for rule in SELECTION_RULES.values() if fits(rule, backup)]
        raise MisfitError(
            f"{selection.name} compares {KIND_WORDS[selection.kind]}, which {backup.name} does not keep "
            f"(with {selection.name} go {', '.join(backups)}; with {backup.name} go {', '.join(selections)})"
        )


def fitting_pairs(kinds: Collection[ValueKind] = ALL_KINDS) -> Iterator[tuple[SelectionRule, BackupRule]]:
    """Return every pair of our rules that is not refused."""
    for selection in SELECTION_RULES.values():
        for backup in BACKUP_RULES.values():
            if selection.kind in kinds and fits(selection, backup) and (not backup.needs_outcomes or "wdl" in kinds):
                yield selection, backup
