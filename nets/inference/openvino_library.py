"""OpenVINO, imported without the report of its use that it would send over the network.

It sends none where it believes that it runs on a build server, which the variable `CI` tells it.
"""

import os

_before = os.environ.get("CI")
os.environ["CI"] = "true"
try:
    import openvino
    from openvino import opset13 as operators
finally:
    if _before is None:
        del os.environ["CI"]
    else:
        os.environ["CI"] = _before

__all__ = ["openvino", "operators"]
