"""Speed, measured: `miai bench`."""
