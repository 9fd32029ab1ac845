"""Attempts and their record: seeds, grades, and the rules for resuming an attempt."""
