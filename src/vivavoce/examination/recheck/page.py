"""The page of a comparison or a gate in a recheck: the JSON that it carries, and whether it shows what that finding says."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from html import unescape
from typing import Any, Final

from markupsafe import escape

from vivavoce.errors import BadInput
from vivavoce.examination.recheck.comparison import with_versions
from vivavoce.examination.recheck.rechecked import Difference
from vivavoce.formats.wording import clipped
from vivavoce.render.page import page
from vivavoce.report.reported import Reported
from vivavoce.version import __version__

ENDINGS: Final = (".html", ".htm")
_DOCUMENT: Final = re.compile(r'<details class="document">.*?<pre>(.*?)</pre>', re.DOTALL)
_MADE: Final = re.compile(r'Made by Vivavoce ([^<]{1,40}) on <time datetime="([^"<]{1,40})">')
_COMMAND: Final = re.compile(r'<p class="note">To recheck it [^\n]*</p>\n<pre>([^<]{0,4000})</pre>')
_ANSWERS: Final = re.compile(r"<footer>\n<p>(Answers: [^<\n]{1,200})</p>")


def document_in(text: str) -> str:
    """The JSON that a page carries. Raises `BadInput` for a page that carries none.

    >>> document_in('<details class="document"><pre>{&#34;verdict&#34;: 1}</pre></details>')
    '{"verdict": 1}'
    """
    found = _DOCUMENT.search(text)
    if found is None:
        raise BadInput("this page can't be rechecked: give the JSON that --json printed")
    return unescape(found[1])


def page_differs(text: str, finding: Reported, document: Mapping[str, Any]) -> tuple[list[Difference], list[str]]:
    """Where a page is not the one that this finding has, and what could not be compared.

    text: the page.
    document: the JSON in it, which is the finding's.
    """
    made = _MADE.search(text)
    if made is None:
        return [Difference("page", "no date and no version", "the date and version of each page")], []
    if made[1] != __version__:
        return [], [f"The page was made by version {clipped(made[1], 40)}: only the JSON in it was rechecked."]
    try:
        moment = datetime.fromisoformat(made[2])
    except ValueError:
        return [Difference("page", made[2], "a date")], []
    command, answers = (unescape(one[1]) if one else "" for one in (_COMMAND.search(text), _ANSWERS.search(text)))
    if command and len(command.split()) < 3:
        return [Difference("page", clipped(command, 200), "a command")], []
    again = page([finding], made=moment, version=made[1], recheck=command, answers=answers, document=document_in(text))
    line = finding.signature.line
    again = again.replace(str(escape(line)), str(escape(with_versions(document.get("signature"), line))))
    if again == text:
        return [], []
    pairs = zip(text.splitlines(), again.splitlines(), strict=False)
    said, found = next(((one, other) for one, other in pairs if one != other), ("more or fewer lines", "others"))
    return [Difference("page", clipped(said, 200), clipped(found, 200))], []
