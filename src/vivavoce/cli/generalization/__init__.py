"""`viva generalization`: the generalization commands on the command line."""
