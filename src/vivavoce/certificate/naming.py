"""What readers are told in place of the names on record: presentation alone, no part of keys, topics, terms or digests."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from vivavoce.certificate.claims import ClaimFinding
from vivavoce.certificate.verdict import brief
from vivavoce.errors import BadInput
from vivavoce.formats.wording import name_of, problem_with_name
from vivavoce.scopes.categories import parted_options

Found = TypeVar("Found", bound=ClaimFinding)


@dataclass(frozen=True, slots=True)
class Naming:
    """How readers are told of a candidate and its scopes. Raises `BadInput` for names that cannot be shown.

    >>> Naming("Support bot", {"file:support.csv": "Support questions"}).title("file:/home/me/support.csv#billing")
    'Support questions: billing'
    """

    name: str = ""
    """Of the candidate; empty: the one on record."""
    titles: Mapping[str, str] = field(default_factory=dict)
    """Of scopes, by their names on record (without folders)."""

    def __post_init__(self) -> None:
        for what, shown in (("name", self.name), *(("title", title) for title in self.titles.values())):
            if shown and (problem := problem_with_name(shown)):
                raise BadInput(f"the {what} {problem}")

    def title(self, scope: str) -> str:
        """Of a scope, or of a category of one (`SCOPE#CATEGORY`); empty where it has none."""
        whole = brief(scope)
        place, options = parted_options(whole)
        before, _, category = place.rpartition("#")
        of_all = self.titles.get(f"{before}{options and '?'}{options}", "") if before else ""
        return self.titles.get(whole) or (of_all and name_of(" ".join(f"{of_all}: {category}".split())))

    def of(self, found: Found) -> Found:
        """The finding with these names."""
        return found.named(self.name, self.title)


def names_of(**shown: str) -> dict[str, str]:
    """What readers are told in place of the names on record, as JSON values; nothing where it is these."""
    return {what: told for what, told in shown.items() if told}
