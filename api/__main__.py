"""`python -m miai` is the command `miai`."""

from miai.cli.main import main

if __name__ == "__main__":
    main(prog_name="miai")
