"""Kinds of replies that the readers of options, numbers and texts treat alike, each with neighbours that must stay."""

from __future__ import annotations

import time
from collections.abc import Sequence

import pytest

from vivavoce.interview.forms.form import READ, Form
from vivavoce.interview.forms.number import Number
from vivavoce.interview.forms.one_option import OneOption
from vivavoce.interview.forms.plain import plain
from vivavoce.interview.forms.text import ShortText

ANSWERS: Sequence[tuple[Form[str], str, str]] = (
    (OneOption(("Lyon", "Paris", "Nice", "Lille")), "B", "C"),
    (Number(), "40", "41"),
    (ShortText(known=(("Berlin",), ("Bonn",))), "Berlin", "Bonn"),
)
each = pytest.mark.parametrize(("form", "first", "second"), ANSWERS, ids=["option", "number", "text"])


@each
@pytest.mark.parametrize(
    "correction",
    [
        "Antwort: {}. Nein, {}.",
        "Antwort: {}\n\nKorrektur: {}",
        "Réponse : {}. Non, {}.",
        "Réponse : {}. Pardon, {}.",
        "Respuesta: {}. Perdón, {}.",
        "Resposta: {}. Não, {}.",
        "Risposta: {}. Anzi, {}.",
        "Antwoord: {}. Nee, {}.",
        "Svar: {}. Nej, {}.",
        "Odpowiedź: {}. Nie, {}.",
        "Ответ: {}. Нет, {}.",
        "答案：{}。更正：{}。",
        "答案：{}。不对，应该是{}。",
        "答えは{}です。いや、{}です。",
        "정답: {}. 아니, {}.",
        "Answer: {}. Erratum: {}.",
        "Answer: {}. Nope, {}.",
        "Answer: {}\nFinal: {}",
        "Answer: {} → {} after checking",
        "Answer: {} was my first guess, final is {}.",
    ],
)
def test_what_is_corrected_is_not_read(form: Form[str], first: str, second: str, correction: str) -> None:
    assert form.read(correction.format(first, second)).value in (second, None)


@each
@pytest.mark.parametrize(
    "withdrawal",
    [
        ". Please ignore that.",
        "\n\nDisregard my previous answer.",
        ". Hmm, that can't be right.",
        "\n\nThat does not look right.",
        "\n\nSorry, I cannot answer this after all.",
        "\n\nHowever, I may be wrong and would rather not answer.",
        ". Actually I am not sure that is right.",
        " (wrong)",
        " (incorrect)",
    ],
)
def test_what_is_withdrawn_is_not_read(form: Form[str], first: str, second: str, withdrawal: str) -> None:
    assert form.read(f"Answer: {first}{withdrawal}").value is None
    assert form.read(f"Answer: {first}{withdrawal} Answer: {second}").value == second


@each
@pytest.mark.parametrize(
    "harmless",
    [
        "\n\nPlease ignore the spelling.",
        ". I am sure that is right.",
        ". That is correct.",
        "\n\nForget the rest.",
        "\n\nNext: check the spelling.",
        "\n\nLet me know if you have another question.",
        "\n\nLet's try another way of saying it: it fits.",
    ],
)
def test_what_is_not_withdrawn_is_read(form: Form[str], first: str, second: str, harmless: str) -> None:
    assert form.read(f"Answer: {first}{harmless}").value == first


@each
@pytest.mark.parametrize(
    "turn",
    [
        "Let me solve another one: which is it?",
        "Let's do one more.",
        "Now solve 3*3.",
        "Next: 6/2",
        "Item 3.",
        "###\n\nWhich is it?",
        "下一题",
        "第2题：",
        "次の問題：",
        "Задача 2:",
        "Let me try another: which is it?",
    ],
)
def test_a_turn_that_a_model_invents_is_not_read(form: Form[str], first: str, second: str, turn: str) -> None:
    assert form.read(f"Answer: {first}\n\n{turn}\nAnswer: {second}").value == first
    assert form.read(f"Let me think.\n{turn}\nAnswer: {second}").value == second


@each
@pytest.mark.parametrize("step", ["Let me try another approach.", "Let me solve it another way:", "Now solve for x.", "***"])
def test_a_step_of_the_reasoning_is_no_turn(form: Form[str], first: str, second: str, step: str) -> None:
    assert form.read(f"Answer: {first}\n\n{step}\nAnswer: {second}").value == second


@each
@pytest.mark.parametrize(
    "dress",
    [
        "[ANSWER]{}[/ANSWER]",
        "[ANSWER] {} [/ANSWER]",
        "<final>{}</final>",
        "<ans>{}</ans>",
        "Answer: =={}==",
        "Answer: {} 🇫🇷",
        "Answer: {} 🎉🎉",
        "Answer: {} ✅",
        "Answer: **{}** ❤️",
        "<s>{}</s>",
    ],
)
def test_dress_is_not_looked_at(form: Form[str], first: str, second: str, dress: str) -> None:
    assert form.read(dress.format(first)).value == first


@each
@pytest.mark.parametrize("struck", ["~~{}~~", "<del>{}</del>", "<strike>{}</strike>", "\\cancel{{{}}}", "\\sout{{{}}}"])
def test_what_is_struck_out_is_not_read(form: Form[str], first: str, second: str, struck: str) -> None:
    for lead in ("", "Answer: "):
        assert form.read(lead + struck.format(first)).value is None
        assert form.read(f"{lead}{struck.format(first)} {second}").value == second


@each
def test_an_object_that_says_what_went_wrong_is_no_answer(form: Form[str], first: str, second: str) -> None:
    assert form.read(f'{{"error": "{first}"}}').value is None
    assert form.read(f'{{"error": {{"code": "{first}", "message": "unavailable"}}}}').value is None
    assert form.read(f'{{"error": null, "answer": "{first}"}}').value == first


@pytest.mark.parametrize(
    "piece",
    [
        "==x",
        "x 🎉",
        "<s>x ",
        "~~x",
        "\\cancel{x",
        '{"error": ',
        "Ignore that. ",
        "Let me try another.\n",
        "Нет, ",
        "###\n",
        "应该是",
    ],
)
@pytest.mark.parametrize("lead", ["", "Answer: 1. "])
def test_hostile_replies_cost_no_time(piece: str, lead: str) -> None:
    text = lead + piece * ((READ - len(lead)) // len(piece))
    began = time.process_time()
    plain(text)
    for form, *_ in ANSWERS:
        form.read(text)
    assert time.process_time() - began < 3
