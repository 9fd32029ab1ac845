"""Compares models with people's expectations: do beliefs fit, and do people use a model where it is right?"""
