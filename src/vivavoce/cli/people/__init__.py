"""`viva people`: the generalization room on the command line."""
