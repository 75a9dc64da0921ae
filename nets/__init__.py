"""Neural networks that value positions; so far a place for them."""
