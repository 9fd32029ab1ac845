"""Rules for whole replies, which a question holds as JSON (`Question.rule`): promptfoo's, lm-evaluation-harness's, Inspect's.

Such a question is asked unchanged, without instructions on how to end the reply; only its own text may give them.
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import TYPE_CHECKING, Annotated, Final

from pydantic import Field, TypeAdapter, ValidationError

from vivavoce.errors import BadInput, MissingExtra
from vivavoce.formats.wording import first_problem

if TYPE_CHECKING:
    from vivavoce.scopes.rules.assertions import Assertions
    from vivavoce.scopes.rules.scorers import Extraction, Scorer

RULES: Final = "rules 1"
"""Part of the digest of every scope with rules; it changes whenever a rule scores differently."""
_EXAMPLE: Final = '{"kind": "scorer", "scorer": "includes", "targets": ["Rome"]}'


@cache
def _kinds() -> TypeAdapter[Assertions | Extraction | Scorer]:
    from vivavoce.scopes.rules.assertions import Assertions  # slow to import, and most scopes have no rules
    from vivavoce.scopes.rules.scorers import Extraction, Scorer

    return TypeAdapter(Annotated[Assertions | Extraction | Scorer, Field(discriminator="kind")])


@lru_cache(maxsize=8192)
def rule_of(text: str) -> Assertions | Extraction | Scorer:
    """The rule that a question's JSON states. Raises `BadInput`.

    >>> rule_of('{"kind": "scorer", "scorer": "includes", "targets": ["Rome"]}').judged("In rome.").score
    1.0
    """
    try:
        rule = _kinds().validate_json(text)
        rule.check()
    except ValidationError as error:
        raise BadInput(f"'rule' is {text[:80]!r}: {first_problem(error)}; an example: {_EXAMPLE}") from None
    except MissingExtra:
        raise
    except BadInput as error:
        raise BadInput(f"'rule': {error}") from None
    return rule
