"""`viva consistency`: the consistency commands on the command line."""
