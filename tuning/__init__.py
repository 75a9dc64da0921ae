"""Tuning: numbers of a player that win it more games, found by Bayesian optimisation."""
