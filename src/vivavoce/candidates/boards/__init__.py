"""Engines of board games besides chess."""
