"""Speed of the hot paths, beside that of peers."""
