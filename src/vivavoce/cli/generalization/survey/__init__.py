"""`viva generalization survey`: surveys of what people believe of a candidate."""
