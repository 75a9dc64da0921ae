"""Holden: search by dominance, his opening example and his claims."""
