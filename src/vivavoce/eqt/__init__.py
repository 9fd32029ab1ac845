"""Explain-Query-Test: does a candidate comprehend what it can explain?"""
