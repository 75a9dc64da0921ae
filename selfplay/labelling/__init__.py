"""What a teacher, a stronger network, says of the positions of recorded games."""
