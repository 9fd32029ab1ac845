"""`viva people survey`: surveys of what people believe of a candidate."""
