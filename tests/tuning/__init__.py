"""Tests of `miai tune` and what it is made of."""
