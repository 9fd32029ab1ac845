"""Texts as vectors, by words alone or by networks, and what networks need: files of numbers, models, devices."""
