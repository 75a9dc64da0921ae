"""The papers' experiments: plans, pieces that survive a kill, reports."""
