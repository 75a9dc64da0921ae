"""Games as files to learn from."""
