"""`--draws N`: each question is answered afresh N times, and the claim is about probabilities."""
