"""Running an experiment: its plan in pieces that survive a kill, done by all cores or by Ray."""
