"""Renders reports as pages, terminal text, notebooks, Markdown and plots, in one style."""
