"""Published dossiers: what is a stranger's is text, and nothing of it runs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import Engine, delete

from tests.examination.made import FAILED, PASSED, card, dossier, score
from tests.web.site import Browser, Running
from tests.web.store.players import START
from vivavoce.errors import BadInput, UnknownName
from vivavoce.web.database import transaction
from vivavoce.web.grading_tables import DOSSIERS
from vivavoce.web.store import dossiers

WHOLE = dossier(card(PASSED, FAILED, figures=(score(0.9, 0.8, 1.0),)))
HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(2)>\"'>{{7*7}}{% raw %}\x00\x1b[31m"


@pytest.fixture
def ann(site: Running) -> Iterator[Browser]:
    """Somebody who reads, on a site that has no dossiers before and after."""
    yield Browser(site.url)
    with transaction(site.engine) as c:
        c.execute(delete(DOSSIERS))


def written(found: Any = WHOLE) -> str:
    return json.dumps(found.as_json(made=START, version="0.1.0"))


def test_a_dossier_is_listed_and_read_until_it_is_taken_back(site: Running, ann: Browser) -> None:
    ann.get("/dossiers")
    assert "None is published yet." in ann.words
    with transaction(site.engine) as c:
        made = dossiers.publish(c, written(), "", START)
        assert dossiers.publish(c, written(), "another title", START) == made  # the same again
    ann.get("/dossiers")
    assert "Dossier of bot:x 1 March 2026" in ann.words or "Dossier of" in ann.words
    ann.get(f"/dossiers/{made.id}")
    for told in ("May be trusted for", "sums (required", "Not for", "0.90 [0.80, 1.00] n = 40", "It holds for sums.",
                 "viva certify bot:x --scope sums", "left out by the plan", "15 tokens"):  # fmt: skip
        assert told in ann.words, told
    assert "<script" not in ann.page
    with transaction(site.engine) as c:
        dossiers.unpublish(c, made.id)
        with pytest.raises(UnknownName):
            dossiers.unpublish(c, made.id)
    ann.get(f"/dossiers/{made.id}")
    assert ann.status == 404


def test_what_a_stranger_wrote_is_text(site: Running, ann: Browser) -> None:
    one = card(replace(PASSED, words=HOSTILE), figures=(replace(score(0.9, 0.8, 1.0), name=HOSTILE),))
    one = replace(one, statement=HOSTILE, caveats=(HOSTILE,), command=HOSTILE)
    with transaction(site.engine) as c:
        made = dossiers.publish(c, written(replace(dossier(one), candidate=HOSTILE)), HOSTILE[:200], START)
    for path in ("/dossiers", f"/dossiers/{made.id}"):
        ann.get(path)
        assert ann.status == 200
        for bad in ("<script>alert", "<img", "\x00", "\x1b", "49{"):
            assert bad not in ann.page
        assert "<script>alert(1)</script>" in ann.words


def test_what_is_no_dossier_is_not_published(engine: Engine) -> None:
    with transaction(engine) as c:
        for text in ("", "{}", "[" * 50_000, written().replace('"dossier": 1', '"dossier": 2'), " " * (dossiers.LARGEST + 1)):
            with pytest.raises(BadInput):
                dossiers.publish(c, text, "", START)
        with pytest.raises(BadInput, match="title"):
            dossiers.publish(c, written(), "x" * 201, START)
        older = dossiers.publish(c, written(), "older", START)
        newer = dossiers.publish(c, written(dossier(card(PASSED))), "newer", START + timedelta(days=1))
        assert dossiers.published(c) == [newer, older]
