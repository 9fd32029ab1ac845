"""Contradictions of chess engines on a page."""
