"""`viva consistency laws, score, ask, make, review`: forecasts and the laws between them."""
