"""Replies to a choice of one or several options, and one answer given whatever is asked."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from itertools import permutations

import numpy as np
import pytest
import scipy
from hypothesis import given
from hypothesis import strategies as st

from tests.each_case import each_case
from tests.interview.forms.instances import PHRASES
from vivavoce.interview.candidate import NoAnswer, Prompt, Reply
from vivavoce.interview.forms.form import Outcome, ParsedReply
from vivavoce.interview.forms.one_option import OneOption
from vivavoce.interview.forms.repeated_answers import most_frequent
from vivavoce.interview.forms.several_options import MOST_STATED, Choice, SeveralOptions
from vivavoce.interview.forms.written_question import WrittenQuestion, pointing_words
from vivavoce.interview.forms.written_texts import Rewording, read_explanation
from vivavoce.interview.reading import read

CITIES = ["Lyon", "Paris", "Nice", "Lille"]
TEN = [f"option number {i}" for i in range(10)]
SENTENCES = ["Vitamin C", "A dog", "It cannot be determined", "None of the above"]


def read_option(reply: str, options: list[str]) -> ParsedReply[str]:
    return OneOption(tuple(options)).read(reply)


@each_case(
    "reply",
    [
        "C", "C.", "(C)", "[C]", "**C**", "**(C)**", "*C*", "`C`", "c", "(c)", " C \n", "C)", "C:",
        "Answer: C", "answer: c", "ANSWER: C", "**Answer:** C", "**Answer: C**", "Answer: **C**", "Answer: (C)",
        "Answer:C",
        "Answer: C.", "Answer: C) Nice", "Answer: C. Nice", "Answer:\n\nC", "Answer: option C", "## Answer: C",
        "Answer - is C",
        "Answer: \\boxed{C}", "\\boxed{C}", "$\\boxed{\\text{C}}$", "The answer is $\\boxed{\\mathrm{(C)}}$.",
        "答案 Answer：C",
        "The answer is (C).", "The answer is C", "the correct answer is c.", "The correct option is **C**.",
        "Final answer: C",
        "The best choice would be C.", "So the answer must be (C), not (A).",
        "The answer to the question is therefore C.",
        "The answer is: C", "My final answer is C, because the others are wrong.",
        "Therefore, the answer is most likely C.",
        "(C) because it lies by the sea.", "C, because (A) is inland.", "C. Nice", "C) Nice", "(C) Nice.",
        "**C. Nice**",
        "Option C", "I think it's C.", "I would go with option C", "I choose C", "It is (C).", "(C) is correct.",
        "Option C is the correct answer.", "A and B are inland, and so is D. C is right.", "Nice", "nice.",
        "**Nice**",
        "The answer is Nice.", "Answer: Nice", "Nice, because it lies by the sea.",
        "A) Lyon is inland.\nB) Paris too.\nThe answer is C.", "The answer is A. No, wait. The answer is C.",
        "A is tempting, (B) is wrong.\n\nC", "Is it A? The answer isn't A. The answer is C.",
        "The answer is not A. Answer: C",
        "Answer: A\nLet me check again.\nFinal answer: C\n\nI hope this helps!",
        "I don't know much of France, but the answer is C",
        "I'm not sure, but I think C", "Answer: C\n\nLet me know if the answer is helpful!", "\"Answer: C\"",
    ],
)  # fmt: skip
def test_reads_c(reply: str) -> None:
    assert read_option(reply, CITIES).value == "C"


@each_case(
    "reply",
    [
        "", " \n", "It could be A or C.", "Answer: A or C", "Answer: A/C", "The answer is either A or C.",
        "Both A and C are correct",
        "The answer is A, C", "Answer: E", "Z", "Answer: 3", "NA", "I'm sorry, I can't help with that.",
        "As an AI language model, I have no opinion.", "A) Lyon\nB) Paris\nC) Nice\nD) Lille", "A city in France.",
        "I think that this is hard.", "A good question!", "Answer: A good question",
        "The answer is a matter of taste.",
        "The answer is not A.", "The answer is I think unclear.", "(A) is wrong. (B) is wrong.",
        "Vitamin C is healthy.",
        "The plan B failed", "C's advantage is the sea.", "It is B-type blood.", "f(A) = 3", "A is not correct.",
        "Hm, no.",
        "Answer: Lyon or Nice", "Answer: X", "The answer is as follows:", "Lyon and Nice are both fine", "🤷",
        "\x00\ufffd",
        "I don't think C is correct.",
    ],
)  # fmt: skip
def test_cannot_be_read(reply: str) -> None:
    assert read_option(reply, CITIES).outcome is Outcome.UNREADABLE


@each_case(
    "reply",
    [
        "I don't know", "I don't know.", "I don’t know.", "I do not know", "**I don't know**", "Answer: I don't know",
        "Answer: I don't know.", "I'm not sure.", "I am not sure which one it is.", "Sorry, I don't know.",
        "I have no idea.",
        "This is hard. I don't know.", "It cannot be determined from what is given.", "Cannot determine",
        "I cannot determine this.",
        "The answer is A. No: the final answer is: I don't know", "IDK", "I don't know. It could be (A).",
    ],
)  # fmt: skip
def test_dont_know(reply: str) -> None:
    assert read_option(reply, CITIES).outcome is Outcome.DONT_KNOW


@each_case(
    ("reply", "letter"),
    [
        ("I", "I"), ("Answer: I", "I"), ("(I)", "I"), ("The answer is I.", "I"), ("**I**", "I"), ("Option I", "I"),
        ("I don't know", ""), ("I think so", ""), ("The answer is I don't know", ""), ("I am an AI", ""),
        ("J", "J"), ("K", ""),
        ("Option number 3", "D"), ("Answer: option number 3", "D"),
    ],
)  # fmt: skip
def test_the_letter_i_is_not_the_pronoun(reply: str, letter: str) -> None:
    assert (read_option(reply, TEN).value or "") == letter


@each_case(
    ("reply", "letter"),
    [
        ("Vitamin C", "A"), ("Answer: A dog", "B"), ("A dog.", "B"), ("Answer: A", "A"),
        ("It cannot be determined.", "C"),
        ("The answer is that it cannot be determined", ""), ("None of the above", "D"),
        ("It cannot be determined from this.", "C"),
        ("Cannot be determined", ""),
    ],
)  # fmt: skip
def test_options_that_look_like_letters_or_ignorance(reply: str, letter: str) -> None:
    assert (read_option(reply, SENTENCES).value or "") == letter
    assert read_option(reply, SENTENCES).outcome is (Outcome.ANSWER if letter else Outcome.UNREADABLE)


@each_case(
    ("reply", "options", "letter"),
    [
        ("The argument is deductively **invalid**.\n\ninvalid", ["valid", "invalid"], "B"),
        ("No, it does not return.", ["Yes", "No"], "B"),
        ("Yes and no.", ["Yes", "No"], ""),
        ("There is no way to tell", ["Yes", "No"], ""),
        ("Answer: 4", ["0", "4", "2", "6"], "B"),
        ("687", ["687", "687", "1,493"], ""),
        ("Answer: $4", ["$4", "$40"], "A"),
        ("The answer is New York City.", ["New York", "New York City"], "B"),
    ],
)  # fmt: skip
def test_options_by_their_text(reply: str, options: list[str], letter: str) -> None:
    assert (read_option(reply, options).value or "") == letter


@given(st.text(max_size=300), st.lists(st.text(max_size=20), min_size=2, max_size=26))
def test_reading_never_raises_and_gives_an_option_or_nothing(reply: str, options: list[str]) -> None:
    reading = read_option(reply, options)
    assert (reading.outcome is Outcome.ANSWER) == (reading.value in list("ABCDEFGHIJKLMNOPQRSTUVWXYZ"[: len(options)]))


@given(PHRASES, st.sampled_from("ABCD"))
def test_the_last_line_decides_whatever_stands_before(before: list[str], letter: str) -> None:
    assert read_option(" ".join(before) + f"\nAnswer: {letter}", CITIES).value == letter


@given(st.sampled_from("ABCD"), st.text(alphabet="bcdefgh ,;\n", max_size=200))
def test_prose_after_the_answer_changes_nothing(letter: str, after: str) -> None:
    # Letters of which neither "answer", "is" nor "correct" can be made.
    assert read_option(f"Answer: {letter}\n{after}", CITIES).value == letter


OPTIONS = ("A graph has vertices", "It only has weights", "Euler began it", "It is a directed graph")
STEM = "What is a tree in graph theory?"


def read_answer(reply: Reply | NoAnswer, options: Sequence[str]) -> ParsedReply[Choice]:
    """What a reply chooses, read as a room reads it."""
    return read(Prompt("Which hold?", form=SeveralOptions(tuple(options))), reply)


def letters(chosen: frozenset[int] | None) -> str:
    return "".join("ABCDEFGHIJ"[index] for index in sorted(chosen or ()))


@each_case(
    ("reply", "strictness", "chosen"),
    [
        ("Answer: A, C", "strict", "AC"), ("Answer: A,C", "strict", "AC"),
        ("A) holds.\nB) does not.\n\nAnswer: C", "strict", "C"), ("I first thought the answer is B.\nAnswer: C", "strict", "C"),
        ("<think>Answer: B, surely</think>\nAnswer: C", "strict", "C"), ("Answer: A, B, C, D", "strict", "ABCD"),
        ("answer: a, c", "lenient", "AC"), ("**Answer:** A, C", "lenient", "AC"), ("**Answer: A, C**", "lenient", "AC"),
        ("Answer: **A**, **C**", "lenient", "AC"), ("Answer: [A, C]", "lenient", "AC"), ("Answer: AC", "lenient", "AC"),
        ("Answer: A and C.", "lenient", "AC"), ("Answer: A; C", "lenient", "AC"), ("Answer: A C", "lenient", "AC"),
        ("Answer: (A), (C)", "lenient", "AC"), ("Answer: Option A and Option C", "lenient", "AC"),
        ("Correct Answers: [A, C]", "lenient", "AC"), ("Correct answer(s): A, C", "lenient", "AC"),
        ("The correct answers are A and C.", "lenient", "AC"),
        ("The incorrect options are B and D. The correct ones are A and C.", "lenient", "AC"),
        ("So the answer would be A, C.", "lenient", "AC"), ("Options A and C are correct.", "lenient", "AC"),
        ("## Answer\n\nA, C", "lenient", "AC"), ("\\boxed{A, C}", "lenient", "AC"),
        ("The answer is $\\boxed{\\text{A}}$.", "lenient", "A"), ("A, C", "lenient", "AC"), ("(A) and (C)", "lenient", "AC"),
        ("**C**", "lenient", "C"), ("Answer: A, C ✓", "lenient", "AC"),
        ("Answer: A, C\n\nA holds by definition; B would be wrong.", "lenient", "AC"),
        ("Answer: A (both words fit)", "lenient", "A"), ("Answer: A, because it is a fact.", "lenient", "A"),
        ("First I thought: the answer is B.\nFinal answer: A, C", "lenient", "AC"),
        ("Answer: A) A graph has vertices, C) Euler began it", "lenient", "AC"),
        ("Answer:\nA) A graph has vertices\nC) Euler began it", "lenient", "AC"),
        ("The correct options are:\n\n- **A)** A graph has vertices\n- **C)** Euler began it", "lenient", "AC"),
        ("Answer: A (A graph has vertices) and C (Euler began it)", "lenient", "AC"),
        ("A. A graph has vertices\n\nC. Euler began it", "lenient", "AC"),
        ("Is the answer B or C? Not B, says Euler.\n\nThe answer is C.", "lenient", "C"),
        ("The correct answer is: **D) It is a directed graph**", "lenient", "D"), ("Answer: Euler began it", "lenient", "C"),
        ("Answer: All of the above", "lenient", "ABCD"), ("Answer: A, C<|eot_id|>", "strict", "AC"),
        ("Answer: Ａ，Ｃ", "strict", "AC"), ("Answer: A\u200b, C", "strict", "AC"), ("Answer: 【A】【C】", "lenient", "AC"),
    ],
)  # fmt: skip
def test_answers_that_are_read(reply: str, strictness: str, chosen: str) -> None:
    reading = read_answer(Reply(reply), OPTIONS)
    assert (reading.outcome, reading.strict, reading.problem) == (Outcome.ANSWER, strictness == "strict", "")
    assert letters(reading.value) == chosen


@each_case(
    ("reply", "problem"),
    [
        ("", "empty"),
        ("<think>Answer: A</think>", "empty"),
        ("Answer:", "no option named"),
        ("A graph is a set of vertices and edges.", "no option named"),
        ("Answer: A graph with weights", "no option named"),  # the article "A" is no option
        ("A", ""),
        ("Answer: A\nAnswer: C", "several answers"),
        ("The answer is A. On second thoughts, the answer is C.", "several answers"),
        ("Final answer: A\nFinal answer: B", "several answers"),
        ("Option A is correct, for it says so. Option B is wrong. Option C is correct.", "several answers"),
        ("A) A graph has vertices: yes\nB) It only has weights: no", "no option named"),
        ("Answer:\nA) A graph has vertices: yes\nB) It only has weights: no", "leaves open which options it means"),
        ("\n".join(f"{letter}) {text}" for letter, text in zip("ABCD", OPTIONS, strict=True)), "several answers"),
        ("A\n\nor\n\nB", "several answers"),
        ("Answer: A\nAnswer: F", "several answers"),
        ("Answer: A or C", "leaves open which options it means"),
        ("Answer: A. Or rather B.", "leaves open which options it means"),
        ("Answer: A\n\nCorrection: B", "several answers"),
        ("(A) is wrong.", "no option named"),
        ("I don't think the answer is A, C.", "no option named"),
        ("Answer: C) A graph has vertices", "leaves open which options it means"),
        ("Answer: A\nB) is wrong", "leaves open which options it means"),
        ("The answer is not B.", "leaves open which options it means"),
        ("Answer: F", "names an option that there is not"),
        ("Answer: A, F", "names an option that there is not"),
        ("Answer: None", "says that no option is right"),
        ("Answer: None of the above", "says that no option is right"),
        ("I don't know.", "does not know"),
        ("I'm sorry, but I can't answer this.", "refused"),
        ("Answer: 1, 3", "no option named"),
    ],
)
def test_answers_that_are_not_read(reply: str, problem: str) -> None:
    reading = read_answer(Reply(reply), OPTIONS)
    if not problem:
        assert letters(reading.value) == "A"  # a letter alone is no article
        return
    outcome = Outcome.DONT_KNOW if problem == "does not know" else Outcome.UNREADABLE
    assert (reading.value, reading.outcome, reading.problem) == (None, outcome, problem)


def test_what_states_its_answer_without_end_states_none() -> None:
    most = "The answer is A.\n" * MOST_STATED
    assert letters(read_answer(Reply(most), OPTIONS).value) == "A"
    assert read_answer(Reply(most + "The answer is A."), OPTIONS).problem == "several answers"


def test_options_may_say_what_else_would_be_no_answer() -> None:
    assert letters(read_answer(Reply("Answer: None of the above"), ("x", "None of the above")).value) == "B"
    assert letters(read_answer(Reply("Answer: D) No, it is C. elegans"), (*"xyz", "No, it is C. elegans")).value) == "D"
    # "A" is a letter, and the words of another option: it may be either.
    assert read_answer(Reply("Answer: A"), ("B", "A")).problem == "leaves open which options it means"
    assert letters(read_answer(Reply("Answer: I"), tuple("pqrstuvwx")).value) == "I"


def test_replies_that_did_not_come_whole() -> None:
    assert read_answer(NoAnswer("time-out after 120 s"), OPTIONS).problem == "time-out"
    assert read_answer(NoAnswer("HTTP 500"), OPTIONS).outcome is Outcome.NO_ANSWER
    assert read_answer(Reply("Answer: A", finish="length"), OPTIONS).outcome is Outcome.CUT_OFF  # perhaps it went on: A, C
    assert read_answer(Reply("Answer: A", finish="content_filter"), OPTIONS).problem == "filtered"


FORMS = (
    "Answer: {}", "**Answer:** {}", "answer: {}.", "The correct answers are {}.", "Correct Answers: [{}]",
    "Let me think.\n\nFinal answer: {}", "{}", "\\boxed{{{}}}",
)  # fmt: skip


@given(
    chosen=st.sets(st.integers(0, 5), min_size=1).flatmap(lambda places: st.permutations(sorted(places))),
    form=st.sampled_from(FORMS),
    separator=st.sampled_from((", ", ",", " and ", ", and ", " & ", "; ", " ")),
    around=st.sampled_from(("{}", "({})", "[{}]", "**{}**", "'{}'")),
)
def test_every_set_is_read_from_every_form_in_any_order(chosen: list[int], form: str, separator: str, around: str) -> None:
    options = [f"thing number {word}" for word in ("one", "two", "three", "four", "five", "six")]
    text = form.format(separator.join(around.format("ABCDEF"[index]) for index in chosen))
    assert read_answer(Reply(text), options).value == frozenset(chosen)


@given(st.text(max_size=300), st.lists(st.text(min_size=1, max_size=20), min_size=2, max_size=10, unique=True))
def test_whatever_is_said_is_read_or_has_a_reason(reply: str, options: list[str]) -> None:
    for text in (reply, f"Answer: {reply}"):
        reading = read_answer(Reply(text), options)
        assert (reading.value is None) == bool(reading.problem)
        assert reading.value is None or (reading.value and max(reading.value) < len(options))


@each_case(
    ("answer", "chosen", "problem"),
    [
        (["A", "C"], "AC", ""),
        (["C", "A", "C"], "AC", ""),
        (["a", " c "], "AC", ""),
        ("A, C", "AC", ""),
        ("Euler began it", "C", ""),
        ("I don't know", "", "does not know"),
        ([], "", "no option named"),
        (["E"], "", "names an option that there is not"),
        (["A", 3], "", "no option named"),
        (None, "", "no option named"),
        ("A or C", "", "leaves open which options it means"),
    ],
)
def test_answers_under_the_schema(answer: object, chosen: str, problem: str) -> None:
    reading = SeveralOptions(OPTIONS).read_fields({"answer": answer})
    assert (letters(reading.value), reading.problem) == (chosen, problem)


@given(st.sets(st.integers(0, 9), min_size=1))
def test_what_is_written_is_read_again_in_words_and_under_the_schema(chosen: set[int]) -> None:
    form = SeveralOptions(tuple(f"thing {number}" for number in range(10)))
    assert form.read(form.write(frozenset(chosen))) == ParsedReply(Outcome.ANSWER, frozenset(chosen), strict=True)
    fields = {"answer": ["ABCDEFGHIJ"[index] for index in chosen]}
    assert form.read_fields(fields) == ParsedReply(Outcome.ANSWER, frozenset(chosen), strict=True)


@given(st.integers(2, 10))
def test_no_instruction_said_back_is_an_answer(number: int) -> None:
    """The words of before ended in `Answer: A, C`: two small models gave it back for every question."""
    form = SeveralOptions(tuple(f"thing {letter}" for letter in range(number)))
    for text in (form.instruction, form.schema_instruction, form.further):
        parts = [text, *text.splitlines(), *text.split(". "), *(f"Answer: {part}" for part in text.split(". "))]
        assert all(form.read(part).value is None for part in parts)


@each_case(
    "block",
    ["A", "\n", " ", "A) x\n", "A, ", "((", "and ", "answer is ", "Answer: A\n", "Correct: A, ", "**", "'", ":", "Question: ",
     "</think>", "\\boxed{", "option A ", "[Verdict] yes\n", "Paraphrase: x\n", "as described in the ", "according to the ",
     "Here is a ", "1. ", "\ud800", "A graph has vertices: no\n", "A) A graph has vertices\n"],
)  # fmt: skip
def test_hostile_replies_take_no_time(block: str) -> None:
    """3 MB of anything are read in a fraction of a second by each reader (a superlinear pattern would take minutes)."""
    text = block * (3_000_000 // len(block))
    began = time.process_time()
    for form in (SeveralOptions(OPTIONS), WrittenQuestion(4, 2, told="Ask about trees. " * 20), Rewording(STEM)):
        form.read(text)
    read_explanation(text)
    pointing_words(text)
    assert time.process_time() - began < 10  # backtracking would take hours


def test_the_order_in_which_letters_are_named_means_nothing() -> None:
    readings = {read_answer(Reply(f"Answer: {', '.join(order)}"), OPTIONS).value for order in permutations("ABD")}
    assert readings == {frozenset((0, 1, 3))}


SETS = ("A", "B", "C", "D", "AB", "AC", "AD", "BC", "BD", "CD", "ABC", "ABD", "ACD", "BCD")


def test_fourteen_of_fourteen_and_three_keys() -> None:
    """By scipy: Fisher's exact test of 14 in 14 against 3 in 14, times the eight different answers and keys."""
    keys = ["AC"] * 3 + ["A"] * 3 + ["B"] * 2 + ["C", "D", "BD", "AB", "BC", "A"]
    answer = most_frequent([(["AC"], key) for key in keys])
    assert answer is not None
    assert (answer.value, answer.answers, answer.questions, answer.keys, answer.best) == ("AC", 14, 14, 3, 4)
    p = scipy.stats.fisher_exact(np.array([[14, 0], [3, 11]]), alternative="greater").pvalue
    assert answer.p == pytest.approx(len(set(keys)) * p)
    assert answer.prevails


def test_few_questions_tell_nothing() -> None:
    """Four of four against none: C(4,4) C(4,0) / C(8,4) = 1/70, times five different answers and keys, .071."""
    answer = most_frequent([(["AC"], key) for key in "ABCD"])
    assert answer is not None
    assert answer.p == pytest.approx(5 / 70)
    assert (answer.repeated, answer.prevails, answer.untold) == (False, False, True)


def test_who_knows_the_answers_repeats_no_more_than_the_keys_do() -> None:
    answer = most_frequent([(["AC"] * 4, "AC")] * 50 + [(["B"] * 4, "B")] * 3)
    assert answer is not None
    assert (answer.value, answer.repeated, answer.untold, answer.best) == ("AC", False, False, 50)


def test_one_question_in_many_wordings_is_one_question() -> None:
    answer = most_frequent([(["B"] * 40, "A"), (["C"], "C"), (["D"], "D")])
    assert answer is not None
    assert (answer.value, answer.answers, answer.questions, answer.of_questions) == ("B", 40, 1, 3)
    assert not answer.repeated


def test_a_frequent_answer_that_does_not_prevail() -> None:
    """Forty of a hundred, where five keys have it: part of the answers rest on nothing, the others may."""
    others = [(["B"], "B")] * 55 + [(["C"], "C")] * 5
    answer = most_frequent([(["A"], "A")] * 5 + [(["A"], "B")] * 35 + others)
    assert answer is not None
    assert (answer.value, answer.questions) == ("B", 55)
    assert not answer.repeated  # it is the key of 90
    answer = most_frequent([(["A"], "A")] * 5 + [(["A"], key) for key in SETS[1:] for _ in range(2)] + [(["B"], "B")] * 20)
    assert answer is not None
    assert (answer.value, answer.questions, answer.repeated, answer.prevails) == ("A", 31, True, True)


@given(st.lists(st.tuples(st.lists(st.sampled_from(SETS), max_size=4), st.sampled_from(SETS)), max_size=30))
def test_order_matters_for_nothing_that_is_told_and_counts_are_counts(given: list[tuple[list[str], str]]) -> None:
    repeated_answer = most_frequent(given)
    answers = Counter(answer for texts, _ in given for answer in texts)
    if repeated_answer is None:
        assert not answers
        return
    assert repeated_answer.answers == answers[repeated_answer.value]
    assert repeated_answer.of_answers == answers.total()
    assert 0 <= repeated_answer.keys <= repeated_answer.best <= repeated_answer.of_questions
    assert 0 < repeated_answer.p <= 1
    again = most_frequent([(texts[::-1], key) for texts, key in given[::-1]])
    assert again is not None
    assert (again.prevails, again.questions) == (repeated_answer.prevails, repeated_answer.questions)


@pytest.mark.parametrize("recall", [0.0, 0.3, 0.8])
def test_an_honest_candidate_is_seldom_said_to_repeat(recall: float) -> None:
    """Knows some, else answers as the keys are distributed: 2,000 candidates of 16 questions, at most 5% and three errors."""
    rng = np.random.default_rng(5)
    keys, known = rng.integers(0, 14, (2_000, 16)), rng.random((2_000, 16)) < recall
    where = np.where(known, keys, rng.integers(0, 14, (2_000, 16)))
    answers = [
        most_frequent([([a], k) for a, k in zip(*rows, strict=True)])
        for rows in zip(where.tolist(), keys.tolist(), strict=True)
    ]
    repeated = np.mean([answer is not None and answer.repeated for answer in answers])
    assert repeated <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 2_000)
    assert not any(answer is not None and answer.prevails for answer in answers)
