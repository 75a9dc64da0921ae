"""What the game is and how it is searched; knows no network, no playout policy, no protocol."""
