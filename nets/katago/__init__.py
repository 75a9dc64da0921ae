"""KataGo's networks: what they see of a position."""
