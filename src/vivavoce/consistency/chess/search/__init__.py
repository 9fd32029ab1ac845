"""Search for the boards on which an engine contradicts itself most: evolution and chance at equal cost."""
