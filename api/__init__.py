"""miai: a Go engine and search workbench."""
