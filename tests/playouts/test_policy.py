"""The named variants: what they are made of."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from miai.engine.go.board import new_board
from miai.engine.go.points import PASS
from miai.playouts.distribution import distribution
from miai.playouts.layer_order import POLICIES
from miai.playouts.policy import correctors_of_layer, make_policy
from miai.playouts.workspace import new_playout_workspace
from tests.playouts.situation import position

_FUEGO = ("nakade", "atari_capture", "atari_defense", "low_lib", "biased_pattern", "capture", "random")


def test_fuego_asks_its_layers_in_the_order_of_the_paper() -> None:
    policy = make_policy("fuego")
    assert policy.layers == _FUEGO
    assert policy.correctors == ("false_eye_to_capture", "self_atari_correction", "clump_correction")


@pytest.mark.parametrize(
    ("name", "missing"),
    [("no_ac", "atari_capture"), ("no_ad", "atari_defense"), ("no_ll", "low_lib"), ("no_cap", "capture")],
)
def test_a_subtractive_variant_lacks_one_layer(name: str, missing: str) -> None:
    assert make_policy(name).layers == tuple(layer for layer in _FUEGO if layer != missing)
    assert make_policy(name).correctors == make_policy("fuego").correctors


def test_no_bp_falls_back_to_the_unweighted_pattern_and_no_patt_has_neither() -> None:
    assert make_policy("no_bp").layers == tuple("pattern" if name == "biased_pattern" else name for name in _FUEGO)
    assert make_policy("no_patt").layers == tuple(name for name in _FUEGO if name != "biased_pattern")


def test_no_fe_lacks_a_corrector_only() -> None:
    assert make_policy("no_fe").layers == _FUEGO
    assert make_policy("no_fe").correctors == ("self_atari_correction", "clump_correction")


@pytest.mark.parametrize(
    ("name", "layer"),
    [
        ("only_ac", "atari_capture"),
        ("only_ad", "atari_defense"),
        ("only_bp", "biased_pattern"),
        ("only_patt", "pattern"),
        ("only_ll", "low_lib"),
        ("only_cap", "capture"),
    ],
)
def test_an_additive_variant_is_random_plus_one_layer(name: str, layer: str) -> None:
    assert make_policy(name).layers == (layer, "random")
    assert make_policy(name).correctors == ()


def test_an_unknown_policy_is_refused_with_the_names_there_are() -> None:
    with pytest.raises(ValueError, match="'fuegoo'") as refused:
        make_policy("fuegoo")
    assert all(name in str(refused.value) for name in POLICIES)


def test_these_are_the_policies() -> None:
    assert POLICIES == (
        *("fuego", "random"),
        *("no_nakade", "no_ac", "no_ad", "no_ll", "no_patt", "no_bp", "no_cap", "no_fe"),
        *("only_nakade", "only_ac", "only_ad", "only_ll", "only_patt", "only_bp", "only_cap"),
        *(
            f"{base}{suffix}"
            for base in ("fuego1585", "fuego1585_listed")
            for suffix in (
                *("", "_random", "_no_ac", "_no_ad", "_no_ll", "_no_patt", "_no_bp", "_no_cap", "_no_fe"),
                *("_only_ac", "_only_ad", "_only_ll", "_only_patt", "_only_bp", "_only_cap"),
            )
        ),
        "crazystone",
    )


@pytest.mark.parametrize("suffix", ["", "_no_ac", "_no_patt", "_no_bp", "_no_fe"])
def test_variants_of_revision_1585_lack_nakade_and_clump_correction_besides(suffix: str) -> None:
    ours, theirs = make_policy(suffix[1:] or "fuego"), make_policy(f"fuego1585{suffix}")
    assert theirs.layers == tuple(layer for layer in ours.layers if layer != "nakade")
    assert theirs.correctors == tuple(name for name in ours.correctors if name != "clump_correction")


@pytest.mark.parametrize("name", [name for name in POLICIES if name.startswith("fuego1585_listed")])
def test_listed_variants_have_other_forms_of_the_same_layers(name: str) -> None:
    ours, theirs = make_policy(name.replace("_listed", "")), make_policy(name)
    form = {"random": "listed_random"}
    assert theirs.layers == tuple(form.get(layer, f"fuego_{layer}") for layer in ours.layers)
    assert theirs.correctors == tuple(f"fuego_{corrector}" for corrector in ours.correctors)


def test_a_corrector_leaves_the_layers_alone_that_it_spares() -> None:
    names = make_policy("fuego1585_listed").correctors
    both = ("fuego_false_eye_to_capture", "fuego_self_atari_correction")
    assert names == both == correctors_of_layer("fuego_pattern", names)
    assert correctors_of_layer("listed_random", names) == correctors_of_layer("fuego_capture", names) == both[1:]
    # a random move fills the false eye b, where a layer before would take at a instead
    boards, diagram = position(". . . l . / . . . . . / X X . . . / X O a . . / b X O . .")
    (taking,), (eye,) = diagram.marks["a"], diagram.marks["b"]
    spared, corrected = (distribution(make_policy(name), boards[0]) for name in ("fuego1585_listed_no_cap", "no_cap"))
    assert spared[eye] == spared[taking] > 0 == corrected[eye]


@pytest.mark.parametrize("name", [name for name in POLICIES if name.startswith("fuego1585_only_")])
def test_additive_variants_of_revision_1585_correct_self_ataris_besides(name: str) -> None:
    ours, theirs = make_policy(name.removeprefix("fuego1585_")), make_policy(name)
    assert theirs.layers == ours.layers
    assert theirs.correctors == make_policy("fuego1585_random").correctors == ("self_atari_correction",)


@pytest.mark.parametrize("name", ["fuego", "random", "crazystone"])
def test_without_a_move_the_policy_passes(name: str) -> None:
    board = new_board(2)
    board[0]["num_empty"] = 0
    workspace = new_playout_workspace(2)
    assert make_policy(name).choose(board[0], workspace[0]) == PASS


def test_policies_compiled_in_one_process_are_found_in_the_next(tmp_path: Path) -> None:
    code = (
        "from miai.engine.go.board import new_board; from miai.playouts.policy import make_policy;"
        "from miai.playouts.workspace import new_playout_workspace;"
        "choose = make_policy('only_cap').choose; choose(new_board(5)[0], new_playout_workspace(5)[0]);"
        "print(sum(choose.stats.cache_misses.values()))"
    )
    environment = {**os.environ, "MIAI_CACHE_DIR": str(tmp_path)}
    outputs = [
        subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True).stdout
        for _ in range(2)
    ]
    assert [output.strip() for output in outputs] == ["1", "0"]
