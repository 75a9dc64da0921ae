"""A client of CGOS, the Computer Go Server: it plays there game after game."""
