"""`viva consistency cases`: judges of legal cases."""
