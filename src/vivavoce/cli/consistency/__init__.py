"""`viva consistency`: commands for consistency tests."""
