"""Matches between GTP engines: `miai match`."""
