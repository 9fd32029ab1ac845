"""Engines against the known truth: endings that are solved, by retrograde analysis of our own or by Syzygy tables."""
