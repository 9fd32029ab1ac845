"""Consistency tests of xiangqi and shogi engines, by the symmetries of both games."""
