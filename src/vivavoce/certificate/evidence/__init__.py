"""The evidence on a claim: e-processes, intervals, strata, history, weights."""
