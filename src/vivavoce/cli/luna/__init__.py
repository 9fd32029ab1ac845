"""`viva luna`: the game, its ratings and its predictions on the command line."""
