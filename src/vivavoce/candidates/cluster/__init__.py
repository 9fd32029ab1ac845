"""Runs a candidate on the workers of a Dask cluster; only this process draws, takes answers in order, and writes."""
