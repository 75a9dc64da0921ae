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
* `fuego1585_listed` and its variants are that program rule by rule, each layer and corrector in its form
  (`fuego1585/`). Random moves come from a list that is shuffled once.
* Correctors apply to whatever layer decided, `random` too. Revision 1585's `false_eye_to_capture` leaves the moves of
  `capture` and `random` alone.
"""

from collections.abc import Mapping
from types import MappingProxyType
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
    form_of: str = ""
    """The corrector in whose place it is applied."""
    spares: tuple[str, ...] = ()
    """Layers whose moves it leaves alone. Those that spare none are applied after it."""


LAYERS = (
    LayerEntry("nakade", "nakade:propose_nakade", "nakade"),
    LayerEntry("atari_capture", "atari:propose_atari_capture", "ac"),
    LayerEntry("atari_defense", "atari:propose_atari_defense", "ad"),
    LayerEntry("low_lib", "low_liberties:propose_low_lib", "ll"),
    LayerEntry("pattern", "pattern_moves:propose_patterns", "patt"),
    LayerEntry("biased_pattern", "pattern_moves:propose_patterns", "bp", is_weighted=True, form_of="pattern"),
    LayerEntry("capture", "capture:propose_capture", "cap"),
    LayerEntry("random", "random_moves:propose_random", sample="random_moves:sample_random"),
)
"""The first is asked first. When none proposes a move, the policy passes."""

CORRECTORS = (
    Corrector("false_eye_to_capture", "correctors:false_eye_to_capture", "fe"),
    Corrector("self_atari_correction", "correctors:self_atari_correction"),
    Corrector("clump_correction", "correctors:clump_correction"),
)
"""In the order in which they are applied."""

FUEGO_LAYERS = (
    LayerEntry("fuego_atari_capture", "fuego1585.layers:propose_atari_capture", form_of="atari_capture"),
    LayerEntry("fuego_atari_defense", "fuego1585.layers:propose_atari_defense", form_of="atari_defense"),
    LayerEntry("fuego_low_lib", "fuego1585.layers:propose_low_lib", form_of="low_lib"),
    LayerEntry("fuego_pattern", "fuego1585.pattern_moves:propose_patterns", form_of="pattern"),
    LayerEntry(
        "fuego_biased_pattern",
        "fuego1585.pattern_moves:propose_patterns",
        is_weighted=True,
        form_of="biased_pattern",
    ),
    LayerEntry("fuego_capture", "fuego1585.layers:propose_capture", form_of="capture"),
    LayerEntry(
        "listed_random",
        "fuego1585.random_list:propose_playable",
        form_of="random",
        sample="fuego1585.random_list:sample_playable",
        sample_in_playout="fuego1585.random_list:sample_listed",
    ),
)
FUEGO_CORRECTORS = (
    Corrector(
        "fuego_false_eye_to_capture",
        "fuego1585.correctors:false_eye_to_capture",
        form_of="false_eye_to_capture",
        spares=("fuego_capture", "listed_random"),
    ),
    Corrector(
        "fuego_self_atari_correction", "fuego1585.correctors:self_atari_correction", form_of="self_atari_correction"
    ),
)
"""Those of Fuego's revision 1585, each in the place of the one that it is a form of."""


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


def _family(
    base: str, off: tuple[str, ...], correctors: tuple[str, ...] = (), forms: Mapping[str, str] = MappingProxyType({})
) -> dict[str, Variant]:
    """Return a base's F, all but what is off; R; F without each part; R with each layer.

    Args:
        base: its name.
        off: layers and correctors that none of them has.
        correctors: those of R and of R with each layer.
        forms: what stands in for layers and correctors, by their names.
    """
    switches = [part for part in (*LAYERS, *CORRECTORS) if part.variant and part.name not in off]
    prefix = "" if base == "fuego" else f"{base}_"
    variants = {
        base: _without(*off),
        f"{prefix}random": Variant(("random",), correctors),
        **{f"{prefix}no_{part.variant}": _without(part.name, *off) for part in switches},
        **{
            f"{prefix}only_{layer.variant}": Variant((layer.name, "random"), correctors)
            for layer in LAYERS
            if layer in switches
        },
    }
    return {
        name: Variant(*(tuple(forms.get(part, part) for part in parts) for parts in variant))
        for name, variant in variants.items()
    }


_OFF_IN_1585 = ("nakade", "clump_correction")

VARIANTS = {
    **_family("fuego", ()),
    **_family("fuego1585", _OFF_IN_1585, ("self_atari_correction",)),
    **_family(
        "fuego1585_listed",
        _OFF_IN_1585,
        ("self_atari_correction",),
        {part.form_of: part.name for part in (*FUEGO_LAYERS, *FUEGO_CORRECTORS)},
    ),
}

POLICIES = (*VARIANTS, "crazystone")
"""The names of all policies."""
