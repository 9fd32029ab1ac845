"""Findings of the luna room on a page."""
