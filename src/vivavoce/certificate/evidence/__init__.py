"""The evidence for a claim: e-processes, intervals, strata, history, weights."""
