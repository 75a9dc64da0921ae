"""Long runs, `pytest -m slow tests/soak`: random kills, and a web server whose client comes and goes."""
