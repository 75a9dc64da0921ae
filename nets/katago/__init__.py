"""KataGo's networks: their files, what they see of a position, and their forward pass."""
