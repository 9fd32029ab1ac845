"""Plots of the luna room."""
