"""A site in a thread for real browsers; a module may have settings of its own, as `SETTINGS`."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.web.site import LiveSite, running


@pytest.fixture(scope="module")
def kept_site(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveSite]:
    """One server with a file, as long as the tests of a module run."""
    with running(tmp_path_factory.mktemp("site"), **getattr(request.module, "SETTINGS", {})) as it:
        yield it
