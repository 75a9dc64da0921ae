"""Playout policies: what to play when the search tree has ended.

Read in this order: `workspace` (the record that compiled code passes around), the subpolicies `nakade`, `atari`,
`low_liberties`, `patterns`, `capture`, `random_moves`, `random_list`, then `correctors`, `layer_order` (the order and
the named variants), `policy` (what composes them), `crazystone`, `distribution` and `playout`.
"""
