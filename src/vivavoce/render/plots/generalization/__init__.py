"""Plots of the generalization room."""
