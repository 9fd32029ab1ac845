"""Bail decisions: a worse record must not win what a milder one lost."""
