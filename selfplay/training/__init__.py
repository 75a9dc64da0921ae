"""Training a network from games played by miai: positions drawn from data files, losses, checkpoints."""
