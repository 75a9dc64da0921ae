CRAZYSTONE_LAYERS = ("crazystone",)
choose_crazystone = None
