"""Tests of `miai match` and `miai round-robin`."""
