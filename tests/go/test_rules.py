import pytest

from miai.engine.go.rules import RULES, Rules


def test_presets() -> None:
    assert RULES["tromp-taylor"] == RULES["cgos"] == Rules("positional", suicide=False) == Rules()
    assert RULES["chinese"] == Rules("none", suicide=False)
    assert RULES["cgos"].has_superko and not RULES["chinese"].has_superko


def test_unknown_superko_names_the_known_ones() -> None:
    with pytest.raises(ValueError, match="'situational': allowed are 'positional' and 'none'"):
        Rules("situational")
