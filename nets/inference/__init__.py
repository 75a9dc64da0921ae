"""Networks at work: batches of positions in, values out, by whatever runs fastest here.

`make_backend` chooses; torch and OpenVINO are imported only by the backend that uses them.
"""

from miai.nets.inference.backend import BACKENDS, Backend, BackendError, Outputs
from miai.nets.inference.choice import available_backends, check_backend, make_backend

__all__ = ["BACKENDS", "Backend", "BackendError", "Outputs", "available_backends", "check_backend", "make_backend"]
