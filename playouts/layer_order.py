"""The order of a policy's layers and correctors, and the named policies that follow from it. Plain Python.

After Fernando & Müller 2013, "Analyzing simulations in Monte Carlo tree search for the game of Go", table 1, and
the program they used (Enzenberger et al. 2010). `fuego` is the whole order, `no_X` leaves one layer or corrector out,
`only_X` is one layer before `random`. Where the paper is silent:

* `fuego` has `biased_pattern` and not `pattern`, which would never be reached behind it. `no_bp` puts the unweighted
  `pattern` in its place, `no_patt` has neither.
* `nakade` belongs to every other variant of `fuego`: the paper's table neither switches it off nor adds it.
* `fuego1585` and its variants are what that program, Fuego's revision 1585, had switched on: neither `nakade`, which
  section 5.2 misses, nor `clump_correction`.
* `random` and the `only_…` variants have no corrector. `fuego1585_random` and `fuego1585_only_…` correct self-ataris:
  the paper does not switch that corrector, and its results are nearer so (`docs/results/readings.md`).
* `fuego1585_listed` and its variants take random moves in a playout as that program does, from a list that is shuffled
  once (`random_list.py`), and fill no false eye either before a block around it is in atari.
* Correctors apply to whatever layer decided, `random` too. In Fuego `false_eye_to_capture` skips the moves
  of `capture` and `random`, which makes a difference only where `capture` is switched off.
"""

from typing import NamedTuple


class LayerEntry(NamedTuple):
    """A layer's line in the order. Functions are named as `module:function`, modules of this package."""

    name: str
    propose: str
    """The compiled `propose(board, workspace) -> count`, which writes legal moves to `workspace.moves`."""
    variant: str = ""
    """The X of its variants `no_X` and `only_X`; "" = it has none, or those of the layer that it is a form of."""
    is_weighted: bool = False
    """Draw by `workspace.weights`, else uniformly."""
    form_of: str = ""
    """The layer that this is a form of, dropped with it. Where this one is asked, that one is not."""
    sample: str = ""
    """A faster `sample(board, workspace) -> move` with the same distribution; PASS = nothing to propose."""
    sample_in_playout: str = ""
    """What takes its place in a playout, where a move depends on those before; "" = nothing does."""


class Corrector(NamedTuple):
    """A corrector's line in the order."""

    name: str
    correct: str
    """The compiled `correct(board, move) -> move`."""
    variant: str = ""
    """The X of its variant `no_X`; "" = it has none."""


LAYERS = (
    LayerEntry("nakade", "nakade:propose_nakade", "nakade"),
    LayerEntry("atari_capture", "atari:propose_atari_capture", "ac"),
    LayerEntry("atari_defense", "atari:propose_atari_defense", "ad"),
    LayerEntry("low_lib", "low_liberties:propose_low_lib", "ll"),
    LayerEntry("fuego_low_lib", "low_liberties:propose_fuego_low_lib", form_of="low_lib"),
    LayerEntry("pattern", "pattern_moves:propose_patterns", "patt"),
    LayerEntry("biased_pattern", "pattern_moves:propose_patterns", "bp", is_weighted=True, form_of="pattern"),
    LayerEntry("capture", "capture:propose_capture", "cap"),
    LayerEntry("random", "random_moves:propose_random", sample="random_moves:sample_random"),
    LayerEntry(
        "listed_random",
        "random_moves:propose_unless_surrounded",
        form_of="random",
        sample="random_moves:sample_unless_surrounded",
        sample_in_playout="random_list:sample_listed",
    ),
)
"""The first is asked first. When none proposes a move, the policy passes."""

CORRECTORS = (
    Corrector("false_eye_to_capture", "correctors:false_eye_to_capture", "fe"),
    Corrector("self_atari_correction", "correctors:self_atari_correction"),
    Corrector("clump_correction", "correctors:clump_correction"),
)
"""In the order in which they are applied."""


class Variant(NamedTuple):
    """The names of a policy's layers and correctors, each in their order."""

    layers: tuple[str, ...]
    correctors: tuple[str, ...]


def _without(*dropped: str) -> Variant:
    left = [layer for layer in LAYERS if layer.name not in dropped and layer.form_of not in dropped]
    never_asked = {layer.form_of for layer in left}
    return Variant(
        tuple(layer.name for layer in left if layer.name not in never_asked),
        tuple(corrector.name for corrector in CORRECTORS if corrector.name not in dropped),
    )


def _family(base: str, off: tuple[str, ...], random: str, *correctors: str) -> dict[str, Variant]:
    """Return a base's F, all but what is off; R; F without each part; R with each layer."""
    switches = [part for part in (*LAYERS, *CORRECTORS) if part.variant and part.name not in off]
    prefix = "" if base == "fuego" else f"{base}_"
    stand_ins = {part.form_of: part.name for part in LAYERS if not part.variant and part.name not in off}
    return {
        base: _without(*off),
        f"{prefix}random": Variant((random,), correctors),
        **{f"{prefix}no_{part.variant}": _without(part.name, *off) for part in switches},
        **{
            f"{prefix}only_{layer.variant}": Variant((stand_ins.get(layer.name, layer.name), random), correctors)
            for layer in LAYERS
            if layer in switches
        },
    }


_OFF_IN_1585 = ("nakade", "clump_correction")
_LISTED_FORMS = ("fuego_low_lib", "listed_random")

VARIANTS = {
    **_family("fuego", _LISTED_FORMS, "random"),
    **_family("fuego1585", (*_OFF_IN_1585, *_LISTED_FORMS), "random", "self_atari_correction"),
    **_family("fuego1585_listed", _OFF_IN_1585, "listed_random", "self_atari_correction"),
}

POLICIES = (*VARIANTS, "crazystone")
"""The names of all policies."""
