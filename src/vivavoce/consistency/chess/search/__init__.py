"""Searches for the boards with an engine's largest contradictions; compares guided with random search at equal cost."""
