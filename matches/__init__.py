"""Matches between GTP engines: `miai match` and `miai round-robin`."""
