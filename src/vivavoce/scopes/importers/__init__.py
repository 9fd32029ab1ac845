"""Files of other tools as question files: a question for each of their rows, or the reason why there is none."""
