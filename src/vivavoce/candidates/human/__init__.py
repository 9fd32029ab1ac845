"""`human:ALIAS`: a person as a candidate, asked one question at a time in the terminal."""
