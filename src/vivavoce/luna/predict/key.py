"""The answer key that question-based features compare with, made from answers where nobody wrote one."""

from __future__ import annotations

from collections import Counter

from vivavoce.luna.predict.answers import Answer, People
from vivavoce.luna.predict.texts import content_words

Key = tuple[tuple[str, ...], ...]
"""Content words of the right answer, by question."""


def answer_key(people: People) -> Key:
    """For each question the commonest answer among those with the highest grade; without grades, of all answers.

    The data behind `silver2016` come with no key, and the thesis does not say what it took for one. Answers are alike if their
    content words are; an answer without any counts only where there is no other. Of equally common ones the first is taken.

    >>> from vivavoce.luna.predict.answers import people_of
    >>> graded = [("Ann", "Paris.", 1.0), ("Bob", "Rome", 0.0), ("Cyd", "Rome", 0.0), ("Dan", "paris", 1.0)]
    >>> answer_key(people_of(Answer(person, "Capital of France?", text, grade) for person, text, grade in graded))
    (('paris',),)
    """
    by_question: dict[str, list[Answer]] = {}
    for answer in people.answers:
        by_question.setdefault(answer.question, []).append(answer)
    return tuple(_commonest(by_question[question]) for question in people.questions)


def keys_of(people: People) -> tuple[Key, ...]:
    """One key or several: what somebody has written down as right, and for other questions that of `answer_key`.

    Of a question with fewer right answers than another, the last stands in the further keys too.

    >>> from vivavoce.luna.predict.answers import people_of
    >>> people = people_of([Answer("Ann", "1", "blue", 1.0), Answer("Ann", "2", "four", 1.0)])
    >>> keys_of(People(people.answers, people.ratings, {"1": ("azure sky", "blue")}))
    ((('azure', 'sky'), ('four',)), (('blue',), ('four',)))
    """
    common = answer_key(people)
    given = [
        tuple(words for text in people.references.get(question, ()) if (words := content_words(text))) or (usual,)
        for question, usual in zip(people.questions, common, strict=True)
    ]
    return tuple(
        tuple(right[min(number, len(right) - 1)] for right in given) for number in range(max(map(len, given), default=1))
    )


def _commonest(answers: list[Answer]) -> tuple[str, ...]:
    best = max(answer.grade or 0.0 for answer in answers)
    counted = Counter(content_words(answer.text) for answer in answers if (answer.grade or 0.0) == best)
    counted.pop((), None)
    return counted.most_common(1)[0][0] if counted else ()
