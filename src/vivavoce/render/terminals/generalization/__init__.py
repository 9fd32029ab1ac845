"""Findings of the generalization room in the terminal."""
