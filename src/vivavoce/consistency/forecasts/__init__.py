"""Forecasts: tuples of related questions, what forecasters say to them, and how far that is from coherent."""
