"""Tests of `miai match`."""
