"""The parts of an examination: their needs, costs, runs and claims."""
