"""Predictors of whether a belief changes: the whole list of `vafa2024`, and our own."""
