"""Settings and fixtures that all tests share."""

import signal

from hypothesis import settings

from tests.postgres import postgres_address as postgres_address
from tests.postgres import postgres_server as postgres_server

# machines differ in speed, and a run must say the same thing twice
settings.register_profile("vivavoce", deadline=None, derandomize=True)
settings.load_profile("vivavoce")

# a shell may have let us begin in the background, where an interrupt is ignored; what we start would ignore it as well
signal.signal(signal.SIGINT, signal.default_int_handler)
