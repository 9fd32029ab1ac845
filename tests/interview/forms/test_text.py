"""Short texts as replies, known answers in free text, and kinds of replies that all readers treat alike."""

from __future__ import annotations

import time
from collections.abc import Sequence

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.each_case import each_case
from vivavoce.interview.forms.assertion import SpellingMatch, as_said, find, holds, is_contained
from vivavoce.interview.forms.form import DONT_KNOW, READ, Outcome, ReplyForm
from vivavoce.interview.forms.number import Number
from vivavoce.interview.forms.one_option import OneOption
from vivavoce.interview.forms.plain import fold, plain
from vivavoce.interview.forms.spellings import spellings_of, unaccented
from vivavoce.interview.forms.text import ShortText
from vivavoce.interview.forms.yes_no import read_yes_no

FORM = ShortText()


@each_case(
    ("reply", "text"),
    [
        ("Paris", "Paris"), ("**Paris.**", "Paris"), ("Answer: Paris", "Paris"),
        ("Well.\nThe answer is Paris.", "Paris"),
        ("Answer: ] ) >", "] ) >"), ("> ]", "> ]"), ("\\boxed{\\text{Paris}}", "Paris"), ("one\ntwo", ""),
        ("", ""), ("...", "..."),
    ],
)  # fmt: skip
def test_reads_texts(reply: str, text: str) -> None:
    assert (FORM.read(reply).value or "") == text


def test_folding() -> None:
    assert fold("  The “Sea” ") == fold("the “sea”")
    assert fold("...") == "..."


@given(st.text(max_size=300))
def test_reading_never_raises_and_gives_a_text_or_nothing(reply: str) -> None:
    reading = FORM.read(reply)
    assert (reading.outcome is Outcome.ANSWER) == bool(reading.value)


NAMES = st.sampled_from(["Rembrandt", "Marie Curie", "Kepler", "Verdi", "Ada Lovelace"])
OTHERS = st.sampled_from(["Vermeer", "Lise Meitner", "Brahe", "Puccini"])


def read(reply: str, name: str, question: str = "Who was it?") -> str | None:
    return ShortText(known=((name,),), question=question).read(reply).value


STATED = (
    "It was made by {} between 1503 and 1519.", "It was made by {}, signed in the year of the fire.", "Hi there! It was {}.",
    "Sure thing! {}.", "Who? {}, of course.", "Name: {}\nYear: 1642", "1. {}", "This is known as {}, in which much happens.",
    "## Answer\n\n{}\n\n## Explanation\n\nIt is told in all books of the time.", "<reply><name>{}</name></reply>",
    "Great question! It's {}, not Dürer.", "Not Dürer, not Holbein: {}.", "It was by {} and shown in 1642.",
    "Es war nicht Dürer, sondern {}.", "Ce n'est pas Dürer mais {}.", "C'est l'œuvre d'{}.", "{}, nicht Dürer.",
    "```text\n{}\n```", "作者是{}。", "画家は{}です。",
)  # fmt: skip
NOT_STATED = (
    "It was made by a pupil of {}.", "It was made in the style of {}.", "It was made by the teacher of {}.",
    "It was made after {}.", "It was copied from {}.", "{} ist es jedenfalls nicht.", "Das stammt keineswegs von {}.",
    "{} (scratch that: Dürer)", "{}, I mean, Dürer.", "{} is out of the question.", "{} fails the second test.",
    "{} can be eliminated.", "{} is a red herring.", "Suppose the answer is {}.", "Pretend the answer is {}.",
    "If it were older, the answer would be {}.", "The answer would have been {} in 1939.", "I wish it were {}.",
    "Reply with a name, for example: {}", "Format your reply like this:\nAnswer: {}", 'Please reply in the form "Answer: {}".',
    "Your reply should end with a line such as:\nAnswer: {}", "Answer: {} (example)", "Yeah right, it was {}.",
    "The one who did it is Dürer; {} was his rival.", "Dürer is the painter. {} came later.", "绝不是{}。",
    "It is waiting to be {}.",
)  # fmt: skip


@given(NAMES, st.sampled_from(STATED), st.sampled_from(NOT_STATED))
def test_a_name_is_read_where_it_is_stated_and_not_where_it_is_not(name: str, stated: str, not_stated: str) -> None:
    assert read(stated.format(name), name) == name
    assert read(not_stated.format(name), name) != name


@given(NAMES, OTHERS)
def test_what_someone_is_to_another_is_an_answer_where_it_is_asked_for(name: str, other: str) -> None:
    text = f"It was made by a pupil of {name}."
    assert read(text, name, "Who painted it?") is None
    assert read(text, name, "A pupil of which painter made it?") == name
    assert read(f"It was made by {name}, a pupil of {other}.", name, "Who painted it?") == name


@each_case(
    ("accepted", "text"),
    [
        ("São Paulo", "Sao Paulo"), ("Köln", "Koeln"), ("Köln", "Koln"), ("Reykjavik", "Reykjavík"), ("US", "The U.S. did."),
        ("The Beatles", "beatles"), ("Beatles", "The Beatles"), ("CO2", r"It is $\text{CO}_2$."), ("Łódź", "Lodz"),
        ("O(n log n)", r"$O(n \log n)$"), ("Rhin", "Réponse : le Rhin"), ("Émile Zola", "Un roman d'Émile Zola."),
    ],
)  # fmt: skip
def test_spellings_of_one_answer(accepted: str, text: str) -> None:
    assert fold(read(text, accepted) or "") == fold(accepted)


@pytest.mark.parametrize(("accepted", "text"), [("pêche", "péché"), ("año", "ano"), ("It", "It is so.")])
def test_words_that_differ_by_more_than_a_spelling(accepted: str, text: str) -> None:
    value = read(f"Answer: {text}", accepted)
    assert value is None or value.casefold() != accepted.casefold()


@given(st.text(st.characters(categories=["L"]), max_size=20))
def test_a_text_keeps_its_length_without_accents(text: str) -> None:
    assert len(unaccented(text)) == len(text)
    assert len(set(spellings_of(text))) == len(spellings_of(text))


EAST = st.sampled_from(["東京", "北京", "서울", "鲁迅"])


@given(
    EAST,
    st.sampled_from(
        [
            "日本の首都は{}です。",
            "中国的首都是{}。",
            "首都不是大阪，而是{}。",
            "首都は京都ではなく、{}です。",
            "수도는 {}입니다.",
        ]
    ),
    st.sampled_from(
        ["首都不是{}。", "首都は{}ではありません。", "首都は{}ですか？", "首都是{}或大阪。", "수도는 {}가 아닙니다.", "{}大学"]
    ),
)
def test_a_sentence_without_blanks(name: str, stated: str, not_stated: str) -> None:
    assert read(stated.format(name), name) == name
    assert read(not_stated.format(name), name) != name


@each_case(
    ("reply", "side"),
    [
        ("Yes, penguins are birds, even though they can't fly.", "yes"), ("No doubt about it: yes.", "yes"),
        ("No. 91 = 7 × 13, so it is not prime.", "no"), ("No. 5 is a perfume.", None), ("That's not correct, so no.", "no"),
        ("It's a no from me.", "no"), ("Sadly not, so no.", "no"), ("Yes Bank is an Indian lender.", None),
        ("Short answer: no. Long answer: yes, under some conditions.", None), ("Yes for adults, no for children.", None),
        ("Yes, please tell me more.", None), ("Yes, but they can't fly.", None), ("No record exists.", None),
    ],
)  # fmt: skip
def test_yes_and_no_with_more_words(reply: str, side: str | None) -> None:
    assert read_yes_no(reply).value == side


@given(
    NAMES,
    st.sampled_from(
        [
            "The first moons of Jupiter were seen by {} in 1610, although the drawings were lost for years.",
            "The moons of Jupiter were first seen by {}, and the book about them never left the house.",
            "The moons of Jupiter were first seen by {}, a scholar, and described in 1610.",
        ]
    ),
    st.sampled_from(
        [
            "The moons of Jupiter were seen by {}, although I am not sure.",
            "The moons of Jupiter were seen by Marius, just as Mars was seen by {}.",
            "The moons of Jupiter were seen by {} or Marius.",
            "The moons of Jupiter were seen by Marius. The newer book is by {}.",
            "They were seen by Marius. {} was second.",
        ]
    ),
)
def test_a_sentence_about_the_question_may_say_more(name: str, stated: str, not_stated: str) -> None:
    question = "Who was the first to see the moons of Jupiter?"
    assert read(stated.format(name), name, question) == name
    assert read(not_stated.format(name), name, question) is None


@each_case(("reply", "value"), [("Yep.", "Yep"), ("Yes, it is.", "Yes"), ("Yeah, sure.", "Yeah"), ("No.", "No")])
def test_a_yes_keeps_its_spelling(reply: str, value: str) -> None:
    assert ShortText(known=(("Yes", "Yep", "Yeah"), ("No",)), question="Is Paris big?").read(reply).value == value


@each_case(
    ("field", "value"), [("Paris", "Paris"), (7, "7"), (1.5, "1.5"), (True, None), (None, None), (["x"], None), (10**400, None)]
)
def test_a_field_holds_a_text_or_a_number(field: object, value: str | None) -> None:
    assert ShortText().read_fields({"answer": field}).value == value


@pytest.mark.parametrize("reply", ["I'm sorry, I don't know.", "Das weiß ich leider nicht.", "I'm sorry, but I don't know."])
def test_an_apology_goes_with_ignorance(reply: str) -> None:
    assert ShortText().read(reply) == DONT_KNOW


def test_no_with_an_offer_is_no_and_with_a_yes_is_neither() -> None:
    assert read_yes_no("No, sorry, we don't have one, but you can sign up for our letter.").value == "no"
    assert read_yes_no("No, that's not what I thought at first, but yes.").value is None


ANSWERS: Sequence[tuple[ReplyForm[str], str, str]] = (
    (OneOption(("Lyon", "Paris", "Nice", "Lille")), "B", "C"),
    (Number(), "40", "41"),
    (ShortText(known=(("Berlin",), ("Bonn",))), "Berlin", "Bonn"),
)
each = pytest.mark.parametrize(("form", "first", "second"), ANSWERS, ids=["option", "number", "text"])


@each
@pytest.mark.parametrize(
    "correction",
    [
        "Antwort: {}. Nein, {}.", "Antwort: {}\n\nKorrektur: {}", "Réponse : {}. Non, {}.", "Réponse : {}. Pardon, {}.",
        "Respuesta: {}. Perdón, {}.", "Resposta: {}. Não, {}.", "Risposta: {}. Anzi, {}.", "Antwoord: {}. Nee, {}.",
        "Svar: {}. Nej, {}.", "Odpowiedź: {}. Nie, {}.", "Ответ: {}. Нет, {}.", "答案：{}。更正：{}。",
        "答案：{}。不对，应该是{}。", "答えは{}です。いや、{}です。", "정답: {}. 아니, {}.", "Answer: {}. Erratum: {}.",
        "Answer: {}. Nope, {}.", "Answer: {}\nFinal: {}", "Answer: {} → {} after checking",
        "Answer: {} was my first guess, final is {}.",
    ],
)  # fmt: skip
def test_what_is_corrected_is_not_read(form: ReplyForm[str], first: str, second: str, correction: str) -> None:
    assert form.read(correction.format(first, second)).value in (second, None)


@each
@pytest.mark.parametrize(
    "withdrawal",
    [
        ". Please ignore that.", "\n\nDisregard my previous answer.", ". Hmm, that can't be right.",
        "\n\nThat does not look right.", "\n\nSorry, I cannot answer this after all.",
        "\n\nHowever, I may be wrong and would rather not answer.", ". Actually I am not sure that is right.", " (wrong)",
        " (incorrect)",
    ],
)  # fmt: skip
def test_what_is_withdrawn_is_not_read(form: ReplyForm[str], first: str, second: str, withdrawal: str) -> None:
    assert form.read(f"Answer: {first}{withdrawal}").value is None
    assert form.read(f"Answer: {first}{withdrawal} Answer: {second}").value == second


@each
@pytest.mark.parametrize(
    "harmless",
    [
        "\n\nPlease ignore the spelling.", ". I am sure that is right.", ". That is correct.", "\n\nForget the rest.",
        "\n\nNext: check the spelling.", "\n\nLet me know if you have another question.",
        "\n\nLet's try another way of saying it: it fits.",
    ],
)  # fmt: skip
def test_what_is_not_withdrawn_is_read(form: ReplyForm[str], first: str, second: str, harmless: str) -> None:
    assert form.read(f"Answer: {first}{harmless}").value == first


@each
@pytest.mark.parametrize(
    "turn",
    [
        "Let me solve another one: which is it?", "Let's do one more.", "Now solve 3*3.", "Next: 6/2", "Item 3.",
        "###\n\nWhich is it?", "下一题", "第2题：", "次の問題：", "Задача 2:", "Let me try another: which is it?",
    ],
)  # fmt: skip
def test_a_turn_that_a_model_invents_is_not_read(form: ReplyForm[str], first: str, second: str, turn: str) -> None:
    assert form.read(f"Answer: {first}\n\n{turn}\nAnswer: {second}").value == first
    assert form.read(f"Let me think.\n{turn}\nAnswer: {second}").value == second


@each
@pytest.mark.parametrize("step", ["Let me try another approach.", "Let me solve it another way:", "Now solve for x.", "***"])
def test_a_step_of_the_reasoning_is_no_turn(form: ReplyForm[str], first: str, second: str, step: str) -> None:
    assert form.read(f"Answer: {first}\n\n{step}\nAnswer: {second}").value == second


@each
@pytest.mark.parametrize(
    "dress",
    [
        "[ANSWER]{}[/ANSWER]", "[ANSWER] {} [/ANSWER]", "<final>{}</final>", "<ans>{}</ans>", "Answer: =={}==", "Answer: {} 🇫🇷",
        "Answer: {} 🎉🎉", "Answer: {} ✅", "Answer: **{}** ❤️", "<s>{}</s>",
    ],
)  # fmt: skip
def test_dress_is_not_looked_at(form: ReplyForm[str], first: str, second: str, dress: str) -> None:
    assert form.read(dress.format(first)).value == first


@each
@pytest.mark.parametrize("struck", ["~~{}~~", "<del>{}</del>", "<strike>{}</strike>", "\\cancel{{{}}}", "\\sout{{{}}}"])
def test_what_is_struck_out_is_not_read(form: ReplyForm[str], first: str, second: str, struck: str) -> None:
    for lead in ("", "Answer: "):
        assert form.read(lead + struck.format(first)).value is None
        assert form.read(f"{lead}{struck.format(first)} {second}").value == second


@each
def test_an_object_that_says_what_went_wrong_is_no_answer(form: ReplyForm[str], first: str, second: str) -> None:
    assert form.read(f'{{"error": "{first}"}}').value is None
    assert form.read(f'{{"error": {{"code": "{first}", "message": "unavailable"}}}}').value is None
    assert form.read(f'{{"error": null, "answer": "{first}"}}').value == first


@pytest.mark.long
@pytest.mark.parametrize(
    "piece",
    [
        "==x", "x 🎉", "<s>x ", "~~x", "\\cancel{x", '{"error": ', "Ignore that. ", "Let me try another.\n", "Нет, ", "###\n",
        "应该是",
    ],
)  # fmt: skip
@pytest.mark.parametrize("lead", ["", "Answer: 1. "])
def test_hostile_replies_cost_no_time(piece: str, lead: str) -> None:
    text = lead + piece * ((READ - len(lead)) // len(piece))
    began = time.process_time()
    plain(text)
    for form, *_ in ANSWERS:
        form.read(text)
    assert time.process_time() - began < 10  # backtracking would take hours


QUESTION = "What is the capital of France?"
KNOWN_ANSWERS = st.sampled_from(
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
    "{a} ✅", "✅ {a}", "The answer is 🗼 {a} 🗼",
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
    "We lived in {b}, but {a} was fun.",
)  # fmt: skip


@pytest.mark.parametrize("frame", ASSERTING)
@settings(max_examples=12)
@given(a=KNOWN_ANSWERS, b=RIVALS)
def test_what_is_stated_is_read(frame: str, a: str, b: str) -> None:
    reply = frame.format(a=a, b=b)
    reading = ShortText(known=((a,),), question=QUESTION).read(reply)
    assert reading.value is not None, reply
    assert fold(reading.value) == fold(a), reply


@pytest.mark.parametrize("frame", NOT_ASSERTING)
@settings(max_examples=12)
@given(a=KNOWN_ANSWERS, b=RIVALS)
def test_what_is_denied_hedged_or_one_of_two_is_not(frame: str, a: str, b: str) -> None:
    reply = frame.format(a=a, b=b)
    value = ShortText(known=((a,),), question=QUESTION).read(reply).value
    assert value is None or fold(value) != fold(a), reply


@settings(max_examples=12)
@given(a=KNOWN_ANSWERS, b=RIVALS)
def test_of_two_known_answers_the_stated_one_is_read_and_both_are_none(a: str, b: str) -> None:
    form = ShortText(known=((a,), (b,)))
    assert fold(form.read(f"It is {a}, not {b}.").value or "") == fold(a)
    assert form.read(f"It is {a}. It is {b}.").value is None


@given(name=st.text(st.characters(categories=["L"]), min_size=2, max_size=12))
def test_any_name_is_read_alone_and_never_inside_a_longer_word(name: str) -> None:
    assume(fold(name) == name.casefold())
    assert find(plain(name), [name]) is SpellingMatch.ASSERTED
    assert find(plain(f"x{name}x"), [name]) is SpellingMatch.ABSENT


@each_case(
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


@each_case(
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
    assert time.process_time() - began < 10  # backtracking would take hours
