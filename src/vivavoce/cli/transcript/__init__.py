"""`viva transcript`: what is on record."""
