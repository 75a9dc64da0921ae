"""Tactical 9x9 positions, of our own: what simulations each pair of rules needs."""
