"""Games that a player plays against itself, to learn from."""
