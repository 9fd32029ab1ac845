"""Attempts on record: their terms, grades and outcomes, and what can be recomputed from them."""
