"""`viva probe`: an oral examination that follows up, finds failures, and says how often they happen."""
