"""Packages that only some commands need, and how to install them (no numba)."""

EXTRAS = {
    "botorch": "tune",
    "gpytorch": "tune",
    "gymnasium": "gym",
    "matplotlib": "experiments",
    "pettingzoo": "pettingzoo",
    "ray": "ray",
    "tensorboard": "training",
    "starlette": "web",
    "torch": "nets",
    "uvicorn": "web",
    "websockets": "web",
}
"""The extra of pyproject.toml that brings each."""


def install_line(package: str) -> str:
    """Return the command that installs a package, and miai with it, in a checkout."""
    return "pip install -c constraints.txt " + (f"'.[{EXTRAS[package]}]'" if package in EXTRAS else ".")


def describe_missing(error: ModuleNotFoundError) -> str:
    """Return in a line which package an import missed and how to install it."""
    package = (error.name or str(error)).partition(".")[0]
    return f"this needs {package}, which is not installed: {install_line(package)}"
