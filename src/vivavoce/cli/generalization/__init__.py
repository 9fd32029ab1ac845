"""`viva generalization`: the generalization room on the command line."""
