"""What miai learns from games: matches, and patterns fitted to games it played."""
