"""The front door for programs: what `import miai` offers, over the engine's own types."""
