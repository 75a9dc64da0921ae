"""Playout policies: what to play when the search tree has ended.

Read in this order: `workspace` (the record that compiled code passes around), the subpolicies `nakade`, `atari`,
`low_liberties`, `patterns`, `capture`, `random_moves`, then `correctors`, `policy` (the ordered list and the named
variants), `crazystone`, `distribution` and `playout`.
"""
