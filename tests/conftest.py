"""Settings and fixtures that all tests share."""

from hypothesis import settings

from tests.postgres import postgres_address as postgres_address
from tests.postgres import postgres_server as postgres_server

# machines differ in speed, and a run must say the same thing twice
settings.register_profile("vivavoce", deadline=None, derandomize=True)
settings.load_profile("vivavoce")
