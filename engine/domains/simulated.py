"""Simulated game trees (Jones 2021, section 3): a domain of the search in which every move's true value is known.

A tree has no end; each node is made from a random stream of its own, seeded by the tree's index and the moves that
lead to the node, so a tree is the same in whatever order it is searched. Values are probabilities to win from the view
of the player to move at the node they belong to; compiled code keeps true ones as logits.

Where the paper leaves room or a scan of it is doubtful:

* Eq. 11 is printed with the sum up to `j = m`. Then the best move's true value would disagree with its parent's; here
  the sum goes to `m − 1`, so that `t_1 = w`.
* `x*`, the noise inherited from the parent (eq. 12), is the parent's own draw `x`, not its combined `x'`.
* Each parameter is sampled independently, `M_root` and `M_mean` as well.
* Children are shuffled: with the best move always first, ties would give it away.
"""

import functools
import math
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from miai.engine.jit import compiled
from miai.engine.random import new_stream, next_uint64, random_below, random_unit
from miai.engine.search.batched_search import WAITING, LeafBatches, batch_fields
from miai.engine.search.rule_declaration import ValueKind
from miai.engine.search.simulate import DomainFunctions
from miai.engine.search.tree import child_counts, column, make_columns, moves
from miai.engine.search.workspace import workspace_fields

MAX_DEPTH = 400
"""Moves in the tree; a simulation that gets so far is evaluated there."""

_COLUMNS = make_columns("domain", ("logit", "logit_noise"))
_LOGIT, _NOISE = (entry.number for entry in _COLUMNS)


@dataclass(frozen=True)
class TreeTest:
    """The lists from which the parameters of each tree are sampled (Jones, table 2); names as in the paper."""

    name: str
    m_root: tuple[float, ...]
    m_mean: tuple[float, ...]
    m_sd: tuple[float, ...]
    m_max: tuple[float, ...]
    t_root: tuple[float, ...]
    t_scale: tuple[float, ...]
    e_df: tuple[float, ...]
    e_par: tuple[float, ...]
    e_ch: tuple[float, ...]
    p_df: tuple[float, ...]
    p_ch: tuple[float, ...]
    p_eval: tuple[float, ...]
    p_sm: tuple[float, ...]
    c0: float
    """What the paper sets for PUCT here."""


_FREEDOMS = (2.0, 3.0, 4.0)

_A = TreeTest(
    "A",
    m_root=(10.0, 30.0, 50.0),
    m_mean=(10.0, 30.0, 50.0),
    m_sd=(5.0,),
    m_max=(100.0,),
    t_root=(0.1, 0.3, 0.5, 0.7, 0.9),
    t_scale=(0.1, 0.2, 0.3, 0.4),
    e_df=_FREEDOMS,
    e_par=(-1.0, 0.0, 1.0, 5.0),
    e_ch=(0.2, 0.3, 0.4, 0.5),
    p_df=_FREEDOMS,
    p_ch=(0.1, 0.2, 0.3),
    p_eval=(0.1, 0.2, 0.3),
    p_sm=(10.0,),
    c0=2.5,
)
_B = replace(
    _A,
    name="B",
    m_root=(200.0,),
    m_mean=(200.0,),
    m_max=(300.0,),
    t_scale=(0.1, 0.2, 0.3),
    e_ch=(0.2, 0.3),
    p_ch=(0.1, 0.2),
    p_eval=(0.1,),
    c0=6.4,
)
_C = replace(_B, name="C", m_root=(2.0,), m_mean=(2.0,), m_sd=(0.0,), m_max=(2.0,), c0=0.4)

TESTS = {test.name: test for test in (_A, _B, _C)}
"""The paper's tests by name."""

PARAMETERS = tuple(field.name for field in fields(TreeTest) if field.name not in ("name", "c0"))
"""The names of a tree's parameters."""

MAX_MOVES = 300
NUM_POINTS = 81
"""What rules take for the size of the board: that of the game for which their numbers were published."""


def sample_parameters(test: TreeTest, index: int) -> dict[str, float]:
    """Return the parameters of tree number `index` of a test, each sampled uniformly from its list."""
    rng = np.random.default_rng([ord(letter) for letter in test.name] + [index])
    return {name: float(rng.choice(getattr(test, name))) for name in PARAMETERS}


_NATURE = np.dtype([("key", "u8"), ("stream", "u8", (2,))], align=True)


@functools.cache
def simulated_workspace_dtype() -> np.dtype:
    """Return the record type of a thread's workspace."""
    return np.dtype(
        [
            ("root_key", "u8"),  # seed of the root's stream
            ("root_noise", "f8"),  # its own draw x
            *((name, "f8") for name in PARAMETERS),
            ("nature", _NATURE),  # key of the current node, and the stream that its children are made from
            ("logit", "f8"),  # its true value
            ("noise", "f8"),  # its own draw x
            ("parent_noise", "f8"),  # its parent's
            ("parent_moves", "f8"),  # how many moves its parent has
            ("candidate_logit", "f8", (MAX_MOVES,)),
            ("candidate_noise", "f8", (MAX_MOVES,)),
            *workspace_fields(MAX_MOVES, MAX_DEPTH, MAX_DEPTH),
            *batch_fields(MAX_DEPTH, MAX_MOVES),
        ],
        align=True,
    )


@compiled
def _scramble(value):
    """Scramble 64 bits (the finaliser of SplitMix64)."""
    value += np.uint64(0x9E3779B97F4A7C15)
    value = (value ^ (value >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    value = (value ^ (value >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return value ^ (value >> np.uint64(31))


@compiled
def _sigmoid(logit):
    return 1.0 / (1.0 + math.exp(-logit))


@compiled
def sample_student_t(holder, freedom):
    """Draw from Student's t-distribution (Bailey 1994, the polar method)."""
    while True:
        first = 2.0 * random_unit(holder) - 1.0
        second = 2.0 * random_unit(holder) - 1.0
        radius = first * first + second * second
        if 0.0 < radius <= 1.0:
            break
    if freedom == 4.0:
        power = 1.0 / math.sqrt(radius)
    elif freedom == 2.0:
        power = 1.0 / radius
    else:
        power = radius ** (-2.0 / freedom)
    return first * math.sqrt(freedom * (power - 1.0) / radius)


@compiled
def _sample_normal(holder):
    """Draw from the standard normal distribution (Box & Muller 1958)."""
    radius = math.sqrt(-2.0 * math.log(1.0 - random_unit(holder)))
    return radius * math.cos(2.0 * math.pi * random_unit(holder))


@compiled
def reset(workspace):
    """Go to the root."""
    workspace.nature.key = workspace.root_key
    workspace.logit = math.log(workspace.t_root / (1.0 - workspace.t_root))
    workspace.noise = workspace.root_noise
    workspace.parent_noise = 0.0
    workspace.parent_moves = workspace.m_root


@compiled
def play(workspace, tree, node):
    """Go to a child of the current node."""
    workspace.nature.key = _scramble(workspace.nature.key ^ _scramble(np.uint64(np.int64(moves(tree)[node]) + 1)))
    workspace.parent_noise = workspace.noise
    workspace.parent_moves = np.float64(child_counts(tree)[workspace.path[workspace.trace_length]])
    workspace.logit = np.float64(column(tree, _LOGIT)[node])
    workspace.noise = np.float64(column(tree, _NOISE)[node])


@compiled
def undo(workspace):
    """Undo nothing."""


@compiled
def is_over(workspace):
    """Tell that these games never end."""
    return False


@compiled
def result_of_game(workspace):
    """Return a result that is never asked for."""
    return 0.5


@compiled
def evaluate(workspace):
    """Return the static evaluation of the current node for the player to move (eqs. 12 and 13)."""
    noise = (workspace.noise - workspace.e_par * workspace.parent_noise) / math.sqrt(
        1.0 + workspace.e_par * workspace.e_par
    )
    workspace.score = 0.0
    return _sigmoid(workspace.logit - noise)


@compiled
def _num_moves(workspace):
    mean = 0.5 * (workspace.m_mean + workspace.parent_moves)
    drawn = mean + workspace.m_sd * _sample_normal(workspace.nature)
    return np.int64(max(1.0, min(workspace.m_max, math.floor(drawn + 0.5))))


@compiled
def list_candidates(workspace):
    """Make the children of the current node: true values (eq. 11), noise, static policy (eq. 14); shuffled."""
    nature = workspace.nature
    nature.stream[0] = _scramble(nature.key)
    nature.stream[1] = _scramble(nature.key + np.uint64(1)) | np.uint64(1)
    for _ in range(2):
        next_uint64(nature)
    count = _num_moves(workspace)
    workspace.num_candidates = count
    spacing = workspace.t_scale / math.sqrt(np.float64(count))
    logit = -workspace.logit
    total = 0.0
    for index in range(count):
        noise = sample_student_t(nature, workspace.e_df) * workspace.e_ch
        policy_noise = sample_student_t(nature, workspace.p_df) * workspace.p_ch + workspace.p_eval * noise
        prior = math.exp(-workspace.p_sm * _sigmoid(logit - policy_noise))
        total += prior
        # inside-out shuffle: the new child takes a random place, and what was there goes to the end
        place = random_below(nature, index + 1)
        workspace.candidate_logit[index] = workspace.candidate_logit[place]
        workspace.candidate_noise[index] = workspace.candidate_noise[place]
        workspace.candidate_prior[index] = workspace.candidate_prior[place]
        workspace.candidate_logit[place] = logit
        workspace.candidate_noise[place] = noise
        workspace.candidate_prior[place] = prior
        logit -= spacing * math.log(1.0 - random_unit(nature))
    for index in range(count):
        workspace.candidate_move[index] = index
        workspace.candidate_prior[index] /= total
        workspace.candidate_value[index] = 0.5
        workspace.candidate_weight[index] = 0.0


@compiled
def init_children(tree, first, count, workspace):
    """Remember the true value and the noise of new children."""
    for index in range(count):
        column(tree, _LOGIT)[first + index] = workspace.candidate_logit[index]
        column(tree, _NOISE)[first + index] = workspace.candidate_noise[index]


@compiled
def list_outcomes(workspace):
    """Take the static evaluations of the children for their chances to win; there are no draws."""
    scale = 1.0 / math.sqrt(1.0 + workspace.e_par * workspace.e_par)
    for index in range(workspace.num_candidates):
        noise = (workspace.candidate_noise[index] - workspace.e_par * workspace.noise) * scale
        loss = _sigmoid(workspace.candidate_logit[index] - noise)
        workspace.candidate_loss[index] = loss
        workspace.candidate_win[index] = 1.0 - loss


@compiled
def _evaluate_waiting(workspaces):
    for index in range(workspaces.shape[0]):
        if workspaces[index].leaf_state == WAITING:
            workspaces[index].leaf_result = evaluate(workspaces[index])


def evaluate_batch(leaf_batches: LeafBatches) -> None:
    """Evaluate the leaves of batches that are waiting for it."""
    for workspaces in leaf_batches.in_use():
        _evaluate_waiting(workspaces)


SIMULATED_KINDS: tuple[ValueKind, ...] = ("probability", "wdl")
"""What positions can be valued by: there are no scores."""

SIMULATED_TREES = DomainFunctions(
    reset,
    play,
    undo,
    is_over,
    result_of_game,
    list_candidates,
    evaluate,
    columns=_COLUMNS,
    init_children=init_children,
    list_outcomes=list_outcomes,
)
"""Simulated game trees as the search sees them."""


class SimulatedWorkspace:
    """The workspace of a thread, or those of a batch."""

    def __init__(self, test: TreeTest, index: int, *seeds: int, batch: int = 1) -> None:
        """Stand at the root of tree number `index` of a test; `seeds` are those of the search's own draws."""
        self.records = np.zeros(batch, dtype=simulated_workspace_dtype())
        self.record: Any = self.records[0]
        self.load(test, index, *seeds)

    def load(self, test: TreeTest, index: int, *seeds: int) -> None:
        """Stand at the root of another tree."""
        records = self.records
        for name, value in sample_parameters(test, index).items():
            records[name] = value
        records["root_key"] = new_stream(ord(test.name), index)[0]
        for place, record in enumerate(records):
            record["stream"] = new_stream(index, *seeds, *([place] if place else []))
        root = np.zeros(1, dtype=_NATURE)[0]
        root["stream"] = new_stream(ord(test.name), index, 1)
        records["root_noise"] = sample_student_t(root, self.record["e_df"]) * self.record["e_ch"]
        records["num_points"] = NUM_POINTS


def true_values(tree: Any, children: range) -> np.ndarray:
    """Return the true values of children, float64, from the view of the player who moves at their parent."""
    logits = tree["logit"][children.start : children.stop].astype(np.float64)
    return np.asarray(1.0 / (1.0 + np.exp(logits)))
