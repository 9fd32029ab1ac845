"""Engines of xiangqi, shogi, Go and backgammon, and the symmetries that each game has."""
