"""Wilson's score interval."""

import math


def wilson_interval(rate: float, num_trials: float, z: float) -> tuple[float, float]:
    """Return the ends of the interval of a success rate: the x with |rate − x| = z·√(x(1 − x)/num_trials).

    Source: E. B. Wilson, JASA 22 (1927).

    Args:
        rate: observed, 0 to 1.
        num_trials: above 0; any number, as that of trials that are not independent may be.
        z: quantile of the standard normal distribution.

    Returns:
        The lower and the upper end, with 0 ≤ lower ≤ rate ≤ upper ≤ 1.
    """
    ratio = z * z / num_trials
    centre = (rate + ratio / 2.0) / (1.0 + ratio)
    half = math.sqrt(max(0.0, ratio * rate * (1.0 - rate) + ratio * ratio / 4.0)) / (1.0 + ratio)
    return min(rate, max(0.0, centre - half)), max(rate, min(1.0, centre + half))
