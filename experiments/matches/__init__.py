"""Experiments that are games: rows of results, lines of matches, scores, players that are timed."""
