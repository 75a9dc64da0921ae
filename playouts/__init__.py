"""Playout policies: what to play when the search tree has ended.

Read in this order: `workspace` (the record that compiled code passes around), the subpolicies `nakade`, `atari`,
`low_liberties`, `patterns`, `capture`, `random_moves`, then `correctors`, `layer_order` (the order and the named
variants), `policy` (what composes them), `crazystone`, `distribution` and `playout`. `fuego1585` has the same of
Fuego's revision 1585, rule by rule.
"""
