"""Inference: batches of positions in, outputs of a network out, by the fastest backend there is.

`make_backend` chooses; torch and OpenVINO are imported only by the backend that uses them.
"""

from miai.nets.config import BACKENDS
from miai.nets.inference.backend import Backend, BackendError, Outputs
from miai.nets.inference.choice import available_backends, check_backend, make_backend

__all__ = ["BACKENDS", "Backend", "BackendError", "Outputs", "available_backends", "check_backend", "make_backend"]
