"""Certificates on a page."""
