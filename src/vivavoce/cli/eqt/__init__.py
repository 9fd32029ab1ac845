"""`viva eqt`: explain, query, test on the command line."""
