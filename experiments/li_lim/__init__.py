"""Li & Lim: backup rules against each other in Go with a network (tables 1 to 5)."""
