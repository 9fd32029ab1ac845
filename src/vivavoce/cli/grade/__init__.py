"""`viva grade`: people grade answers."""
