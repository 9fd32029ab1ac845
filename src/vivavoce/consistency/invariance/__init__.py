"""Invariances: does an answer stay the same when what must not matter is varied?"""
