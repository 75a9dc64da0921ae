"""The Go Text Protocol: engine and client, and the `miai` command line."""
