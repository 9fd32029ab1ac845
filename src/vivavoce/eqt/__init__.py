"""Explain-Query-Test (EQT): a model explains concepts, writes questions on its explanations, and answers them without these."""
