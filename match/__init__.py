"""Matches and round robins between players, and ratings from them."""
