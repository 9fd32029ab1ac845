"""Findings of the generalization room on a page."""
