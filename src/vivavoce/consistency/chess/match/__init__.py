"""A match between two engines: games from the same openings with both colours, and how much stronger one is."""
