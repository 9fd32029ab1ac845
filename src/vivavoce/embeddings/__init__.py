"""Embeddings of texts, by words or by neural networks, with files of numbers, models and devices."""
