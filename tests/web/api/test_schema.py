"""The interface for machines keeps to its own description, whatever is sent to it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from tests.web.api.running import RunningSite


@pytest.mark.parametrize("calls", [4, pytest.param(25, marks=pytest.mark.slow)])
@pytest.mark.long
def test_no_call_that_can_be_made_up_breaks_the_description(site: RunningSite, calls: int) -> None:
    import schemathesis  # takes a second, which workers without this test are spared
    from schemathesis import checks
    from schemathesis.core.result import Ok

    kept = [
        checks.not_a_server_error,
        checks.status_code_conformance,
        checks.content_type_conformance,
        checks.response_schema_conformance,
    ]
    schema = schemathesis.openapi.from_url(f"{site.url}/api/openapi.json")
    token = site.machine(f"Made up {calls}")
    headers = {"Authorization": f"Bearer {token}"}
    tried = []
    for ok in schema.get_all_operations():
        assert isinstance(ok, Ok)
        operation = ok.ok()

        @settings(max_examples=calls, deadline=None, database=None, suppress_health_check=list(HealthCheck))
        @given(case=operation.as_strategy())
        def attempt(case: schemathesis.Case[Any]) -> None:
            site.running.forget_counts()  # many calls a second are what this is about
            case.validate_response(case.call(headers=headers), checks=kept)

        attempt()
        tried.append(operation.label)
    assert len(tried) >= 7, tried
