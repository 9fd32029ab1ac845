"""Explain, query, test on a page."""
