"""Playout policies: what to play when the search tree has ended.

Read in this order: `scratch` (working space), the subpolicies `nakade`, `atari`, `low_liberties`, `patterns`,
`capture`, `random_moves`, then `correctors`, `policy` (the ordered list and the named variants), `crazystone`,
`distribution` and `playout`.
"""
