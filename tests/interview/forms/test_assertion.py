"""Known answers in free text: asserted or not, each frame with generated neighbours that stay the other way."""

from __future__ import annotations

import time

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from vivavoce.interview.forms.assertion import SpellingMatch, as_said, find, holds, is_contained
from vivavoce.interview.forms.plain import fold, plain
from vivavoce.interview.forms.text import ShortText

QUESTION = "What is the capital of France?"
NAMES = st.sampled_from(
    ["Paris", "Köln", "São Tomé", "DHL", "Marie Curie", "W. A. Mozart", "carbon dioxide", "14 days", "Jean-Luc"]
)
RIVALS = st.sampled_from(["Lyon", "Hermes", "Oslo", "Ada Lovelace", "nitrogen"])
ASSERTING = (
    "{a}", "{a}.", "“{a}”", "«{a}»", "„{a}“", "**{a}**", "__{a}__", "Answer: {a}", "Answer: <{a}>", "<answer>{a}</answer>",
    "\\boxed{{\\text{{{a}}}}}", '```json\n{{"answer": "{a}"}}\n```', "{a}</s>", "Answer: {a}<|im_end|>", "[Answer] {a}",
    "The answer is {a}.", "It's {a}.", "It is {a}.", "I think it is {a}.", "It is certainly {a}.", "Sure! It is {a}.",
    "{a}, of course.", "{a} is the one.", "{a} was it, as always.", "No doubt: {a}.", "{a} (see above)", "{a}: no other fits.",
    "It is {a}, not {b}.", "Not {b}, but {a}.", "It is not {b}, it is {a}.", "It is brought by {a}, not by {b}.",
    "It is in {a}.", "In {a}.", "Good question! It is {a}.", "It is {a}, because nothing else fits.",
    "{a}\n\nExplanation: so it is.",
    "Die Antwort ist {a}.", "La réponse est {a}.", "答案是{a}。", "I was torn, but the answer is {a}.", "We say {a}",
    "{a} it is.", "{a}, without a doubt.", "That would be {a}.", "It is not {b}. It is {a}.", "- {a}", "Probably {a}.",
    "{a} ✅",
    "The capital of France is called {a}.", "The capital of France rose as {a}",
    "Answer: {b}\nWait.\nAnswer: {a}", "The answer is {b}. No, the answer is {a}.", "{a}\n\nQuestion: Which next?\nAnswer: {b}",
)  # fmt: skip
NOT_ASSERTING = (
    "Not {a}", "It is not {a}.", "It isn't {a}.", "Anything but {a}", "Answer: anything but {a}", "{a}? No, {b}.",
    "{a}? Maybe.",
    "{b} (formerly {a})", "{a} (wrong)", "{a} is wrong.", "{a} is incorrect; it is {b}", "The wrong answer is {a}",
    "The incorrect answer is {a}.", "{a}? I don't think so.", "The opposite of {a}", "Excluding {a}", "Unlike {a}, {b}",
    "Many people think it is {a}. In fact it is {b}.", "Previously {a}", "Far from {a}", "{a} was wrong", "near {a}",
    "{a} or {b}", "{b} or {a}", "Either {a} or {b}", "It might be {a}", "It could be {a}", "Perhaps {a}", "bigger than {a}",
    "The capital is {b}. {a} is nice.", "{a} used to be it.", "{a} has never been it.", "Answer: {a}\nNo, {b}",
    "Answer: {a}. Wait, no: {b}.",
    "Is it {a}?", "If it were {a}, I would know.", "Not {a}. Answer: {b}", "It is {b} rather than {a}.", "Some say {a}.",
    "It is called {b}, and not {a}.", "I doubt it is {a}.", "Answer: {b}, not {a}", "{a}{a}", "{a}ton", "{a}, {b}",
    "{a} and {b}",
    "Die Antwort ist nicht {a}.", "Ce n'est pas {a}.", "Risposta: non {a}", "Ответ: не {a}", "De juiste is niet {a}",
    "hardly {a}",
    "❌ {a}", "≠ {a}", "false: {a}", "{a} (no)", "{a} is unlikely.", "{a} can be excluded.", "I refuse to say {a}.", "East {a}",
    "{b}, 600 km from {a}", "{b}, as opposed to {a}", "the mayor of {a}", "{b}. {a} is only a guess.", "{b}; {a}", "{a}\n{b}",
    "My colleague thinks it is {a}.", "You said {a}.", "Your guess was {a}.", "Options: {a}", "It rhymes with {a}.",
    "fool's {a}",
    "Confused with {a}", "instead of {a}", "No longer {a}", "It is {a} only if it rains, else {b}.",
)  # fmt: skip


@pytest.mark.parametrize("frame", ASSERTING)
@settings(max_examples=12)
@given(a=NAMES, b=RIVALS)
def test_what_is_stated_is_read(frame: str, a: str, b: str) -> None:
    reply = frame.format(a=a, b=b)
    reading = ShortText(known=((a,),), question=QUESTION).read(reply)
    assert reading.value is not None, reply
    assert fold(reading.value) == fold(a), reply


@pytest.mark.parametrize("frame", NOT_ASSERTING)
@settings(max_examples=12)
@given(a=NAMES, b=RIVALS)
def test_what_is_denied_hedged_or_one_of_two_is_not(frame: str, a: str, b: str) -> None:
    reply = frame.format(a=a, b=b)
    value = ShortText(known=((a,),), question=QUESTION).read(reply).value
    assert value is None or fold(value) != fold(a), reply


@settings(max_examples=12)
@given(a=NAMES, b=RIVALS)
def test_of_two_known_answers_the_stated_one_is_read_and_both_are_none(a: str, b: str) -> None:
    form = ShortText(known=((a,), (b,)))
    assert fold(form.read(f"It is {a}, not {b}.").value or "") == fold(a)
    assert form.read(f"It is {a}. It is {b}.").value is None


@given(name=st.text(st.characters(categories=["L"]), min_size=2, max_size=12))
def test_any_name_is_read_alone_and_never_inside_a_longer_word(name: str) -> None:
    assume(fold(name) == name.casefold())
    assert find(plain(name), [name]) is SpellingMatch.ASSERTED
    assert find(plain(f"x{name}x"), [name]) is SpellingMatch.ABSENT


@pytest.mark.parametrize(
    ("reply", "follows"),
    [
        ("Paris, France", True),
        ("Paris, Texas", False),
        ("Paris Hilton", False),
        ("Paris fashion", False),
        ("Paris lies there", False),
    ],
)
def test_what_may_follow_a_name(reply: str, follows: bool) -> None:
    assert (find(reply, ["Paris"], question=QUESTION) is SpellingMatch.ASSERTED) == follows


@pytest.mark.parametrize(
    ("accepted", "reply"),
    [
        ("Besançon", "Besanc\u0327on"), ("São Tomé", "Sa\u0303o Tome\u0301"), ("Jean-Luc", "Jean‑Luc"), ("Jean-Luc",
        "Jean－Luc"),
        ("L'Aquila", "L’Aquila"), ("42 km", "４２ km"), ("Straße", "STRASSE"), ("Paris", "Par\u00adis"), ("x^2", "x²"), ("ﬁsh",
        "fish"),
    ],
)  # fmt: skip
def test_unicode_spellings_are_one_text(accepted: str, reply: str) -> None:
    assert find(plain(f"Answer: {reply}").removeprefix("Answer: "), [accepted]) is SpellingMatch.ASSERTED


def test_as_said_and_contained() -> None:
    assert as_said("It is PARIS", "paris") == "PARIS"
    assert is_contained("You need carbon dioxide for that.", ["Carbon dioxide"])
    assert not is_contained("This is not Paris", ["Paris"])
    assert holds("This is not Paris", ["Paris"])


def test_a_long_reply_takes_no_long_time() -> None:
    text = "it is not paris, or paris, but paris " * 2_000
    began = time.process_time()
    find(text, ["Paris", "the city of Paris"], question=QUESTION)
    assert time.process_time() - began < 2
