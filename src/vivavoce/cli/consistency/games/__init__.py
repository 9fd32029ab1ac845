"""`viva consistency games`: engines of xiangqi and shogi."""
