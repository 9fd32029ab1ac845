"""The JSON document of a finding: the keys that all kinds share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from vivavoce.formats.json_values import to_json
from vivavoce.interview.scope import Signature

FORMAT: Final = 1


def document(
    kind: str,
    *,
    statement: str,
    verdict: str | None,
    candidates: Sequence[str],
    figures: Mapping[str, object],
    caveats: Sequence[str],
    signature: Signature,
    **more: object,
) -> dict[str, Any]:
    """The document of a finding; `more` follows the keys that all documents have."""
    return {
        "kind": kind,
        "format": FORMAT,
        "version": signature.version,
        "statement": statement,
        "verdict": verdict,
        "candidates": list(candidates),
        "figures": to_json(dict(figures)),
        "caveats": list(caveats),
        "signature": signature.line,
        **to_json(more),
    }


def figures_of(document: Mapping[str, Any]) -> Mapping[str, Any]:
    """The numbers of a document; empty without any.

    >>> figures_of({"figures": {"n": 3}}), figures_of({"figures": 3})
    ({'n': 3}, {})
    """
    figures = document.get("figures")
    return figures if isinstance(figures, dict) else {}


def names_in(document: Mapping[str, Any]) -> list[str]:
    """The candidates of a document; empty without any."""
    named = document.get("candidates")
    return [name for name in named if isinstance(name, str)] if isinstance(named, list) else []
