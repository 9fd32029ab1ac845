"""Which questions are asked and how they are drawn."""
