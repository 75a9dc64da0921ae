"""The Go Text Protocol: the engine behind it, and a client for other engines."""
