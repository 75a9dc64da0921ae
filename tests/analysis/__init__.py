"""Tests of `miai.analysis`."""
