"""`viva luna`: commands for the game, its ratings and its predictions."""
