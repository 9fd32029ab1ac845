"""Who comes to a survey: the parameters by which a platform names its participants, of which no trace is kept."""

from __future__ import annotations

import hmac
import re
from typing import Final, Literal

from starlette.datastructures import QueryParams

from vivavoce.errors import BadInput

PARAMETERS: Final = ("PROLIFIC_PID", "STUDY_ID", "SESSION_ID")
"""Of Prolific; only the first says who somebody is, and the others are looked at and dropped."""
Kind = Literal["participant", "browser"]
_ID: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")


def participant(query: QueryParams) -> str | None:
    """What the platform calls somebody; None where no platform has sent them.

    Raises `BadInput`, which does not repeat them, for parameters that no platform makes, such as placeholders that were never
    filled in.

    >>> participant(QueryParams("PROLIFIC_PID=5f00aa11&STUDY_ID=60&SESSION_ID=70")), participant(QueryParams("said=here"))
    ('5f00aa11', None)
    """
    given = {name: query.getlist(name) for name in PARAMETERS if name in query}
    if not given:
        return None
    if PARAMETERS[0] not in given or any(len(values) != 1 or not _ID.fullmatch(values[0]) for values in given.values()):
        raise BadInput("the platform's parameters are not as it makes them")
    return given[PARAMETERS[0]][0]


def pseudonym(secret: str, slug: str, kind: Kind, who: str) -> str:
    """What stands for somebody in one survey: the same each time, another in each survey, and worthless without the secret.

    Parameters
    ----------
    kind: what `who` is: a platform's name for a participant, or the random value of a browser that no platform has sent.

    >>> pseudonym("s", "trust", "participant", "5f00aa11") == pseudonym("s", "other", "participant", "5f00aa11")
    False
    """
    return hmac.new(secret.encode(), f"vivavoce survey\0{slug}\0{kind}\0{who}".encode(), "sha256").hexdigest()
