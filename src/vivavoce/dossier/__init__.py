"""Findings as a person and a program read them: terminal, JSON, one static page."""
