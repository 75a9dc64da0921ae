"""The game of Go: points, board, rules, tactics, scoring, diagrams and files."""
