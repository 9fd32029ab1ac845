"""The candidates and scopes that the operator offers at the start, and nothing else. A client gives one of these names exactly.
Nothing else from a client is opened, read or run: no path, address or option.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from vivavoce.candidates import close_candidate, open_candidate
from vivavoce.certificate.claims.claim import brief
from vivavoce.errors import BadInput, UnknownName
from vivavoce.formats.task_name import is_task
from vivavoce.interview.candidate import Candidate, Prompt, Reply, takes_terminal
from vivavoce.scopes import open_scope
from vivavoce.scopes.score import check_rule

LONGEST_ALIAS: Final = 60
"""Characters."""
LONGEST_GIVEN: Final = 500
"""Characters of a name from a client; longer ones are invalid."""


def parted(given: str) -> tuple[str, str]:
    """`ALIAS=NAME` as alias and name; a name by itself is its own alias.

    >>> parted("small=chat:m@http://localhost/v1?seed=1"), parted("bot:calculator?wrong=0.1")
    (('small', 'chat:m@http://localhost/v1?seed=1'), ('bot:calculator?wrong=0.1', 'bot:calculator?wrong=0.1'))
    """
    alias, equals, name = given.partition("=")
    plain = alias.isascii() and alias.replace("-", "_").isidentifier() and len(alias) <= LONGEST_ALIAS
    return (alias, name.strip()) if equals and plain else (given.strip(), given.strip())


@dataclass(frozen=True, slots=True)
class OfferedChoices:
    """Candidates and scopes by the names that clients give."""

    candidates: Mapping[str, Candidate[Prompt, Reply]]
    scopes: Mapping[str, Any]

    @classmethod
    def opened(cls, candidates: Sequence[str], scopes: Sequence[str]) -> OfferedChoices:
        """Open all candidates and scopes now, so that errors appear before a client connects. Raises `BadInput`."""
        by_name = _by_name(candidates, "candidate")
        return cls(
            {alias: _candidate(name) for alias, name in by_name.items()},
            {alias: _scope(name) for alias, name in _by_name(scopes, "scope").items()},
        )

    def candidate(self, given: str) -> Candidate[Prompt, Reply]:
        """The candidate of that name. Raises `UnknownName`."""
        if given not in self.candidates:
            raise UnknownName("candidate on this server", given[:LONGEST_GIVEN], self.candidates)
        return self.candidates[given]

    def scope(self, given: str) -> Any:
        """The scope of that name. Raises `UnknownName`."""
        if given not in self.scopes:
            raise UnknownName("scope on this server", given[:LONGEST_GIVEN], self.scopes)
        return self.scopes[given]

    def has(self, candidates: Sequence[str], named: Sequence[str]) -> bool:
        """Whether all recorded candidates and scopes with these names are among those offered."""
        names = {candidate.name for candidate in self.candidates.values()}
        titles = {brief(scope.name) for scope in self.scopes.values()}
        return bool(candidates and named) and names.issuperset(candidates) and titles.issuperset(map(brief, named))

    async def close(self) -> None:
        """Close all candidates."""
        for candidate in self.candidates.values():
            await close_candidate(candidate)


def _by_name(given: Sequence[str], what: str) -> dict[str, str]:
    result: dict[str, str] = {}
    for alias, name in map(parted, given):
        if alias in result:
            raise BadInput(f"two of the {what}s are called '{alias[:80]}': give each an alias of its own, as ALIAS=NAME")
        result[alias] = name
    return result


def _candidate(name: str) -> Candidate[Prompt, Reply]:
    candidate = open_candidate(name)
    if takes_terminal(candidate):
        raise BadInput(f"'{name[:80]}' is a person, whom agents can't examine: leave it out")
    return candidate


def _scope(name: str) -> Any:
    if is_task(name):
        raise BadInput(f"'{name[:80]}' is an Inspect task, which runs code: use 'viva certify' instead of an agent")
    scope = open_scope(name)
    for question in getattr(scope, "questions", ()):
        check_rule(question)
    return scope
