"""Self-play and training in turns, and what became of it."""
