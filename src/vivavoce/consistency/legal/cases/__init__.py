"""Decisions on cases: does a classifier decide otherwise when one fact of a case is only paraphrased?"""
