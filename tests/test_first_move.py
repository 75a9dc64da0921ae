"""What a program loads up to its first move."""

import subprocess
import sys

SCRIPT = """
import sys

import numba
import numpy as np

import miai

miai.Player("fuego", simulations=2).choose(miai.Game(5))
assert "scipy.linalg" not in sys.modules
product = numba.njit(lambda a, b: a @ b)(np.eye(3), np.arange(9.0).reshape(3, 3))
assert (product == np.arange(9.0).reshape(3, 3)).all()
assert "scipy.linalg" in sys.modules
"""


def test_linear_algebra_is_loaded_only_by_compiled_code_that_uses_it() -> None:
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
