"""Forecasts and the laws between them in the terminal."""
