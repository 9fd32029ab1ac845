"""`viva consistency`: the consistency room on the command line."""
