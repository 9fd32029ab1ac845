"""The search for boards on which an engine contradicts itself most: evolution beside chance, at equal cost."""
