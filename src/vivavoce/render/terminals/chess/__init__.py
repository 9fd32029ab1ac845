"""Contradictions of chess engines in the terminal."""
