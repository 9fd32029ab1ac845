"""Plots in one style, each made as a figure that a page holds."""
