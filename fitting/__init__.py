"""What is fitted to games without a network: strengths of moves and shapes, outcome weights."""
