"""Findings of the luna room in the terminal."""
