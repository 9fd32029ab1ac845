"""Attempts and their record: seeds, what counts as the same attempt, grades."""
