"""What a teacher, a stronger network, says of the positions of recorded games."""

VIEWS = ("none", "random", "all")
"""How a teacher sees positions: as they lie, each in a symmetry drawn at random, or in all eight (the mean is kept)."""
