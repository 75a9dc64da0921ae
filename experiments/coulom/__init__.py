"""Coulom 2006: backup operators (slide “Results”) and Crazy Stone against GNU Go (table 2)."""
