"""Finds the scopes of a record: built-in ones by their address, others among the given ones, by their digest."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from vivavoce.certificate.claims.claim import brief
from vivavoce.certificate.design.extension import Extension
from vivavoce.errors import BadInput, NotAtHand
from vivavoce.examination.part import OpenedTask
from vivavoce.formats.task_name import is_task
from vivavoce.formats.wording import clipped
from vivavoce.interview.scope import Scope
from vivavoce.scopes import KINDS, open_scope
from vivavoce.scopes.listed_and_endless import ListedScope, by_category
from vivavoce.scopes.questions import Question

BUILT_IN: Final = tuple(kind.prefix for kind in KINDS if kind.generator is not None or kind.material)
"""Scopes that need no file of the user."""


class Scopes:
    """The available scopes.

    Parameters
    ----------
    given: addresses as `viva certify --scope` takes them, or scopes themselves.

    >>> found = open_scope("arithmetic?digits=2")
    >>> Scopes(()).find("arithmetic?digits=2", found.digest).name
    'arithmetic?digits=2'
    """

    def __init__(self, given: Sequence[str | Scope[Question]], *, extension: Extension | None = None) -> None:
        self._given = given
        self._extension = extension
        self._known: dict[str, Any] | None = None

    def find(self, title: str, digest: str) -> Any:
        """The scope with that digest, under its title in the record. Raises `NotAtHand` with the digest if it is missing."""
        scope = self._all().get(digest) or self._built_in(title, digest)
        if scope is None:
            raise self._needed(title, digest)
        return self.titled(scope, title)

    def beginning(self, title: str, digest: str) -> Any:
        """The scope whose digest begins like this, under its title in the record. Raises `NotAtHand` if it is missing."""
        given = next((scope for known, scope in self._all().items() if known.startswith(digest)), None)
        whole = given.digest if given is not None else self._built_in_digest(title, digest)
        return self.find(title, whole or digest)

    def extended(self, extension: Extension) -> Scopes:
        """The same with a longer list of unacceptable answers."""
        return Scopes(self._given, extension=extension)

    def _opened(self, given: str | Scope[Question]) -> list[Any]:
        results, extension = _opened(given), self._extension
        return results if extension is None else [extension.scope(scope) for scope in results]

    @staticmethod
    def titled(scope: Any, title: str) -> Any:
        """The scope under its title in the record."""
        return replace(scope, name=title)

    @property
    def opened(self) -> Sequence[Any]:
        """The given scopes."""
        return list(self._all().values())

    def address(self, title: str, digest: str) -> str:
        """The address that was given for the scope with that digest; it must have that title, folders aside."""
        for given in self._given:
            if isinstance(given, str) and brief(given) == title and digest in {scope.digest for scope in _opened(given)}:
                return given
        if is_task(title) and (task := self._all().get(digest)) is not None:
            return str(task.name)
        raise self._needed(title, digest)

    def tasks(self, names: Collection[str], digests: Collection[str]) -> Mapping[str, OpenedTask]:
        """Those with these names and digests, as tasks of Inspect."""
        results = (scope for scope in self.opened if is_task(scope.name) and scope.name in names and scope.digest in digests)
        return {scope.name: OpenedTask(scope) for scope in results}

    def _needed(self, title: str, digest: str) -> NotAtHand:
        given = "; none of the given scopes has it" if self._given else ""
        return NotAtHand(
            f"the scope '{clipped(title, 200)}' with the digest {clipped(digest, 64)} is needed: give it with --scope{given}"
        )

    def _all(self) -> dict[str, Any]:
        if self._known is None:
            opened = [entry for given in self._given for entry in self._opened(given)]
            parts = [part for scope in opened for part in _parts(scope)]
            self._known = {scope.digest: scope for scope in (*parts, *opened)}
        return self._known

    def _built_in_digest(self, title: str, digest: str) -> str:
        """The whole digest of a built-in scope that begins like this; empty for other scopes."""
        if title.partition("?")[0] not in BUILT_IN:
            return ""
        return next((scope.digest for scope in self._opened(title) if scope.digest.startswith(digest)), "")

    def _built_in(self, title: str, digest: str) -> Any:
        if title.partition("?")[0] not in BUILT_IN:
            return None
        return next((scope for scope in self._opened(title) if scope.digest == digest), None)


def _opened(given: str | Scope[Question]) -> list[Any]:
    """Under both rules for a score of 0: the digest decides."""
    if not isinstance(given, str):
        return [given]
    return [open_scope(given, zero_is_unacceptable=strict) for strict in (False, True)]


def _parts(scope: Any) -> tuple[ListedScope, ...]:
    """Its categories as scopes; none if it has no categories."""
    if not isinstance(scope, ListedScope):
        return ()
    try:
        return by_category([scope])
    except BadInput:
        return ()
