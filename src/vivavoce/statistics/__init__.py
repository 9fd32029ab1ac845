"""Bounds, e-processes, confidence sequences and sample sizes; arrays in, numbers out, nothing about questions."""
