"""The workers of a Dask cluster answer for a candidate; this process draws, takes answers in order, and alone writes."""
