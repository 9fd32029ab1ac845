"""Forecasts and the laws between them on a page."""
