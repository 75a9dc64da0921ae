"""The playouts of Fuego's revision 1585, the program of Fernando & Müller 2013, move by move.

`rules` says what it never plays, `layers` and `patterns` what it proposes, `correctors` what they replace,
`random_list` how it comes to random moves, `prior` what its search knows of moves before it has tried them.
"""
