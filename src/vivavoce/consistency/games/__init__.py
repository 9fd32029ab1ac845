"""Engines of xiangqi and shogi, and the symmetries of both games."""
