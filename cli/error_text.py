"""Standard errors in tables."""

import math


def error_after(error: float, digits: int) -> str:
    """Return ` ± 0.12`, to be written after a mean; nothing if the error is not known."""
    return "" if math.isnan(error) else f" ± {error:.{digits}f}"
