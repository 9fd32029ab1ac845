"""Predictors of whether a belief changes: all those of `vafa2024`, and our own."""
