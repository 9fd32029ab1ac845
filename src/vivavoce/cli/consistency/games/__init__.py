"""`viva consistency games`: engines of xiangqi, shogi, Go and backgammon."""
