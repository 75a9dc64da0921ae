"""KataGo's networks: their files, their inputs, and their forward pass."""
