"""The `miai` command: every subcommand, the terminal board, reviews."""
