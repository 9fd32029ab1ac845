"""The questions that people would use a model for, as rows of a scope file, from what was asked for on the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from vivavoce.cli.generalization_align import Order
    from vivavoce.generalization.answers import Answers
    from vivavoce.generalization.deployment_file import Written


def questions_used(
    order: Order, answers: Answers, model: str, scope: str | None, *, whole: bool
) -> tuple[Written, dict[str, Any]]:
    """The rows to write, and what to say about them."""
    import numpy as np

    from vivavoce.cli.generalization_align import read_all
    from vivavoce.errors import BadInput
    from vivavoce.generalization.align import believed, graded
    from vivavoce.generalization.deployment import NEXT_TO_NOTHING, distribution, effective, unused
    from vivavoce.generalization.deployment_file import right_answers, scope_rows
    from vivavoce.generalization.estimated_beliefs import averages

    pairs = read_all(order.files)
    beliefs, _ = averages(pairs, order.beliefs, rng=np.random.default_rng(order.seed), among=order.among)
    people = believed(pairs, beliefs)
    (rule,) = order.rules
    used = distribution(people, graded(people, answers.of(model), model), rule)
    known: Any = right_answers(order.files) if scope is None else _questions(scope)
    written = scope_rows((*used, *(unused(people, used) if whole else ())), known)
    weights = [row["weight"] for row in written.rows if row["weight"] > NEXT_TO_NOTHING]
    if not written.rows:
        where = "the files of pairs, which would have columns answer1 and answer2" if scope is None else f"'{scope}'"
        raise BadInput(f"the right answer to none of {len(used)} questions is in {where}: name their scope with --scope")
    told = {
        "model": model,
        "rule": rule.name,
        "questions": len(weights),
        "unused": len(written.rows) - len(weights),
        "effective": effective(weights),
        "left_out": written.left_out,
        "share": written.share,
    }
    return written, told


def _questions(scope: str) -> dict[str, dict[str, Any]]:
    """The questions of a scope as rows of a scope file, by key."""
    from vivavoce.certificate.scopes import open_scope
    from vivavoce.certificate.scopes.listed import ListedScope
    from vivavoce.errors import BadInput
    from vivavoce.generalization.answers import key_of
    from vivavoce.generalization.cards import wording

    opened = open_scope(scope)
    if not isinstance(opened, ListedScope):
        raise BadInput(f"'{scope}' is endless: give a scope that is a list of questions")
    found = {}
    for one in opened.questions:
        row = {"id": one.id, "question": one.text, "options": list(one.options), "answer": list(one.accepted)}
        more = {"category": one.category, "idk_score": one.dont_know_score, "ridiculous": list(one.ridiculous)}
        found[key_of(wording(one))] = {name: value for name, value in (row | more).items() if value}
    return found
