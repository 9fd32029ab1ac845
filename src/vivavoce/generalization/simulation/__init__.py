"""A survey by stages, rehearsed on synthetic people whose generalisation is known."""
