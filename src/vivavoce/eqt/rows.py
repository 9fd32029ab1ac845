"""What this room knows of an answer, for its row in a file of results: the key of the question, and whether it is met."""

from __future__ import annotations

from collections.abc import Sequence

from vivavoce.eqt.pipeline import Table
from vivavoce.eqt.topics import concept_topic, question_topic
from vivavoce.interview.candidate import NoAnswer, Prompt
from vivavoce.interview.forms.as_printed import AsPrinted
from vivavoce.interview.forms.several_options import SeveralOptions, letters
from vivavoce.interview.forms.written_question import MultipleChoice
from vivavoce.interview.reading import read
from vivavoce.interview.results import Heard, Mark


def marks(heard: Sequence[Heard], tables: Sequence[Table]) -> list[Mark]:
    """By topic, which tells the examination as one would read it; concepts in the order in which they were to be sat.

    An answer scores 1 if it is exactly the key, else 0, as does one that could not be read or did not come.
    """
    places = {concept_topic(table.concept): place for place, table in enumerate(tables)}
    keys = {question_topic(table.concept, number): question for table in tables for number, question in table.questions.items()}
    return [_mark(one, places, keys) for one in heard]


def _mark(heard: Heard, places: dict[str, int], keys: dict[str, MultipleChoice]) -> Mark:
    levels = heard.topic.split("/")
    order = (places.get("/".join(levels[:3]), len(places)), heard.topic)
    question, put = keys.get("/".join(levels[:4])), heard.settled.put
    if question is None or not isinstance(put, Prompt) or not _is_answered(put):
        return Mark(order=order)
    answer = heard.settled.answer
    chosen = None if isinstance(answer, NoAnswer) else read(put, answer).value
    return Mark(expected=letters(question.key), score=float(chosen == question.key), order=order)


def _is_answered(put: Prompt) -> bool:
    """Whether the prompt asks for options."""
    form = put.form.form if isinstance(put.form, AsPrinted) else put.form
    return isinstance(form, SeveralOptions)
