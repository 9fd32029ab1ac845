"""Findings as a person reads them: terminal, one static page, plots in one style."""
