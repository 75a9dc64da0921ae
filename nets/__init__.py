"""Neural networks that value positions."""
