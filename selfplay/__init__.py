"""Making games and learning from them: self-play, data files, training, and the loop of both."""
