"""Tables of reports."""

from collections.abc import Sequence

from tabulate import tabulate


def markdown_table(headers: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table that reads well as text too: texts as they are, to the left."""
    return tabulate(rows, headers, tablefmt="pipe", disable_numparse=True)
