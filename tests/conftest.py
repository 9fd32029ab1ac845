"""Settings that all tests share."""

from hypothesis import settings

# machines differ in speed, and a run must say the same thing twice
settings.register_profile("vivavoce", deadline=None, derandomize=True)
settings.load_profile("vivavoce")
