"""Which questions are asked and how they are drawn: populations, strata, weights, clusters and history."""
